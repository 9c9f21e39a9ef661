// SPDX-License-Identifier: Apache-2.0
#include "reports/strip.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace pippin {

namespace {

constexpr int kHalf = 7;  // columns on either side of the mean
constexpr int kWidth = 2 * kHalf + 1;
constexpr double kPercent = 100;

double deviation(double value, const Summary& row) { return value / row.step_time_s->mean - 1; }

/// What must be seen: units and the middle half of the lines. Single lines may lie beyond.
double widest(const Summary& row) {
  double most = 0;
  for (double mean : row.unit_means_s) most = std::max(most, std::abs(deviation(mean, row)));
  if (!row.lines_s) return most;
  for (double value : {row.lines_s->p25, row.lines_s->p75})
    most = std::max(most, std::abs(deviation(value, row)));
  return most;
}

/// A column of the strip; beyond the ends where it lies there.
int column_of(double value, const Summary& row, double scale) {
  const double column = std::round(deviation(value, row) / scale * kHalf) + kHalf;
  if (std::isnan(column)) return kHalf;
  return static_cast<int>(std::clamp(column, -1.0, static_cast<double>(kWidth)));
}

using Cells = std::array<const char*, kWidth>;

void fill(Cells& cells, int from, int to, const char* with) {
  for (int i = std::max(from, 0); i <= std::min(to, kWidth - 1); ++i)
    cells[static_cast<std::size_t>(i)] = with;
}

}  // namespace

double strip_scale(const RowRange& rows) {
  constexpr double kLeast = 0.01;
  double most = kLeast;
  for (const auto& row : rows) {
    if (row.step_time_s) most = std::max(most, widest(row));
  }
  const double power = std::pow(10.0, std::floor(std::log10(most)));
  for (double step : {1.0, 2.0, 5.0}) {
    constexpr double kRounding = 1 + 1e-9;  // 0.01 is not exactly a power of ten
    if (most <= step * power * kRounding) return step * power;
  }
  return 10 * power;
}

std::string strip_title(double scale) { return fmt::format("times ±{:.0f} %", scale * kPercent); }

std::string strip(const Summary& row, double scale) {
  if (!row.step_time_s) return "";
  Cells cells;
  cells.fill(" ");
  if (row.lines_s && row.iterations > 1) {
    const int from = column_of(row.lines_s->min, row, scale);
    const int to = column_of(row.lines_s->max, row, scale);
    fill(cells, from, to, "·");
    fill(cells, column_of(row.lines_s->p25, row, scale), column_of(row.lines_s->p75, row, scale),
         "─");
    if (from < 0) cells.front() = "‹";
    if (to >= kWidth) cells.back() = "›";
  }
  std::array<int, kWidth> units{};
  for (double mean : row.unit_means_s) {
    const int column = std::clamp(column_of(mean, row, scale), 0, kWidth - 1);
    const int count = ++units[static_cast<std::size_t>(column)];
    cells[static_cast<std::size_t>(column)] = count > 1 ? "●" : "•";
  }
  std::string text;
  for (const char* cell : cells) text += cell;
  return text;
}

}  // namespace pippin
