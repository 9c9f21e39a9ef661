// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <vector>

#include "probes/comm/communicator.h"
#include "probes/common/megatron.h"
#include "probes/training/trainer.h"

namespace pippin::probes {

/// The iterations between two logged lines: their means, by the first rank's wall time.
class Interval {
 public:
  Interval(Communicator& world, const Setup& setup) : world_(world), setup_(setup) {}

  void add(const StepResult& result);
  /// The line of the interval that ends with `iteration`; the time of the next begins here. Every
  /// rank must call it; the first rank's counts.
  IterationReport report(std::int64_t iteration);

 private:
  void settle_losses();

  Communicator& world_;
  const Setup& setup_;
  std::int64_t iterations_ = 0, advanced_ = 0, nan_ = 0;
  double loss_ = 0, last_norm_ = 0, last_scale_ = 1;
  bool last_skipped_ = false;
  /// Of iterations whose loss is not added up over the ranks yet; skipped ones, too.
  std::vector<double> loss_shares_;
  std::vector<bool> skipped_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace pippin::probes
