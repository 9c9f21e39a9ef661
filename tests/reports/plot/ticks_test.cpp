// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/ticks.h"

#include <random>

#include "core/base/text.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

std::string texts_of(const std::vector<PlotTick>& ticks) {
  std::vector<std::string> texts;
  for (const auto& tick : ticks) texts.push_back(tick.text);
  return join(texts, " ");
}

}  // namespace

TEST_CASE("ticks are round numbers, at most as many as have room") {
  CHECK(texts_of(linear_ticks(0, 1, 5)) == "0.0 0.2 0.4 0.6 0.8 1.0");
  CHECK(texts_of(linear_ticks(0.9, 10.1, 5)) == "2 4 6 8 10");
  CHECK(texts_of(linear_ticks(-1, 1, 4)) == "-1.0 -0.5 0.0 0.5 1.0");
  CHECK(texts_of(linear_ticks(123456, 234567, 3)) == "150000 200000");
  CHECK(texts_of(linear_ticks(1.0001, 1.0004, 4)) == "1.0001 1.0002 1.0003 1.0004");
}

TEST_CASE("ticks of a logarithmic axis are round in each power of ten") {
  CHECK(texts_of(log_ticks(1, 100, 7)) == "1 2 5 10 20 50 100");
  CHECK(texts_of(log_ticks(1, 100, 5)) == "1 3 10 30 100");
  CHECK(texts_of(log_ticks(0.9, 9, 20)) == "0.9 1 1.5 2 3 4 5 6 7 8 9");
  CHECK(texts_of(log_ticks(1, 1e12, 6)) == "1 1000 1000000 1000000000 1e+12");
}

TEST_CASE("ticks lie within their axis whatever its ends are, and no more than asked") {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> power(-6, 9), wide(0.001, 6);
  for (int i = 0; i < 2000; ++i) {
    const double low = std::pow(10.0, power(random));
    const double high = low * std::pow(10.0, wide(random));
    for (std::size_t most : {2, 6, 12}) {
      const auto straight = linear_ticks(low, high, most), logs = log_ticks(low, high, most);
      CHECK(straight.size() <= most + 1);
      CHECK(logs.size() <= most);
      for (const auto& ticks : {straight, logs}) {
        for (const auto& tick : ticks) {
          CHECK(tick.at >= low * 0.999999);
          CHECK(tick.at <= high * 1.000001);
        }
      }
    }
  }
}

TEST_CASE("ticks of the clock are full minutes or hours, the first and midnights with their day") {
  constexpr std::int64_t kMay26 = 1716681600;  // 2024-05-26
  CHECK(texts_of(clock_ticks(kMay26 + 100, kMay26 + 1000, 4)) == "May 26 00:05 00:10 00:15");
  CHECK(texts_of(clock_ticks(kMay26 - 7200, kMay26 + 7200, 6)) ==
        "May 25 22:00 23:00 May 26 00:00 01:00 02:00");
  CHECK(texts_of(clock_ticks(kMay26 + 1, kMay26 + 31, 5)) == "May 26 00:00:10 00:00:20 00:00:30");
}
