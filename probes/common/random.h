#pragma once

#include <cstdint>
#include <random>
#include <string_view>

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

/// Number `index` of an endless row of standard normals, which can be asked for in any order, so
/// that a rank draws its own part of a tensor. At most 6.7 from 0.
double normal_at(std::uint64_t seed, std::uint64_t index);

/// A seed for one named part of a whole, so that the parts do not share a stream.
std::uint64_t seed_of(std::uint64_t seed, std::string_view part);

}  // namespace pippin::probes
