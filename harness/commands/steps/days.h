#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace pippin {

/// Days from `first` to `last`, both of them, as "2026-11-19" (UTC).
struct Days {
  std::string first, last;
};

/// "2026-11-19", "today", "yesterday", "-7d", and two of them with ".." between. Nothing where the
/// text is none of these, or they run backwards.
std::optional<Days> days_named(std::string_view text, std::chrono::sys_days today);

}  // namespace pippin
