// SPDX-License-Identifier: Apache-2.0
#include "core/base/clock.h"

#include <array>
#include <ctime>

namespace pippin {

namespace {

using TakeApart = std::tm* (*)(const std::time_t*, std::tm*);

std::string text_of(std::int64_t seconds, const char* form, TakeApart take_apart) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  std::array<char, 128> text{};
  if (!is_time(seconds) || !take_apart(&time, &parts)) return "@" + std::to_string(seconds);
  return {text.data(), std::strftime(text.data(), text.size(), form, &parts)};
}

}  // namespace

bool is_time(std::int64_t seconds) {
  constexpr std::int64_t kYear10000 = 253'402'300'800;
  return seconds >= 0 && seconds < kYear10000;
}

std::string utc_text(std::int64_t seconds, const char* form) {
  return text_of(seconds, form, ::gmtime_r);
}

std::string utc_text(std::int64_t seconds) { return utc_text(seconds, "%FT%TZ"); }

std::string local_text(std::int64_t seconds, const char* form) {
  return text_of(seconds, form, ::localtime_r);
}

}  // namespace pippin
