// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/records/point.h"

namespace pippin {

/// A number as a log has it.
struct Figure {
  double value = 0;
  double quantum = 0;    ///< the step in which it is written: 0.1 of "12.5", 100 of "11.5K"
  std::size_t size = 0;  ///< in characters
};

/// The number at the front of a text: "-1.5", "10,050", "1.252e+03", and with suffixes "11.5K",
/// "85.8G" (K, M, G or B, T: powers of 1000). Nothing where none stands there, or it goes on as a
/// word ("3D"); "nan" and "inf" are none.
enum class Suffixes { kNone, kThousands };
std::optional<Figure> figure_at(std::string_view text, Suffixes suffixes = Suffixes::kNone);

/// The number that is the whole of a text.
std::optional<Figure> whole_figure(std::string_view text);

/// Where `key` stands as a word of its own: in front of it is nothing that belongs to a longer name
/// (of "step:" not in "timing_s/step:"). npos: nowhere.
std::size_t find_key(std::string_view text, std::string_view key, std::size_t from = 0);

/// What follows `key`, and blanks; nothing where it does not stand there.
std::optional<std::string_view> text_after(std::string_view text, std::string_view key);
std::optional<Figure> figure_after(std::string_view text, std::string_view key,
                                   Suffixes suffixes = Suffixes::kNone);
/// A whole number below 2^53; nothing where it has a fraction.
Count count_after(std::string_view text, std::string_view key);
Count count_of(const std::optional<Figure>& figure);

/// "0:15:19.02", "1-02:03:04" or "05:12" as seconds.
std::optional<double> duration_at(std::string_view text);

/// The power of two next to a number that was multiplied out of rounded ones, where it is within
/// 1 %; else the number.
double near_power_of_two(double number);

/// The whole number that a product of rounded figures stands for, which is off by `unsure` at most:
/// the only one as near as that, or of several the power of two. Nothing where that is none.
std::optional<double> whole_within(double number, double unsure);

}  // namespace pippin
