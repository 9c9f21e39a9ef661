// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/plot.h"

#include <algorithm>
#include <random>

#include "core/base/text.h"
#include "reports/display_text.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

/// Two series against four values, one of which ran out of memory.
Plot small_plot() {
  Plot plot;
  plot.x = {"MBS", -0.5, 3.5, false, {{0, "1"}, {1, "2"}, {2, "4"}, {3, "8"}}};
  plot.y = {"step time (s)", 0, 4};
  plot.series = {{"TP 1", {{0, 3.9}, {1, 2.9, 2, 3.9}, {2, 2}}}, {"TP 2", {{0, 1}, {3, 0.1}}}};
  plot.losses = {{3, RunState::kOom}};
  plot.lost = {{RunState::kOom, 1}};
  plot.bars_are = "95 % interval over days";
  plot.said = {"5 rows against MBS"};
  return plot;
}

PlotStyle narrow() {
  PlotStyle style;
  style.width = 40;
  style.height = 4;
  return style;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (const auto line : split(text, '\n')) lines.emplace_back(line);
  return lines;
}

}  // namespace

TEST_CASE("a small picture is as it stands here") {
  CHECK(plot_text(small_plot(), narrow()) == R"(step time (s)
4 ┤    ●        │
2 ┤             ●         ●
  │    ■
0 ┤                                ■
  │                                M
  └────┬────────┬─────────┬────────┬────
       1        2         4        8
                    MBS
● TP 1   ■ TP 2
M 1 oom
│ 95 % interval over days
5 rows against MBS
)");
}

TEST_CASE("the same picture in ASCII has no other character") {
  PlotStyle style = narrow();
  style.ascii = true;
  const std::string text = plot_text(small_plot(), style);
  CHECK(text == R"(step time (s)
4 +    a        |
2 +             a         a
  |    b
0 +                                b
  |                                M
  +----+--------+---------+--------+----
       1        2         4        8
                    MBS
a TP 1   b TP 2
M 1 oom
| 95 % interval over days
5 rows against MBS
)");
}

TEST_CASE("no line of a picture is wider than its terminal, whatever people called things") {
  std::mt19937 random(3);
  for (std::size_t width : {40, 41, 57, 80, 133, 200}) {
    for (const bool ascii : {false, true}) {
      Plot plot = small_plot();
      plot.y.title = std::string(300, 't');
      plot.x.title = "ein sehr langer Name einer Achse, 日本語日本語日本語日本語日本語日本語";
      plot.above = {{-0.4, std::string(90, 'c')}, {0, "日本語"}, {3.4, "last/12"}};
      plot.lines = {{{{0, 0}, {3, 4}}, true, 0}};
      plot.lines_are = "through the best of each number of GPUs, and many words more";
      plot.said = {std::string(500, 's') + " words " + std::string(300, 'w'), "日本語日本語"};
      plot.bars_are = plot.said[0];
      for (int i = 0; i < 40; ++i)
        plot.series.push_back({std::string(random() % 90, 'n') + "日本語", {{1, 1}}});
      for (auto& tick : plot.x.ticks) tick.text = std::string(random() % 60 + 1, 'x');
      const std::string text = plot_text(plot, {width, 9, false, ascii});
      for (const auto& line : lines_of(text)) {
        INFO(line);
        CHECK(display_width(line) <= width);
        if (ascii)
          CHECK(std::all_of(line.begin(), line.end(), [](char c) { return (c & 0x80) == 0; }));
      }
      CHECK_THAT(text, Catch::Contains("and 34 more"));
    }
  }
}

TEST_CASE("what people wrote cannot steer the terminal") {
  Plot plot = small_plot();
  const std::string evil = "evil\x1b[31m\nname\u202e";
  plot.x.title = plot.y.title = plot.series[0].name = plot.x.ticks[0].text = evil;
  plot.said = {evil};
  plot.above = {{0, evil}};
  const std::string text = plot_text(plot, narrow());
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("\u202e") == std::string::npos);
  CHECK(text.find("\nname") == std::string::npos);
}

TEST_CASE("colours change nothing but themselves, and marks tell series apart without them") {
  PlotStyle style = narrow();
  const std::string plain = plot_text(small_plot(), style);
  style.colours = true;
  std::string text = plot_text(small_plot(), style);
  CHECK_THAT(text, Catch::Contains("\033[38;5;32m●\033[0m TP 1"));
  for (std::size_t at; (at = text.find('\033')) != std::string::npos;)
    text.erase(at, text.find('m', at) + 1 - at);
  CHECK(text == plain);
  CHECK_THAT(plain, Catch::Contains("●") && Catch::Contains("■"));
}

TEST_CASE("where points are too many for marks they are dots, if something tells series apart") {
  Plot plot;
  plot.x = {"x", 0, 1};
  plot.y = {"y", 0, 1};
  plot.series = {{"a", {}}, {"b", {}}};
  std::mt19937 random(4);
  std::uniform_real_distribution<double> share(0, 1);
  for (int i = 0; i < 400; ++i)
    plot.series[i % 2 == 0 ? 0 : 1].points.push_back({share(random), share(random)});
  const auto has_dots = [&](bool colours, bool ascii) {
    return plot_text(plot, {40, 8, colours, ascii}).find("\xE2\xA0") != std::string::npos ||
           plot_text(plot, {40, 8, colours, ascii}).find("\xE2\xA3") != std::string::npos;
  };
  CHECK(has_dots(true, false));
  CHECK_FALSE(has_dots(false, false));
  CHECK_FALSE(has_dots(true, true));
  plot.series.pop_back();
  CHECK(has_dots(false, false));
}

TEST_CASE("labels of an axis that would touch are left out evenly") {
  Plot plot = small_plot();
  plot.x = {"n", 0, 100};
  for (int i = 0; i <= 100; ++i) plot.x.ticks.push_back({double(i), std::to_string(1000 + i)});
  const auto lines = lines_of(plot_text(plot, narrow()));
  CHECK(lines[7] == "  1000  1017  1034  1051   1068  1085");
}

TEST_CASE("figures that no machine has leave room for the picture") {
  Plot plot = small_plot();
  for (const auto& [low, high] : std::vector<std::pair<double, double>>{
           {1e-200, 2e-200}, {1e200, 2e200}, {1, 1 + 1e-14}, {-1e300, 1e300}}) {
    for (const bool is_log : {false, true}) {
      plot.y = {"y", low, high, is_log && low > 0};
      for (const auto& line : lines_of(plot_text(plot, narrow()))) CHECK(display_width(line) <= 40);
    }
  }
}

TEST_CASE("losses at the same place show the state that most of them have") {
  Plot plot = small_plot();
  plot.losses = {{3, RunState::kOom}, {3, RunState::kFailed}, {3, RunState::kFailed}};
  CHECK_THAT(lines_of(plot_text(plot, narrow()))[5],
             Catch::EndsWith("│                                ×"));
}
