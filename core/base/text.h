// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pippin {

std::string_view trim(std::string_view text);
std::vector<std::string_view> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::string lower(std::string_view text);

/// The whole of `text` as a number; nothing where any character is left over, or it is no finite
/// number. Accepts what C++'s from_chars does, and a leading '+'. Independent of the locale.
std::optional<std::int64_t> parse_integer(std::string_view text);
std::optional<double> parse_number(std::string_view text);

/// The shortest decimal text that reads back as `number`: "4", "0.5", "1e-05".
std::string number_text(double number);

/// "1 job", "3 jobs".
std::string counted(std::int64_t count, std::string_view noun);

/// How many letters must be put in, taken out, changed or swapped with a neighbour to make b of a.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate that `word` was likely meant to be: at most a third of its letters differ
/// (insertions, deletions, changes and swaps of neighbours). Nothing where none is that near.
std::optional<std::string> closest(std::string_view word,
                                   const std::vector<std::string>& candidates);

/// ", did you mean 'X'?" or nothing: the tail of an "unknown …" message.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// `text` as a file name that needs no quoting anywhere: letters, digits, '.', '_', '-', '+', '='.
/// Never empty, at most 100 characters. Where characters had to go, eight hex digits of its hash
/// follow, so that unlike texts stay unlike.
std::string file_name_of(std::string_view text);

/// False for binary data: bytes that are no UTF-8, or a NUL.
bool is_text(std::string_view bytes);

/// `text` on one line for a message: control characters as \n, \t, \xNN, invalid UTF-8 as \xNN,
/// and what else would steer a terminal (directions, zero widths) as \uNNNN.
std::string printable(std::string_view text);
/// The same of the beginning of a text that a person reads in a message: at most so many bytes of
/// it.
std::string in_short(std::string_view text, std::size_t most = 300);
/// The same of a text of several lines, whose ends, tabs and colours (ANSI's SGR) stay.
std::string printable_lines(std::string_view text);

}  // namespace pippin
