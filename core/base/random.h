// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

namespace pippin {

/// A seeded stream that gives the same numbers on every platform: mt19937_64 is fixed by the C++
/// standard, and nothing here goes through std::*_distribution, which is not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// Uniform in [0, bound), without bias. Requires bound > 0.
  std::uint64_t below(std::uint64_t bound);

  /// Fisher-Yates, from the back.
  template <typename T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::mt19937_64 engine_;
};

/// Uniform in (0, 1).
double uniform(Random& random);
/// Standard normal; the same on every platform up to the last digits of log and cos.
double normal(Random& random);

/// A seed for one named part of a whole, so that the parts do not share a stream.
std::uint64_t seed_of(std::uint64_t seed, std::string_view part);

}  // namespace pippin
