// SPDX-License-Identifier: Apache-2.0
#include "probes/common/spread.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "probes/common/json.h"
#include "tests/support/catch.h"
#include "tests/support/nasty.h"

using namespace pippin;
using namespace pippin::probes;

TEST_CASE("a spread is that of its samples in any order") {
  const Spread spread = spread_of({4, 1, 3, 2});
  CHECK(spread.count == 4);
  CHECK(spread.min == 1);
  CHECK(spread.median == 2.5);
  CHECK(spread.p99 == 4);
  CHECK(spread.max == 4);
  CHECK(spread.mean == 2.5);
  CHECK(spread.cv == Approx(std::sqrt(5.0 / 3) / 2.5));
  CHECK(spread_of({7}).cv == 0);
  CHECK(median_of({5, 1, 3}) == 3);
}

TEST_CASE("the p99 is the nearest rank") {
  std::vector<double> samples;
  for (int i = 1; i <= 200; ++i) samples.push_back(i);
  CHECK(spread_of(samples).p99 == 198);
  samples.resize(100);
  CHECK(spread_of(samples).p99 == 99);
  samples.push_back(101);
  CHECK(spread_of(samples).p99 == 100);
}

TEST_CASE("a JSON object is valid whatever stands in it") {
  for (const auto& nasty : test::nasty_texts()) {
    const auto read = nlohmann::json::parse(
        JsonObject().word(nasty, nasty).number("pi", 3.25).flag("f", false).whole("n", -1).line());
    CHECK(read.at(nasty) == nasty);
    CHECK(read.at("pi") == 3.25);
    CHECK(read.at("n") == -1);
  }
  CHECK(JsonObject().number("x", std::numeric_limits<double>::quiet_NaN()).line() ==
        R"({"x":null})");
  CHECK(json_array({"1", "{}"}) == "[1,{}]");
  CHECK(JsonObject().value("a", json_array({})).line() == R"({"a":[]})");
}
