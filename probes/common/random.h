// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string_view>

#include "probes/common/host_device.h"

namespace pippin::probes {

/// A seeded stream: mt19937_64 is fixed by the C++ standard, and nothing here goes through
/// std::*_distribution, which differs between standard libraries.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// Uniform in [0, bound), without bias, the same on every platform. Requires bound > 0.
  std::uint64_t below(std::uint64_t bound);
  /// Uniform in (0, 1], 53 bits.
  double uniform();
  /// Standard normal. Source: Box and Muller 1958.
  double normal();

 private:
  std::mt19937_64 engine_;
  double spare_ = 0;
  bool has_spare_ = false;
};

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): spreads every bit over all.
PROBES_HOST_DEVICE std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Number `index` of an endless row of standard normals, which can be asked for in any order, so
/// that a rank draws its own part of a tensor. At most 6.7 from 0.
PROBES_HOST_DEVICE double normal_at(std::uint64_t seed, std::uint64_t index) {
  constexpr double kTurn = 6.283185307179586;
  const std::uint64_t bits = mixed(seed + index * 0x9e3779b97f4a7c15u);
  const double first = static_cast<double>((bits >> 32) + 1) * 0x1.0p-32;
  const double second = static_cast<double>(bits & 0xffffffffu) * 0x1.0p-32;
  return std::sqrt(-2.0 * std::log(first)) * std::cos(kTurn * second);
}

/// A seed for one named part of a whole, so that the parts do not share a stream.
std::uint64_t seed_of(std::uint64_t seed, std::string_view part);

}  // namespace pippin::probes
