// SPDX-License-Identifier: Apache-2.0
#include "probes/common/random.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace pippin::probes {

std::uint64_t Random::below(std::uint64_t bound) {
  // Throw away the incomplete last round of `bound` values.
  const std::uint64_t top = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t limit = top - top % bound;
  std::uint64_t drawn = engine_();
  while (drawn >= limit) drawn = engine_();
  return drawn % bound;
}

double Random::uniform() { return static_cast<double>((engine_() >> 11) + 1) * 0x1.0p-53; }

double Random::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const double radius = std::sqrt(-2.0 * std::log(uniform()));
  const double angle = 2.0 * std::numbers::pi * uniform();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

std::uint64_t seed_of(std::uint64_t seed, std::string_view part) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a, 64 bits
  for (const char c : part) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return mixed(mixed(seed) ^ hash);
}

}  // namespace pippin::probes
