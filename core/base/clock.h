// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace pippin {

/// Whether seconds since 1970 are of a time that can be told: of the years 1970 to 9999.
bool is_time(std::int64_t seconds);

/// A time in UTC in the form of strftime(3): utc_text(0, "%F") is "1970-01-01".
/// Of what is no time "@" and the seconds.
std::string utc_text(std::int64_t seconds, const char* form);
/// "2026-11-20T15:04:05Z"
std::string utc_text(std::int64_t seconds);
/// Empty where it is unknown.
inline std::string utc_text(const std::optional<std::int64_t>& seconds) {
  return seconds ? utc_text(*seconds) : "";
}
/// The same by this machine's clock.
std::string local_text(std::int64_t seconds, const char* form);

}  // namespace pippin
