// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "core/records/canary_reading.h"

namespace pippin {

/// The figures of a canary: one JSON object, as the probe `canary` prints it. What it has besides
/// is left out.
/// Errors: Error (bad input) that says on one line what is wrong, naming no file.
CanaryFigures read_canary_figures(std::string_view json);

/// What a job has left beside a log of a canary: "canary=3 taken=1700000000", what the canary
/// printed, its figures last, and "exit=N" where it failed. A canary of ours that went wrong is a
/// reading with a problem.
/// Shape: nothing where no reading is in it: the job has not got so far, or the cluster's own
/// canary prints something else.
std::optional<CanaryReading> read_canary(std::string_view text);

}  // namespace pippin
