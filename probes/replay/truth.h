// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probes/replay/settings.h"

namespace pippin::probes {

/// Draws the step times of one run.
/// ln(time) is normal at each level with the level's SD, shifted so that its factor has mean 1:
/// the mean of all times is the truth's. The draw of a day, an allocation or a run depends on the
/// seed and its key alone; iterations have a stream of their own in each run of an allocation.
class StepDraws {
 public:
  StepDraws(const Truth& truth, std::int64_t seed);

  /// Milliseconds of iteration `iteration`, from 1, without checkpoints and evaluations.
  double of(std::int64_t iteration) const;

 private:
  Truth truth_;
  std::uint64_t iteration_seed_;
  double run_mean_;  ///< of this run, without warm-up
};

/// The factor of a warming-up iteration: the warm-up factor at the first, falling to 1 in a line.
double warmup_factor(const Truth& truth, std::int64_t iteration);

/// A falling loss, for show: from ln(vocabulary) towards 2.
double made_up_loss(const Setup& setup, std::int64_t iteration);

/// MiB that one rank of a stage would need, roughly: fp32 parameters, gradients and Adam, 16 bytes
/// a parameter, and activations.
/// Source: Korthikanti et al. 2022, table 2: s·b·h·(10 + 24/t) + 5·a·s²·b/t bytes a layer in half
/// precision, twice that here; min(p − stage, GAS) micro-batches in flight; full recomputation
/// keeps a layer's input and one layer's working set.
double estimated_mib(const Setup& setup, std::int64_t stage);

}  // namespace pippin::probes
