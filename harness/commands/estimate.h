#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/records/cluster.h"
#include "harness/commands/commands.h"
#include "reports/estimate.h"
#include "sweeps/judge_points.h"

namespace pippin {

/// `estimate SWEEP.yaml [POINT]` and `estimate NAME=VALUES …`: the points of a sweep, or of words.
ExitCode estimate_sweep(const Globals& globals, const EstimateOptions& options);

/// The GPU that --accelerator names; nothing where there is none. Errors: Error (bad input) for an
/// unknown one.
std::optional<Accelerator> accelerator_of(const EstimateOptions& options);

/// All that is known of one layout.
void print_estimate(const Setup& setup, const std::optional<Accelerator>& accelerator,
                    const EstimateOptions& options);

/// The figures that the analysis tool prints. Errors: Error (bad input) where it says nothing of
/// such a layout.
void print_figures_of_tool(const Setup& setup, const std::string& format);

/// The sizes of checkpoints, and how long they take where the options say the storage.
void print_checkpoints(const NamedSetups& layouts, const EstimateOptions& options);

void print_judgements(const std::vector<PointJudgement>& all, const std::string& format);

}  // namespace pippin
