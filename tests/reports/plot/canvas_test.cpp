// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/canvas.h"

#include <limits>
#include <random>

#include "reports/display_text.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr CanvasStyle kMarks{}, kDots{true, false, false}, kAscii{true, false, true};

std::string drawn(const Canvas& canvas, std::size_t rows, const CanvasStyle& style) {
  std::string text;
  for (std::size_t row = 0; row < rows; ++row) text += canvas.line(row, style) + "\n";
  return text;
}

}  // namespace

TEST_CASE("a canvas draws each point in the cell that its place says") {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> share(0, 1);
  for (int i = 0; i < 500; ++i) {
    constexpr std::size_t kColumns = 30, kRows = 7;
    const double x = share(random), y = share(random);
    Canvas canvas(kColumns, kRows);
    canvas.add_point(x, y, 0);
    const auto column = static_cast<std::size_t>(x * kColumns);
    const auto row = kRows - 1 - static_cast<std::size_t>(y * kRows);
    for (std::size_t line = 0; line < kRows; ++line) {
      const std::string text = canvas.line(line, kAscii);
      CHECK(text.find('a') == (line == row ? column : std::string::npos));
    }
  }
}

TEST_CASE("the edges belong to the last cells, and what is beyond them is not drawn") {
  Canvas canvas(3, 2);
  canvas.add_point(0, 0, 0);
  canvas.add_point(1, 1, 1);
  canvas.add_point(1.01, 0.5, 2);
  canvas.add_point(0.5, -0.01, 2);
  canvas.add_point(kNan, 0.5, 2);
  CHECK(drawn(canvas, 2, kAscii) == "  b\na  \n");
  CHECK(drawn(canvas, 2, kMarks) == "  ■\n●  \n");
}

TEST_CASE("dots stand in the eighth of a cell that their place says") {
  struct Case {
    double x, y;
    const char* cell;
  };
  for (const Case& one : {Case{0, 0.99, "⠁"},
                          {0.6, 0.99, "⠈"},
                          {0, 0, "⡀"},
                          {0.6, 0, "⢀"},
                          {0, 0.3, "⠄"},
                          {0.6, 0.6, "⠐"}}) {
    Canvas canvas(1, 1);
    canvas.add_point(one.x, one.y, 0);
    CHECK(canvas.line(0, kDots) == one.cell);
  }
}

TEST_CASE("a cell shows the pen with most points, the shared one behind the others") {
  Canvas canvas(1, 1);
  for (int i = 0; i < 9; ++i) canvas.add_point(0.5, 0.5, kOtherPen);
  CHECK(canvas.line(0, kAscii) == "+");
  canvas.add_point(0.5, 0.5, 3);
  CHECK(canvas.line(0, kAscii) == "d");
  canvas.add_point(0.5, 0.5, 5);
  canvas.add_point(0.5, 0.5, 5);
  CHECK(canvas.line(0, kAscii) == "f");
}

TEST_CASE("points stand before bars, these before lines, and lines before rules") {
  Canvas canvas(4, 1);
  for (double x : {0.1, 0.4, 0.6, 0.9}) canvas.add_rule(x);
  canvas.add_line(0.3, 0.5, 1, 0.5, 0, false);
  canvas.add_bar(0.6, 0, 1, 0);
  canvas.add_bar(0.9, 0, 1, 0);
  canvas.add_point(0.9, 0.5, 0);
  CHECK(canvas.line(0, kAscii) == ":-|a");
  CHECK(canvas.line(0, kMarks) == "┊⠒│●");
}

TEST_CASE("a bar is cut at the edges and drawn whole between its ends") {
  Canvas canvas(3, 4);
  canvas.add_bar(0.1, 0.3, 0.7, 0);
  canvas.add_bar(0.5, -5, 0.1, 0);
  canvas.add_bar(0.9, 0.9, 50, 0);
  canvas.add_bar(0.9, -2, -1, 0);
  canvas.add_bar(0.9, kNan, 0.2, 0);
  CHECK(drawn(canvas, 4, kAscii) == "  |\n|  \n|  \n | \n");
}

TEST_CASE("a bar that is no longer than its point's mark is not seen") {
  Canvas canvas(3, 4);
  canvas.add_point(0.5, 0.3, 0);
  canvas.add_bar(0.5, 0.29, 0.31, 0);
  CHECK_FALSE(canvas.shows_bars());
  canvas.add_bar(0.5, 0.2, 0.31, 0);
  CHECK(canvas.shows_bars());
}

TEST_CASE("a dashed line leaves gaps and stands behind a whole one") {
  Canvas canvas(12, 1);
  canvas.add_line(0, 0.5, 1, 0.5, 0, true);
  CHECK(canvas.line(0, kAscii) == ".. ... ... .");
  canvas.add_line(0, 0.5, 0.49, 0.5, 1, false);
  canvas.add_line(0, 0.5, 1, 0.5, 0, true);
  CHECK(canvas.line(0, kAscii) == "------ ... .");
  canvas.add_line(kNan, 0, 1, 1, 0, false);
  canvas.add_line(0, -1e300, 1, 1e300, 0, false);  // drawn as far as it is inside, and at once
}

TEST_CASE("colours change nothing but themselves") {
  Canvas canvas(9, 1);
  canvas.add_line(0, 0.5, 1, 0.5, 2, false);
  for (std::size_t pen = 0; pen <= kOtherPen; ++pen)
    canvas.add_point(static_cast<double>(pen) / 9 + 0.01, 0.5, pen);
  std::string text = canvas.line(0, {false, true, false});
  CHECK(text.find("\033[38;5;32m●\033[0m") == 0);
  for (std::size_t at; (at = text.find('\033')) != std::string::npos;)
    text.erase(at, text.find('m', at) + 1 - at);
  CHECK(text == canvas.line(0, kMarks));
  CHECK(display_width(text) == 9);
}

TEST_CASE("an empty canvas takes everything and shows nothing") {
  Canvas canvas(0, 3);
  canvas.add_point(0.5, 0.5, 0);
  canvas.add_line(0, 0, 1, 1, 0, false);
  canvas.add_bar(0.5, 0, 1, 0);
  canvas.add_rule(0.5);
  CHECK(drawn(canvas, 3, kMarks) == "\n\n\n");
}
