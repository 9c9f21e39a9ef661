// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/sparkline.h"

#include <limits>

#include "reports/display_text.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMost = std::numeric_limits<double>::max();

}  // namespace

TEST_CASE("a sparkline has a block for each value, the lowest and highest at its ends") {
  struct Case {
    std::vector<double> values;
    const char *blocks, *signs;
  };
  const std::vector<Case> cases{{{0, 1, 2, 3, 4, 5, 6, 7}, "▁▂▃▄▅▆▇█", ".:-=+*#@"},
                                {{3, 1, 2}, "█▁▅", "@.+"},
                                {{-1, -2}, "█▁", "@."},
                                {{5, 5, 5}, "▄▄▄", "==="},
                                {{5}, "▄", "="},
                                {{1, kNan, 2, kInfinity}, "▁ █ ", ". @ "},
                                {{kNan, kInfinity}, "  ", "  "},
                                {{-kMost, 0, kMost}, "▁▅█", ".+@"},
                                {{0, std::numeric_limits<double>::denorm_min()}, "▄▄", "=="},
                                {{}, "", ""}};
  for (const auto& one : cases) {
    CHECK(sparkline(one.values, 20, false) == one.blocks);
    CHECK(sparkline(one.values, 20, true) == one.signs);
  }
}

TEST_CASE("of more values than columns a sparkline shows medians, so that one outlier is no peak") {
  CHECK(sparkline({1, 1, 900, 2, 2, 2}, 2, false) == "▁█");
  CHECK(sparkline({1, kNan, kNan, 1, kNan, 3}, 3, false) == "▁▁█");
  CHECK(sparkline({1, 2, 3}, 0, false).empty());
  std::vector<double> rising;
  for (int i = 0; i < 100'000; ++i) rising.push_back(i);
  CHECK(sparkline(rising, 8, false) == "▁▂▃▄▅▆▇█");
  for (std::size_t width : {1, 7, 60, 99'999})
    CHECK(display_width(sparkline(rising, width, false)) == width);
}
