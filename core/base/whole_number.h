// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>

namespace pippin {

/// The whole number that a double is. Nothing where it has a fraction, is no number, or is so large
/// (2^53) that it has no neighbours a unit away: a cast gives no number beyond 2^63.
inline std::optional<std::int64_t> whole_number(double number) {
  constexpr double kBeyondExact = 9007199254740992;  // 2^53
  if (!(std::abs(number) < kBeyondExact) || number != std::floor(number)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

/// The same of the nearest whole number.
inline std::optional<std::int64_t> nearest_whole_number(double number) {
  return whole_number(std::round(number));
}

/// Of counts, from 0 on; the largest number there is where it would be more.
inline std::int64_t count_product(std::initializer_list<std::int64_t> counts) {
  std::int64_t all = 1;
  for (const std::int64_t one : counts)
    if (__builtin_mul_overflow(all, one, &all)) all = std::numeric_limits<std::int64_t>::max();
  return all;
}

}  // namespace pippin
