// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reports/flat_table.h"
#include "reports/page/flat_page.h"
#include "reports/show/sheet.h"
#include "sweeps/accelerators.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/estimate/search_layouts.h"
#include "sweeps/estimate/step_time.h"
#include "sweeps/estimate/traffic.h"
#include "sweeps/judge_points.h"
#include "sweeps/max_model.h"

namespace pippin {

/// Figures that another tool prints, a row each, as it writes them.
FlatTable figures_table(const std::vector<std::pair<std::string, std::string>>& figures);

/// A table for people, and what stands above it.
struct EstimateTable {
  std::string heading;
  FlatTable table;
};

/// Of one layout: memory of each stage's GPUs, what they send, and the work of an iteration. Stages
/// that are alike share a row.
std::vector<EstimateTable> estimate_tables(const Setup& setup);

/// Stages that are alike, from `first` to `last`.
struct StageRow {
  std::int64_t first = 0, last = 0, layers = 0, parameters = 0;
  StageMemory memory;
  std::string name() const;  ///< "0", "1-6"
};
std::vector<StageRow> stage_rows(const Setup& setup);

/// Whether the layout fits such a GPU, and how nearly. Requires the GPU's memory.
std::string fit_words(const Setup& setup, const Accelerator& accelerator);

/// Where the time of an iteration goes: what, and seconds.
std::vector<std::pair<const char*, double>> parts_of(const StepTime& time);
EstimateTable time_table(const StepTime& time);

/// The model's work, without what is made again, by the machine's peak in 16 bits; nothing where no
/// formula counts the model.
std::optional<double> model_flops_utilization(const Setup& setup, const Machine& machine,
                                              double seconds);

/// "that is 41.2 % of the GPUs' peak …"
std::string utilization_words(double share);

/// Layouts that were found, a row each, with the share of the peak that the model's work would
/// have.
FlatTable found_table(const SearchResult& result, const SearchSpace& space);

/// In one line each: the model, and its layout.
std::string model_words(const Setup& setup);
std::string layout_words(const Setup& setup);
/// "TP 8 PP 4 DP 2 MBS 1 GAS 16 ZeRO 1": its layout, and what is not usual.
std::string short_layout_words(const Setup& setup);

/// Where the analysis tool says otherwise of that layout, and why, a sentence each; none where it
/// says nothing of it.
std::vector<std::string> where_analysis_tool_differs(const Setup& setup);

/// Bytes of a parameter in training and in a checkpoint, and a checkpoint's size.
std::string state_account(const Setup& setup);

/// A layout's time on a machine.
struct EstimatedTime {
  StepTime time;
  Machine machine;
  double half_width = 0;  ///< of the logarithm of measured by predicted, 19 of 20
  std::string words;      ///< by which rates, and how sure they are
};

/// What an estimate of one layout is said with.
struct EstimateContext {
  std::optional<Accelerator> accelerator;  ///< or none, as fit_words() has it
  std::optional<EstimatedTime> time;
  std::string why_no_time;           ///< where none is known of that accelerator
  std::vector<std::string> unknown;  ///< arguments that change memory, nobody knows by how much
};

/// Every figure of every stage, and of each part of its layers, of the GPU, of work and of time, a
/// row each, for programs. What is not known has no value, and says why.
FlatTable estimate_figures(const Setup& setup, const EstimateContext& context);

/// On how many nodes the ranks of such a group are at most.
std::int64_t nodes_of(const Setup& setup, const Talk& talk);

/// All of that as a page has it, with the memory of stages and the time as bars. `accelerator`: as
/// fit_words() has it, or none.
Sheet estimate_sheet(const Setup& setup, const std::optional<Accelerator>& accelerator,
                     const std::optional<EstimatedTime>& time);

/// The checkpoints of layouts, a row each, by their names: what they have of weights and of the
/// optimizer, and how long storage of `gb_per_s` takes to write them, where that is known.
using NamedSetups = std::vector<std::pair<std::string, Setup>>;
FlatTable checkpoint_sizes_table(const NamedSetups& layouts, std::optional<double> gb_per_s);

/// The largest models that fit layouts, a row each.
FlatTable max_models_table(const std::vector<MaxModel>& all);

/// What is said of each row of a table of layouts.
FlatTable judgements_table(const std::vector<PointJudgement>& all);

/// Pages of the two, without title, command and moment.
FlatPage found_page(const SearchResult& result, const SearchSpace& space);
FlatPage judgements_page(const std::vector<PointJudgement>& all);

}  // namespace pippin
