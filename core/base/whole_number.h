// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
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

}  // namespace pippin
