// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/records/cluster.h"
#include "core/records/point.h"
#include "harness/commands/commands.h"
#include "reports/estimate.h"
#include "reports/page/flat_page.h"
#include "sweeps/cluster_rates.h"
#include "sweeps/judge_points.h"

namespace pippin {

/// `estimate SWEEP.yaml [POINT]` and `estimate NAME=VALUES …`: the points of a sweep, or of words.
ExitCode estimate_sweep(const Globals& globals, const EstimateOptions& options);

/// What a layout is to run on, as far as that is known.
struct Hardware {
  std::string cluster;
  std::optional<Accelerator> accelerator;
  Count gpus_per_node;
  std::optional<double> node_gb_per_s;  ///< between nodes, where it is not as such GPUs' usual ones
  KnownRates known = usual_rates();
  std::string why_no_machine;  ///< why no rates of such a GPU are known; empty where they are
};
Hardware hardware_of(const Cluster& cluster);
/// What options say goes before it. Errors: Error (bad input) for an unknown accelerator.
void take_options(const EstimateOptions& options, Hardware& hardware);

/// A layout as it is shown.
struct ShownLayout {
  Setup setup;
  std::string name;                  ///< of its page
  std::vector<std::string> remarks;  ///< what was taken for granted; said already
  std::vector<std::string> unknown;  ///< arguments that change it, nobody knows by how much
  std::vector<std::string> untimed;  ///< those of them with which no time is known
};

/// All that is known of one layout.
void print_estimate(const ShownLayout& layout, const Hardware& hardware,
                    const EstimateOptions& options);

/// The figures that the analysis tool prints. Errors: Error (bad input) where it says nothing of
/// such a layout.
void print_figures_of_tool(const Setup& setup, const EstimateOptions& options);

/// The sizes of checkpoints, and how long they take where the options say the storage.
void print_checkpoints(const NamedSetups& layouts, const EstimateOptions& options);

/// Many layouts, a row each; a page draws them along the axes, and repeats what was said of all.
void print_judgements(const std::vector<PointJudgement>& all, std::vector<PageAxis> axes,
                      const std::vector<std::string>& remarks, const EstimateOptions& options);

}  // namespace pippin
