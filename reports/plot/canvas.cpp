// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/canvas.h"

#include <algorithm>
#include <cmath>

namespace pippin {

namespace {

constexpr std::size_t kDotsAcross = 2, kDotsDown = 4;  // of a cell

/// The bit of a dot in Unicode's braille patterns. Source: The Unicode Standard, U+2800 to U+28FF.
std::uint8_t braille_bit(std::size_t x, std::size_t y) {
  constexpr std::array<std::array<std::uint8_t, kDotsAcross>, kDotsDown> kBits{
      {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
  return kBits.at(y % kDotsDown).at(x % kDotsAcross);
}

/// U+2800 and its dots, in UTF-8.
std::string braille(std::uint8_t dots) {
  return {'\xE2', static_cast<char>(0xA0 | (dots >> 6)), static_cast<char>(0x80 | (dots & 0x3F))};
}

bool is_inside(double share) { return share >= 0 && share <= 1; }

}  // namespace

Canvas::Canvas(std::size_t columns, std::size_t rows)
    : columns_(columns), rows_(rows), cells_(columns * rows) {}

Canvas::Place Canvas::place_of(double x, double y) const {
  const auto at = [](double share, std::size_t dots) {
    return std::min(static_cast<std::size_t>(share * static_cast<double>(dots)), dots - 1);
  };
  const std::size_t height = rows_ * kDotsDown;
  return {at(x, columns_ * kDotsAcross), height - 1 - at(y, height)};
}

Canvas::Cell& Canvas::cell_at(const Place& place) {
  return cells_[place.y / kDotsDown * columns_ + place.x / kDotsAcross];
}

void Canvas::add_point(double x, double y, std::size_t pen) {
  if (cells_.empty() || !is_inside(x) || !is_inside(y)) return;
  const Place place = place_of(x, y);
  Cell& cell = cell_at(place);
  cell.has_points = true;
  ++cell.points.at(pen);
  cell.dots |= braille_bit(place.x, place.y);
}

void Canvas::add_line_dot(const Place& place, std::size_t pen, bool dashed) {
  Cell& cell = cell_at(place);
  if (cell.line_dots != 0 && dashed && !cell.dashed) return;  // a whole line stands before it
  cell.line_dots |= braille_bit(place.x, place.y);
  cell.line_pen = static_cast<std::uint8_t>(pen);
  cell.dashed = dashed;
}

void Canvas::add_line(double x1, double y1, double x2, double y2, std::size_t pen, bool dashed) {
  constexpr std::size_t kDash = 4;
  if (cells_.empty() || !std::isfinite(x1 + y1 + x2 + y2)) return;
  const double across = (x2 - x1) * static_cast<double>(columns_ * kDotsAcross),
               up = (y2 - y1) * static_cast<double>(rows_ * kDotsDown);
  constexpr double kMostSteps = 1e5;  // of a line that ends far outside
  const auto steps =
      static_cast<std::size_t>(std::min(std::max(std::abs(across), std::abs(up)), kMostSteps)) + 1;
  for (std::size_t i = 0; i <= steps; ++i) {
    if (dashed && i / kDash % 2 == 1) continue;
    const double share = static_cast<double>(i) / static_cast<double>(steps);
    const double x = x1 + (x2 - x1) * share, y = y1 + (y2 - y1) * share;
    if (is_inside(x) && is_inside(y)) add_line_dot(place_of(x, y), pen, dashed);
  }
}

void Canvas::add_bar(double x, double low, double high, std::size_t pen) {
  if (cells_.empty() || !is_inside(x) || !(low <= high) || high < 0 || low > 1) return;
  const std::size_t from = place_of(x, std::min(high, 1.0)).y / kDotsDown;
  const std::size_t to = place_of(x, std::max(low, 0.0)).y / kDotsDown;
  for (std::size_t row = from; row <= to; ++row) {
    Cell& cell = cells_[row * columns_ + place_of(x, 0).x / kDotsAcross];
    cell.bar = true;
    cell.bar_pen = static_cast<std::uint8_t>(pen);
  }
}

void Canvas::add_rule(double x) {
  if (cells_.empty() || !is_inside(x)) return;
  for (std::size_t row = 0; row < rows_; ++row)
    cells_[row * columns_ + place_of(x, 0).x / kDotsAcross].rule = true;
}

bool Canvas::shows_bars() const {
  return std::any_of(cells_.begin(), cells_.end(),
                     [](const Cell& cell) { return cell.bar && !cell.has_points; });
}

std::size_t Canvas::pen_in(const Cell& cell) {
  const auto most = std::max_element(cell.points.begin(), cell.points.begin() + kPens);
  return *most > 0 ? static_cast<std::size_t>(most - cell.points.begin()) : kOtherPen;
}

Canvas::Sign Canvas::sign_of(const Cell& cell, const CanvasStyle& style) {
  if (cell.has_points) {
    const std::size_t pen = pen_in(cell);
    const bool dots = style.dots && !style.ascii;
    return {dots ? braille(cell.dots) : mark_of(pen, style.ascii), pen};
  }
  if (cell.bar) return {style.ascii ? "|" : "│", cell.bar_pen};
  if (cell.line_dots != 0) {
    const char* sign = cell.dashed ? "." : "-";
    return {style.ascii ? sign : braille(cell.line_dots), cell.line_pen};
  }
  if (cell.rule) return {mark_of(kRulePen, style.ascii), kRulePen};
  return {" ", std::nullopt};
}

std::string Canvas::line(std::size_t row, const CanvasStyle& style) const {
  std::string line, of_pen;  // neighbours of one colour are coloured together
  std::optional<std::size_t> pen;
  const auto flush = [&] {
    line += pen ? coloured(of_pen, *pen, style.colours) : of_pen;
    of_pen.clear();
  };
  for (std::size_t column = 0; column < columns_; ++column) {
    const Sign sign = sign_of(cells_[row * columns_ + column], style);
    if (sign.pen != pen) flush();
    pen = sign.pen;
    of_pen += sign.text;
  }
  flush();
  return line;
}

}  // namespace pippin
