// SPDX-License-Identifier: Apache-2.0
// Megatron-LM's golden values.
#include "harness/scrape/golden_values.h"

#include <string>

#include "core/base/error.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;

namespace {

std::string series(const std::string& metric, const std::string& values) {
  return "\"" + metric +
         "\": {\"start_step\": 1, \"end_step\": 50, \"step_interval\": 1, \"values\": " + values +
         "}";
}

LogRun only_run(const std::string& file) {
  const auto runs = read_golden_values(file);
  REQUIRE(runs.size() == 1);
  return runs.front();
}

std::vector<unsigned> flags_of(const LogRun& run) {
  std::vector<unsigned> flags;
  for (const auto& line : run.iterations) flags.push_back(line.flags);
  return flags;
}

std::vector<std::int64_t> intervals_of(const LogRun& run) {
  std::vector<std::int64_t> intervals;
  for (const auto& line : run.iterations) intervals.push_back(line.interval);
  return intervals;
}

}  // namespace

TEST_CASE("golden values are a launch") {
  const LogRun run =
      only_run("{" + series("lm loss", R"({"1": 10.8, "2": 10.7, "3": "nan"})") + "," +
               series("num-zeros", R"({"1": 31.0, "3": 33.0})") + "," +
               series("iteration-time", R"({"1": 12.3, "2": 0.34, "3": 0.33})") + "}");
  CHECK(run.format == "golden_values");
  CHECK(run.point.trainer == "megatron");
  CHECK_FALSE(run.configured);
  CHECK(run.resolution_ms == 0.01);
  REQUIRE(run.iterations.size() == 3);
  CHECK(run.iterations[0].number == 1);
  CHECK(run.iterations[0].step_time_ms == Approx(12300));
  CHECK(run.iterations[1].step_time_ms == Approx(340));
  CHECK(run.iterations[1].lm_loss == 10.7);
  CHECK_FALSE(run.iterations[2].lm_loss);
  CHECK_FALSE(run.nan_from);  // "nan" is a step without a value, too
  CHECK(find_value(run.iterations[2].other, "num-zeros")->number == 33.0);
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst, 0, 0});
}

TEST_CASE("a time at step 1 says that golden values are picked, not means") {
  const LogRun run = only_run(
      "{" + series("iteration-time", R"({"1": 9.1, "5": 0.5, "10": 0.4, "15": 0.6})") + "}");
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst, 0, 0, 0});
  CHECK(intervals_of(run) == std::vector<std::int64_t>{1, 1, 1, 1});
}

TEST_CASE("golden values at every hundredth step are means") {
  const LogRun run = only_run(
      "{" +
      series("iteration-time", R"({"1": "nan", "5": "nan", "100": 0.8, "200": 0.4, "300": 0.5})") +
      "}");
  CHECK(flags_of(run) ==
        std::vector<unsigned>{kFirst | kIntervalMean, kIntervalMean, kIntervalMean});
  CHECK(intervals_of(run) == std::vector<std::int64_t>{100, 100, 100});
}

TEST_CASE("golden values that begin at step 2 have both first iterations in it") {
  const LogRun run =
      only_run("{" + series("iteration-time", R"({"2": 6.1, "3": 0.3, "4": 0.3})") + "}");
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst | kIntervalMean, 0, 0});
  CHECK(intervals_of(run) == std::vector<std::int64_t>{2, 1, 1});
}

TEST_CASE("golden values of old are a list") {
  const LogRun run =
      only_run(R"({"iteration-time": {"start_step": 0, "end_step": 50, "step_interval": 5, )"
               R"("values": [12.30166, 0.42729, 0.41761]}})");
  REQUIRE(run.iterations.size() == 3);
  CHECK(run.iterations[0].number == 1);
  CHECK(run.iterations[2].number == 11);
  CHECK(run.iterations[2].step_time_ms == Approx(417.61));
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst, 0, 0});
}

TEST_CASE("golden values without times are no launch") {
  CHECK(read_golden_values("{" + series("lm loss", R"({"1": 10.8})") + "}").empty());
  CHECK(read_golden_values("{" + series("iteration-time", R"({"1": "nan"})") + "}").empty());
  CHECK(read_golden_values(R"({"iteration-time": 3})").empty());
  CHECK(read_golden_values("[1]").empty());
}

TEST_CASE("broken golden values are refused") {
  const auto refuses = [](const std::string& file, const std::string& why) {
    CHECK_THROWS_WITH(read_golden_values(file), Contains(why));
  };
  const std::string whole = "{" + series("iteration-time", R"({"1": 12.3})") + "}";
  refuses(whole.substr(0, whole.size() - 3), "no whole JSON");
  refuses("{" + series("iteration-time", R"({"one": 12.3})") + "}", "has a step 'one'");
  refuses("{" + series("iteration-time", R"({"-1": 12.3})") + "}", "has a step '-1'");
  refuses(R"({"iteration-time": {"values": [1.5]}})", "no whole number 'start_step'");
  refuses(R"({"iteration-time": {"start_step": 0, "step_interval": 0, "values": [1.5]}})",
          "step_interval of 0");
}

TEST_CASE("golden values are known by their beginning") {
  CHECK(
      looks_like_golden_values("{\n    \"lm loss\": {\n        \"start_step\": 1,\n"
                               "        \"end_step\": 50,\n        \"step_interval\": 5,"));
  CHECK_FALSE(looks_like_golden_values("{\"start_step\": 1}"));
  CHECK_FALSE(looks_like_golden_values("a note on \"start_step\" and \"step_interval\""));
}
