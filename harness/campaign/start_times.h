// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pippin {

/// When the allocations of a campaign may begin, so that the time of day can be told from the
/// configuration. The same whoever asks, and when.
class StartTimes {
 public:
  /// `spread`: "3d", "12h", "90m": evenly over so long; `at`: "00:00,06:00": at these times of day,
  /// this machine's, one after the other, day by day. Both empty: at once.
  /// `started`: of the campaign, UTC, ISO 8601.
  /// Errors: Error (bad input) for a text that is neither, or for both.
  StartTimes(const std::string& spread, const std::string& at, const std::string& started,
             std::int64_t allocations);

  /// Seconds since 1970, for an allocation from 1; nothing: at once.
  std::optional<std::int64_t> begin_of(std::int64_t allocation) const;

 private:
  std::int64_t started_ = 0;
  std::int64_t allocations_ = 1;
  std::int64_t spread_s_ = 0;
  std::vector<std::int64_t> minutes_;  ///< of the day, ascending
};

}  // namespace pippin
