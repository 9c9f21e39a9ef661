// SPDX-License-Identifier: Apache-2.0
#include "reports/values.h"

#include <cmath>

#include "tests/support/catch.h"

using namespace pippin;

TEST_CASE("a half width has two significant digits and its mean as many decimals") {
  struct Case {
    double mean;
    std::optional<double> half_width;
    std::string mean_text, half_text;
  };
  const std::vector<Case> cases{
      {1.42734, 0.01204, "1.427", "0.012"},
      {1.42734, {}, "1.43", ""},
      {130.344, {}, "130", ""},
      {130.344, 25.2, "130", "25"},
      {130.344, 0.5, "130.34", "0.50"},
      {1304.4, 253, "1300", "250"},
      {1.4, 2.71, "1.40", "2.71"},
      {0.001234, {}, "0.00123", ""},
      {0.001234, 1.2e-05, "0.001234", "0.000012"},
      {9.996, {}, "10.0", ""},
      {1.5, 0.0996, "1.50", "0.10"},
      {2.5, 0.0, "2.50", "0"},
      {31415.9, {}, "31416", ""},
  };
  for (const auto& c : cases) {
    const MeanText text = mean_text(c.mean, c.half_width);
    CHECK(text.mean == c.mean_text);
    CHECK(text.half_width == c.half_text);
  }
}

TEST_CASE("numbers for readers have three digits and numbers for programs nine") {
  CHECK(short_number(INFINITY) == "inf");
  CHECK(short_number(53.8291) == "53.8");
  CHECK(short_number(0.00012345) == "0.000123");
  CHECK(short_number(0) == "0");
  CHECK(exact_number(1.4268500000000002) == "1.42685");
  CHECK(exact_number(52) == "52");
  CHECK(exact_number(1.0 / 3) == "0.333333333");
}

TEST_CASE("sizes and durations read as people say them") {
  CHECK(size_text(52e9) == "52B");
  CHECK(size_text(7.53e9) == "7.53B");
  CHECK(size_text(33800) == "33.8K");
  CHECK(size_text(999.6e6) == "1B");
  CHECK(size_text(999.4e6) == "999M");
  CHECK(size_text(999'600) == "1M");
  CHECK(size_text(1.04e12) == "1040B");
  CHECK(size_text(124e6) == "124M");
  CHECK(duration_text(45) == "45 s");
  CHECK(duration_text(720) == "12 min");
  CHECK(duration_text(7199) == "120 min");
  CHECK(duration_text(12000) == "3 h 20 min");
}
