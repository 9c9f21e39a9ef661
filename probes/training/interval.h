#pragma once

#include <chrono>

#include "probes/common/megatron.h"
#include "probes/training/trainer.h"

namespace pippin::probes {

/// The iterations between two logged lines: their means, by wall time.
class Interval {
 public:
  explicit Interval(const Setup& setup) : setup_(setup) {}

  void add(const StepResult& result);
  /// The line of the interval that ends with `iteration`; the time of the next begins here.
  IterationReport report(std::int64_t iteration);
  Times times() const;
  /// Forgets the sums, not the time.
  void restart() { sums_ = {}; }

 private:
  struct Sums {
    std::int64_t iterations = 0, advanced = 0, nan = 0;
    double loss = 0, last_norm = 0;
    bool last_skipped = false;
    StepTimes times;
  };

  const Setup& setup_;
  Sums sums_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace pippin::probes
