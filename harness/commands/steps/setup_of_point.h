// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/records/sweep.h"
#include "sweeps/estimate/setup.h"

namespace pippin {

/// A point of a sweep as an estimate takes it.
struct SetupOfPoint {
  std::optional<Setup> setup;
  std::string why_not;               ///< where there is no setup
  std::vector<std::string> assumed;  ///< what the command leaves open, in words
  Count iterations;                  ///< that it runs; of a command, where it says --train-iters
  bool is_impossible = false;        ///< no trainer starts such a layout
};

/// How a command is read: as it most likely is; or so that nothing condemns a point wrongly, by the
/// least vocabulary where none is said, and knowing nothing of arguments that Megatron-LM has not.
enum class ReadCommand { kAsLikely, kLeniently };

/// A point of the probe `training`, or one whose command has Megatron's arguments. Errors: as
/// script_run(); what cannot be judged is said in `why_not`.
SetupOfPoint setup_of_point(const Sweep& sweep, const Point& point,
                            ReadCommand reading = ReadCommand::kAsLikely);

/// Whether any point of the sweep may be judged.
bool has_setups(const Sweep& sweep);

}  // namespace pippin
