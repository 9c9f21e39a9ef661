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

namespace {

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): spreads every bit over all.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

double normal_at(std::uint64_t seed, std::uint64_t index) {
  const std::uint64_t bits = mixed(seed + index * 0x9e3779b97f4a7c15u);
  const double first = static_cast<double>((bits >> 32) + 1) * 0x1.0p-32;
  const double second = static_cast<double>(bits & 0xffffffffu) * 0x1.0p-32;
  return std::sqrt(-2.0 * std::log(first)) * std::cos(2.0 * std::numbers::pi * second);
}

std::uint64_t seed_of(std::uint64_t seed, std::string_view part) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a, 64 bits
  for (const char c : part) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return mixed(mixed(seed) ^ hash);
}

}  // namespace pippin::probes
