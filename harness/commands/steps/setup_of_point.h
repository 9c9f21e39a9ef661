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
  std::vector<std::string> strangers = {};  ///< arguments of another trainer than Megatron
};

/// Which vocabulary is taken where neither the command nor the point says one: that of its
/// tokenizer, or else the least, so that it condemns no point.
enum class VocabularyUnsaid { kUsual, kLeast };

/// A point of the probe `training`, or one whose command has Megatron's arguments. Errors: as
/// script_run(); what cannot be judged is said in `why_not`.
SetupOfPoint setup_of_point(const Sweep& sweep, const Point& point,
                            VocabularyUnsaid vocabulary = VocabularyUnsaid::kUsual);

/// Whether any point of the sweep may be judged.
bool has_setups(const Sweep& sweep);

}  // namespace pippin
