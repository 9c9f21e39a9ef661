// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/tflops_cells.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/base/text.h"
#include "reports/notes/quantities.h"

namespace pippin {

namespace {

constexpr std::size_t kMostDecimals = 12;  // what a double of this size can hold

/// "46.7" of "46,7", where that comma separates no thousands.
std::optional<std::string> with_point(std::string_view digits) {
  const auto comma = digits.find(',');
  if (comma == std::string_view::npos || digits.find_first_of(",.", comma + 1) != digits.npos)
    return std::nullopt;
  std::string result(digits);
  result[comma] = '.';
  return result;
}

std::optional<NumberStyle> style_of(std::string_view digits, bool comma, double value) {
  const bool scientific = digits.find_first_of("eE") != std::string_view::npos;
  const auto point = digits.find(comma ? ',' : '.');
  if (scientific || (point == std::string_view::npos && value == 0)) return std::nullopt;
  const std::size_t decimals = point == std::string_view::npos ? 0 : digits.size() - point - 1;
  return NumberStyle{std::min(decimals, kMostDecimals), comma};
}

double half_of_last(std::size_t decimals) {
  constexpr double kHalf = 0.5, kTen = 10;
  return kHalf * std::pow(kTen, -static_cast<double>(decimals));
}

bool agree(double a, double b, std::size_t decimals) {
  constexpr double kSlack = 1e-9;  // of arithmetic: a half may come out on either side
  return std::abs(a - b) <= half_of_last(decimals) + kSlack * std::max(1.0, std::abs(b));
}

/// The style seen most often, but for the cell itself, whose style was counted too.
std::optional<NumberStyle> most_frequent(Styles styles, const std::optional<NumberStyle>& own) {
  if (own && styles.count(*own) > 0) --styles[*own];
  const auto most =
      std::max_element(styles.begin(), styles.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == styles.end() || most->second == 0 ? std::nullopt : std::optional(most->first);
}

/// Of those with decimals how many have a comma, and how many a point.
std::pair<std::size_t, std::size_t> commas_and_points(const Styles& styles) {
  std::size_t commas = 0, points = 0;
  for (const auto& [style, count] : styles)
    if (style.decimals > 0) (style.comma ? commas : points) += count;
  return {commas, points};
}

/// Whether a table writes "46,7": most of its right numbers with decimals do, and two or more, or
/// most of the document's right ones, or of all where none is right. So what was written decides
/// the same again.
bool writes_commas(const Surroundings& around) {
  const auto [here_commas, here_points] = commas_and_points(around.right);
  if (here_commas > std::max<std::size_t>(here_points, 1)) return true;
  const auto [right_commas, right_points] = commas_and_points(around.document_right);
  if (right_commas + right_points > 0) return right_commas > right_points;
  const auto [commas, points] = commas_and_points(around.document_any);
  return commas > points;
}

/// Whether a stated number may well be an old one of the same row.
bool is_near(double stated, double tflops) {
  constexpr double kShare = 0.25;
  return std::abs(stated - tflops) <= kShare * tflops;
}

NumberStyle style_around(const StatedTflops& stated, double tflops, const Surroundings& around) {
  const auto counted = stated.is_right(tflops) ? stated.style : std::nullopt;
  if (const auto style = most_frequent(around.right, counted)) return *style;
  if (const auto style = most_frequent(around.any, stated.style)) return *style;
  const auto elsewhere = most_frequent(around.document_right, counted);
  const bool is_own_known = stated.style && stated.style->decimals > 0;
  if (is_own_known && is_near(stated.value, tflops)) return *stated.style;
  return elsewhere.value_or(stated.style.value_or(NumberStyle{1, false}));
}

}  // namespace

bool StatedTflops::is_right(double tflops) const {
  return style ? agree(value, tflops, style->decimals) : value == 0 && agree(0, tflops, 0);
}

std::optional<StatedTflops> stated_tflops(std::string_view cell) {
  const std::string_view digits = plain_text(cell);
  auto value = number_in(digits);
  const auto pointed = value ? std::nullopt : with_point(digits);
  if (pointed) value = parse_number(*pointed);
  if (!value) return std::nullopt;
  return StatedTflops{digits, *value, style_of(digits, pointed.has_value(), *value)};
}

std::string number_text(double number, NumberStyle style) {
  std::string text = fmt::format("{:.{}f}", number, style.decimals);
  if (style.comma) std::replace(text.begin(), text.end(), '.', ',');
  return text;
}

NumberStyle style_for(const StatedTflops& stated, double tflops, const Surroundings& around) {
  NumberStyle style = style_around(stated, tflops, around);
  style.comma = writes_commas(around);
  const bool finer = stated.style && stated.style->decimals > style.decimals;
  if (finer && agree(stated.value, tflops, style.decimals)) {
    style.decimals = stated.style->decimals;
  }
  constexpr std::size_t kThousands = 3;  // "1,463" would be read as 1463
  if (style.comma && style.decimals == kThousands) --style.decimals;
  return style;
}

}  // namespace pippin
