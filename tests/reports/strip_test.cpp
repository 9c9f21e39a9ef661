// SPDX-License-Identifier: Apache-2.0
#include "reports/strip.h"

#include "reports/display_text.h"
#include "tests/reports/samples.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

/// A row of mean 1 s.
Summary row_of(std::vector<double> unit_means, std::optional<Quantiles> lines = {}) {
  Summary row = test::row_52b("a", 1);
  row.unit_means_s = std::move(unit_means);
  row.lines_s = lines;
  row.iterations = 100;
  return row;
}

}  // namespace

TEST_CASE("a strip is centred on the mean and 15 columns wide") {
  struct Case {
    Summary row;
    double scale;
    std::string strip;
  };
  const std::vector<Case> cases{
      {row_of({1}), 0.01, "       •       "},
      {row_of({1, 1, 1}), 0.01, "       ●       "},
      {row_of({0.93, 1.07}), 0.07, "•             •"},
      {row_of({0.99, 0.99, 1.02}), 0.07, "      ●  •     "},
      {row_of({1}, Quantiles{0.95, 0.98, 1.02, 1.05}), 0.07, "  ···──•──···  "},
      {row_of({1}, Quantiles{1, 1, 1, 1}), 0.01, "       •       "},
      {row_of({1}, Quantiles{0.9, 1, 1, 1.5}), 0.07, "‹······•······›"},
      {row_of({1}, Quantiles{0.1, 0.5, 1.5, 9}), 0.07, "‹──────•──────›"},
      {row_of({0.5, 1.5}), 0.07, "•             •"},
      // 0.93 is the end itself and no line lies beyond.
      {row_of({1}, Quantiles{0.93, 1, 1, 1.07}), 0.07, "·······•·······"}};
  for (const auto& c : cases) {
    CHECK(strip(c.row, c.scale) == c.strip);
    CHECK(display_width(strip(c.row, c.scale)) == 15);
  }
}

TEST_CASE("a strip of times that are all 0 has them in the middle") {
  Summary row = row_of({0}, Quantiles{0, 0, 0, 0});
  row.step_time_s->mean = 0;
  CHECK(strip(row, 0.01) == "       •       ");
}

TEST_CASE("a single line draws nothing but its mean") {
  Summary row = row_of({1}, Quantiles{1, 1, 1, 1});
  row.iterations = 1;
  CHECK(strip(row, 0.01) == "       •       ");
}

TEST_CASE("without a time there is no strip") {
  Summary row = row_of({});
  row.step_time_s.reset();
  CHECK(strip(row, 0.01).empty());
}

TEST_CASE("the scale is common to all rows and 1, 2 or 5 times a power of ten") {
  const std::vector<std::pair<double, double>> cases{
      {0, 0.01},    {0.003, 0.01}, {0.01, 0.01}, {0.011, 0.02}, {0.02, 0.02}, {0.021, 0.05},
      {0.05, 0.05}, {0.051, 0.1},  {0.1, 0.1},   {0.11, 0.2},   {0.5, 0.5},   {0.51, 1},
      {1, 1},       {1.5, 2},      {4.9, 5},     {5.1, 10},     {11, 20}};
  for (const auto& [deviation, scale] : cases) {
    CAPTURE(deviation);
    CHECK(strip_scale(std::vector<Summary>{row_of({1}), row_of({1 + deviation}), Summary{}}) ==
          Approx(scale));
  }
  CHECK(strip_scale(std::vector<Summary>{}) == Approx(0.01));
  CHECK(strip_scale(std::vector<Summary>{row_of({0.92})}) == Approx(0.1));
  // The middle half of the lines counts, single ones do not.
  CHECK(strip_scale(std::vector<Summary>{row_of({1}, Quantiles{0.5, 0.99, 1.03, 9})}) ==
        Approx(0.05));
}

TEST_CASE("the title of a strip says what its ends are") {
  CHECK(strip_title(0.01) == "times ±1 %");
  CHECK(strip_title(0.5) == "times ±50 %");
  CHECK(strip_title(10) == "times ±1000 %");
  CHECK(strip_title(20) == "times ±2000 %");
}
