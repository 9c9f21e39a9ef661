// SPDX-License-Identifier: Apache-2.0
#include "core/base/random.h"

#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "core/base/hash.h"

namespace pippin {

std::uint64_t Random::below(std::uint64_t bound) {
  const std::uint64_t limit =
      -bound % bound;  // 2^64 mod bound: values under it would come too often
  for (;;) {
    const std::uint64_t value = engine_();
    if (value >= limit) return value % bound;
  }
}

double uniform(Random& random) {
  constexpr std::uint64_t kSteps = std::uint64_t{1} << 53;
  return (static_cast<double>(random.below(kSteps)) + 0.5) / static_cast<double>(kSteps);
}

double normal(Random& random) {
  const double radius = std::sqrt(-2 * std::log(uniform(random)));
  return radius * std::cos(2 * std::numbers::pi * uniform(random));
}

std::uint64_t seed_of(std::uint64_t seed, std::string_view part) {
  return std::stoull(hash_of(fmt::format("{}/{}", seed, part)).substr(0, 16), nullptr, 16);
}

}  // namespace pippin
