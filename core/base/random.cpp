#include "core/base/random.h"

#include <fmt/format.h>

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

std::uint64_t seed_of(std::uint64_t seed, std::string_view part) {
  return std::stoull(hash_of(fmt::format("{}/{}", seed, part)).substr(0, 16), nullptr, 16);
}

}  // namespace pippin
