// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/records/run.h"
#include "core/records/value_index.h"
#include "harness/scrape/checkpoints_seen.h"
#include "harness/scrape/endings.h"
#include "harness/scrape/format.h"
#include "harness/scrape/nodes_seen.h"
#include "harness/scrape/trainers/step_rows.h"

namespace pippin {

/// What a log says of a launch beside its steps.
struct LaunchFacts {
  Model model;
  Layout layout;
  Count tokens_per_step;  ///< of all GPUs
  std::optional<double> tokens_per_gpu_step;
  double tokens_quantum = 0;  ///< the step in which a clock tells the tokens of a GPU; 0: none did
  std::string recompute;      ///< as LogRun has it
  NamedValues arguments;      ///< what was printed, by its own names
  NamedValues axes;           ///< what of it matters to speed beside the model and layout
  NamedValues derived;        ///< which of the above was not printed: "gpus", by which law
  NamedValues overruled;      ///< as LogRun has it

  /// Keeps what was said first.
  void say(std::string_view name, std::string_view text);
  void say(std::string_view name, double number);
  /// How many things are known.
  std::size_t said_count() const;
  /// The same of an axis.
  void set_axis(std::string_view name, std::string_view text);
  /// Takes a person's word, as tell() of a point does.
  void take(const NamedValues& told);
  /// Fills in what follows from what is known: GPUs from TP, PP and DP, tokens from GBS and seq.
  void complete();
  /// Sets a count that is not known yet by a law: `value` must be a whole number within
  /// `tolerance`, a share.
  void derive(Count& count, std::string_view name, const std::optional<double>& value,
              std::string_view law, double tolerance = 0.005);

 private:
  ValueIndex said_, known_axes_;
};

/// What a trainer calls a count.
struct CountName {
  std::string_view name;
  Count& (*of)(LaunchFacts&);
};
/// The count that is called so; nullptr: none is.
Count* count_called(std::span<const CountName> names, std::string_view name, LaunchFacts& facts);

/// One launch of any trainer, while its lines are read.
class TrainerLaunch {
 public:
  LaunchFacts facts;
  std::map<std::int64_t, RankMemory> memory;
  Ending ending;
  NodesSeen nodes;
  CheckpointsSeen checkpoints;
  std::optional<std::int64_t> started_at;  ///< as LogRun has it
  std::optional<std::size_t> begun_by;     ///< the trainer that said that it begins
  bool begins = false;                     ///< its log has its beginning, or it went back
  Count planned;                           ///< the last step that is announced
  std::int64_t first_step = 1;             ///< as the trainer counts
  std::int64_t startup_steps = 1;          ///< steps of a launch that are no samples

  StepRows& rows(std::size_t trainer) { return rows_[trainer]; }
  const StepRows& rows(std::size_t trainer) const;
  /// Those of all trainers.
  std::size_t row_count() const;
  /// Sees a step that a bar shows, and that becomes no row of its own.
  void see_shown_step() { ++shown_steps_; }

  /// A line of what all logs say: how it ended, on which nodes.
  void see_common(const FoundLine& line, const CommonTexts& common);
  /// As LogRun has them.
  std::optional<RunState> end() const { return ending.state(steps_seen()); }
  std::string evidence() const { return ending.evidence(steps_seen()); }

  /// A launch that goes on after this one: of it is known what was known of this one.
  TrainerLaunch next() const;

 private:
  std::size_t steps_seen() const { return row_count() + shown_steps_; }

  std::map<std::size_t, StepRows> rows_;  ///< by trainer
  std::size_t shown_steps_ = 0;
};

/// The record of what one trainer printed of a launch. `problem`: why its lines have no times;
/// empty where they do. `planned`: as LogHints has it.
struct TrainerRun {
  LogRun run;
  std::string problem;
};
TrainerRun run_of(const TrainerLaunch& launch, std::string_view trainer, const StepRows& rows,
                  const NamedValues& planned);

}  // namespace pippin
