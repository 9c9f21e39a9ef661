#pragma once

#include <cmath>
#include <numbers>

#include "core/base/random.h"

namespace pippin::calibration {

/// Uniform in (0, 1).
inline double uniform(Random& random) {
  constexpr std::uint64_t kSteps = std::uint64_t{1} << 53;
  return (static_cast<double>(random.below(kSteps)) + 0.5) / static_cast<double>(kSteps);
}

/// Standard normal (Box-Muller), the same on every platform up to the last digits of log and cos.
inline double normal(Random& random) {
  const double radius = std::sqrt(-2 * std::log(uniform(random)));
  return radius * std::cos(2 * std::numbers::pi * uniform(random));
}

}  // namespace pippin::calibration
