// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/plot/pens.h"

namespace pippin {

/// How cells become text.
struct CanvasStyle {
  bool dots = false;  ///< points as dots, eight a cell, instead of marks; not in ASCII
  bool colours = false;
  bool ascii = false;
};

/// What is drawn, as cells of 2 by 4 dots.
/// Shape: places are shares of the whole: (0, 0) is at the left below, (1, 1) at the right above.
/// A point is drawn in the cell that its place says, at an edge in the last one; what is beyond
/// the edges, or no finite number, is not drawn. However many points there are, only cells are
/// kept.
class Canvas {
 public:
  Canvas(std::size_t columns, std::size_t rows);

  void add_point(double x, double y, std::size_t pen);
  void add_line(double x1, double y1, double x2, double y2, std::size_t pen, bool dashed);
  /// From `low` to `high`, both cut at the edges.
  void add_bar(double x, double low, double high, std::size_t pen);
  /// From the foot to the top, behind all else.
  void add_rule(double x);

  /// Whether a bar can be seen: most are no longer than the mark of their point.
  bool shows_bars() const;

  /// A line of cells, the uppermost first. Points stand before bars, and these before lines; of
  /// several pens in a cell the one with most points shows, the shared one behind the others.
  std::string line(std::size_t row, const CanvasStyle& style) const;

 private:
  struct Cell {
    std::array<std::uint32_t, kPens + 1> points{};  // by pen
    std::uint8_t dots = 0, line_dots = 0;           // as braille has them
    std::uint8_t line_pen = kOtherPen, bar_pen = kOtherPen;
    bool has_points = false, dashed = false, bar = false, rule = false;
  };
  struct Place {
    std::size_t x, y;  // in dots, from the left and from above
  };
  struct Sign {
    std::string text;
    std::optional<std::size_t> pen;  // of a blank none
  };

  static std::size_t pen_in(const Cell& cell);
  static Sign sign_of(const Cell& cell, const CanvasStyle& style);
  Place place_of(double x, double y) const;
  Cell& cell_at(const Place& place);
  void add_line_dot(const Place& place, std::size_t pen, bool dashed);

  std::size_t columns_, rows_;
  std::vector<Cell> cells_;  // row by row
};

}  // namespace pippin
