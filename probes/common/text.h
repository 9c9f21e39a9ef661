// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pippin::probes {

/// printf into a string.
std::string text(const char* format, ...) __attribute__((format(printf, 1, 2)));

/// The whole of `word` as a number; nothing where any character is left over, or it is not finite.
std::optional<std::int64_t> parse_integer(std::string_view word);
std::optional<double> parse_number(std::string_view word);

/// `word` on one line: control characters as \xNN.
std::string printable(std::string_view word);

/// Now and here, by strftime's format.
std::string local_time(const char* format);

/// A number as Python's str() writes a float: "4.0", "0.00015", "1e-05".
std::string python_number(double number);

/// The candidate that `word` was likely meant to be: at most a third of its letters differ
/// (insertions, deletions, changes and swaps of neighbours). Nothing where none is that near.
std::optional<std::string> closest(std::string_view word,
                                   const std::vector<std::string>& candidates);

}  // namespace pippin::probes
