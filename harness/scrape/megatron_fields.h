// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/scrape/characters.h"
#include "harness/scrape/megatron_lines.h"

namespace pippin {

/// What a line of timers begins with.
inline constexpr std::string_view kTimerWords = "time (ms) |";

/// "name: value", "name=value" or, of what is known, "name value" with the first word of the value.
struct MegatronField {
  std::string_view name, value;
};

/// The field that a text is; without a name where it is none.
MegatronField field_in(std::string_view text);

/// Takes a whole number, and blanks before it, off the front of a text; nothing where none stands
/// there.
Count take_number(std::string_view& text);

/// Calls `take` with each field between bars. What is glued to the last bar is none: another rank
/// wrote it.
template <typename Take>
void each_field(std::string_view text, Take take) {
  const auto last = text.rfind('|');
  const bool is_glued =
      last != std::string_view::npos && last + 1 < text.size() && is_word(text[last + 1]);
  if (is_glued) text = text.substr(0, last + 1);
  for (;;) {
    const auto bar = text.find('|');
    take(field_in(text.substr(0, bar)));
    if (bar == std::string_view::npos) return;
    text.remove_prefix(bar + 1);
  }
}

/// Fields of an iteration line that have a place of their own in its record are numbered from 0;
/// this is the number of all others.
inline constexpr std::size_t kKnownFields = 13;
std::size_t known_field(std::string_view name);
/// `last_digit`: the power of ten that the number's last digit stands for.
void put_known_field(IterationRecord& record, std::size_t field, double number, int last_digit);

/// Adds to IterationRecord::said.
inline void add_said(std::uint64_t& said, std::uint64_t more) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  said = std::rotl((said ^ more) * kOdd, 29);
}

/// "iteration N/ M |" or "iteration= N/ M |".
struct IterationStart {
  std::size_t begin, fields;  ///< of the word "iteration" and of what follows "N/ M"
  std::int64_t number, last;
  std::string_view digits[2];  ///< as which those two are written
};

/// The next one at or after `from`.
std::optional<IterationStart> next_start(std::string_view line, std::size_t from);

}  // namespace pippin
