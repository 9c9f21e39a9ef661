// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pippin {

/// Days from `first` to `last`, both of them, as "2026-11-19" (UTC).
struct Days {
  std::string first, last;
};

/// "2026-11-19", "today", "yesterday", "monday" (the last one, which may be today), "-7d", and two
/// of them with ".." between. Nothing where the text is none of these, or they run backwards.
std::optional<Days> days_named(std::string_view text, std::chrono::sys_days today);

/// "monday" to "sunday".
const std::vector<std::string>& weekdays();

/// "2026-11-16", or "2026-11-16..2026-11-19".
std::string text_of(const Days& days);

}  // namespace pippin
