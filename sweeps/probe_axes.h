// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/records/cluster.h"
#include "core/records/point.h"
#include "sweeps/draft.h"
#include "sweeps/probes.h"

namespace pippin {

// Probes without a layout (`collective`, `gemm`) measure one thing on a number of ranks.

/// Before the axes of such a probe's file are read: `ranks` and `nodes` are other words for gpus.
/// Errors: Error (bad input) for nodes on a cluster that does not say how many ranks each takes.
void read_ranks(YamlNode& root, const Probe& probe, const Cluster& cluster);

/// Adds the axes that a file leaves to the probe, and writes sizes in digits: 4M is 4194304.
/// Errors: Error (bad input) where an axis is missing that the probe needs.
void complete_axes(Draft& draft);

/// Takes from a point what such a probe is not told: a layout, a model. Others stay as they are.
void leave_out_what_is_not_told(Point& point, const Probe& probe);

/// "collective-all_reduce-4M-float-8ranks": the axes that the probe names and those that vary.
std::string name_of_measured(const Point& point, const Probe& probe,
                             const std::vector<std::string>& varying);

/// 4194304 as "4M"; as it is where no unit divides it.
std::string bytes_text(std::int64_t bytes);

}  // namespace pippin
