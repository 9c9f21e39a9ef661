// SPDX-License-Identifier: Apache-2.0
#include "reports/trace/iteration_events.h"

#include <limits>
#include <sstream>

#include "core/records/run.h"
#include "tests/support/trace_format.h"

using namespace pippin;
using test::Json;

namespace {

Iteration line_of(std::int64_t number, double ms, const std::vector<IterationTimer>& timers = {}) {
  Iteration line;
  line.number = number;
  line.step_time_ms = ms;
  for (const auto& timer : timers) line.other.emplace_back(timer.name, value_of(timer.ms));
  return line;
}

struct Drawing {
  std::ostringstream out;
  TraceEvents events{out};
  IterationEvents lines{events};

  Json finish() {
    events.finish({});
    return test::checked_trace(out.str());
  }
};

Json drawn(const std::vector<Iteration>& all) {
  Drawing drawing;
  for (const auto& line : all) CHECK(drawing.lines.take(line));
  return drawing.finish();
}

/// Begin and end in milliseconds.
std::pair<double, double> place(const Json& span) {
  constexpr double kUsPerMs = 1e3;
  const double begin = span.at("ts").get<double>() / kUsPerMs;
  return {begin, begin + span.at("dur").get<double>() / kUsPerMs};
}

std::pair<double, double> place_of(const Json& trace, const std::string& name) {
  return place(test::spans_named(trace, name).at(0));
}

using Place = std::pair<double, double>;

}  // namespace

TEST_CASE("iterations lie end to end from the run's start, also where lines are missing") {
  const Json trace = drawn({line_of(1, 500), line_of(2, 400), line_of(7, 300)});
  CHECK(place_of(trace, "iteration 1") == Place(0, 500));
  CHECK(place_of(trace, "iteration 2") == Place(500, 900));
  CHECK(place_of(trace, "iteration 7") == Place(900, 1200));
}

TEST_CASE("a line that is the mean of several iterations lasts as long as all, and says so") {
  Iteration line = line_of(20, 500, {{"optimizer", 50}});
  line.interval = 10;
  const Json trace = drawn({line});
  const Json span = test::spans_named(trace, "iterations 11–20").at(0);
  CHECK(place(span) == Place(0, 5000));
  CHECK(span.at("args").at("mean_of") == 10);
  CHECK(span.at("args").at("step_time_ms") == 500.0);
  const Json timer = test::spans_named(trace, "optimizer").at(0);
  CHECK(place(timer) == Place(0, 500));
  CHECK(timer.at("args").at("ms") == 50.0);
  CHECK(timer.at("args").at("mean_of") == 10);
}

TEST_CASE("a mean of nobody knows how many iterations says that") {
  Iteration line = line_of(20, 500);
  line.flags = kIntervalMean;
  CHECK(test::spans_named(drawn({line}), "iteration 20").at(0).at("args").at("mean_of") ==
        "several iterations, nobody knows how many");
}

TEST_CASE("timers that lie in another stand within it, others follow") {
  const Json trace = drawn({line_of(1, 500,
                                    {{"forward-compute", 100},
                                     {"backward-compute", 250},
                                     {"batch-generator", 5},
                                     {"optimizer", 60},
                                     {"optimizer-inner-step", 40},
                                     {"forward-backward", 400}})});
  CHECK(place_of(trace, "forward-backward") == Place(0, 400));
  CHECK(place_of(trace, "forward-compute") == Place(0, 100));
  CHECK(place_of(trace, "batch-generator") == Place(0, 5));
  CHECK(place_of(trace, "backward-compute") == Place(100, 350));
  CHECK(place_of(trace, "optimizer") == Place(400, 460));
  CHECK(place_of(trace, "optimizer-inner-step") == Place(400, 440));
  for (const char* name : {"forward-backward", "forward-compute", "optimizer-inner-step"})
    CHECK(test::track_of(trace, test::spans_named(trace, name).at(0)) ==
          "timers (how long, not when), by the rank that prints");
}

TEST_CASE("the least and the most of all ranks have tracks of their own") {
  const Json trace =
      drawn({line_of(1, 500, {{"forward-backward min", 380}, {"forward-backward max", 400}})});
  const auto timers = test::spans_named(trace, "forward-backward");
  REQUIRE(timers.size() == 2);
  CHECK(place(timers[0]) == Place(0, 380));
  CHECK(test::track_of(trace, timers[0]) == "timers (how long, not when), the least of all ranks");
  CHECK(place(timers[1]) == Place(0, 400));
  CHECK(test::track_of(trace, timers[1]) == "timers (how long, not when), the most of all ranks");
}

TEST_CASE("a timer that is not known stands on a track of its own") {
  const Json trace = drawn({line_of(1, 500, {{"forward-backward", 400}, {"my-own-timer", 90}}),
                            line_of(2, 500, {{"forward-backward", 400}, {"my-own-timer", 90}})});
  const auto timers = test::spans_named(trace, "my-own-timer");
  REQUIRE(timers.size() == 2);
  CHECK(place(timers[1]) == Place(500, 590));
  CHECK(test::track_of(trace, timers[1]) ==
        "my-own-timer (how long, not when), by the rank that prints");
}

TEST_CASE("what is no timer is not drawn as one") {
  Iteration line = line_of(1, 500, {{"TFLOPs", 149}, {"samples/sec", 3}, {"num zeros", 7}});
  line.other.emplace_back("optimizer", Value{"a text", {}});
  const Json trace = drawn({line, line_of(2, 500, {{"some-thing", 3}})});
  CHECK(trace.at("otherData").empty());
  CHECK(test::spans_named(trace, "iteration 1").size() == 1);
  for (const char* name : {"TFLOPs", "samples/sec", "num zeros", "optimizer", "some-thing"})
    CHECK(test::spans_named(trace, name).empty());
}

TEST_CASE("the slowest ranks' timers, longer together than the iteration, each begin with it") {
  const Json trace = drawn({line_of(
      1, 100, {{"forward-compute max", 60}, {"pp-exposed max", 70}, {"pp-waiting max", 50}})});
  CHECK(place_of(trace, "forward-compute") == Place(0, 60));
  CHECK(place_of(trace, "pp-exposed") == Place(0, 70));
  CHECK(place_of(trace, "pp-waiting") == Place(0, 50));
  CHECK(test::track_of(trace, test::spans_named(trace, "pp-waiting").at(0)) ==
        "pp-exposed (how long, not when), the most of all ranks");
}

TEST_CASE("a timer that is longer than its iteration ends with it, and says how long it was") {
  const Json trace = drawn({line_of(1, 100, {{"forward-backward", 140}})});
  const Json timer = test::spans_named(trace, "forward-backward").at(0);
  CHECK(place(timer) == Place(0, 100));
  CHECK(timer.at("args").at("ms") == 140.0);
  CHECK(timer.at("args").at("drawn") == "shorter than it was");
}

TEST_CASE("times that are none are left out, and counted where they are timers") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Drawing drawing;
  CHECK_FALSE(drawing.lines.take(line_of(1, -1)));
  CHECK_FALSE(drawing.lines.take(line_of(1, kInfinity)));
  CHECK_FALSE(drawing.lines.take(line_of(1, std::nan(""))));
  CHECK_FALSE(drawing.lines.take(line_of(1, 1e300)));
  CHECK(drawing.lines.lines() == 0);
  CHECK(drawing.lines.take(line_of(1, 5, {{"optimizer", -3}, {"forward-compute", 1e300}})));
  CHECK(drawing.lines.bad_timers() == 1);
  CHECK(drawing.lines.lines() == 1);
  CHECK(place_of(drawing.finish(), "forward-compute") == Place(0, 5));
}

TEST_CASE("iterations of any number and interval have a name") {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  Iteration odd = line_of(3, 0);
  odd.interval = kMost;
  Iteration least = line_of(-kMost - 1, 0);
  least.interval = kMost;
  const Json trace = drawn({odd, least, line_of(0, 1)});
  CHECK(test::spans_named(trace, "iteration 3").size() == 1);
  CHECK(test::spans_named(trace, "steps").size() == 1);
}

TEST_CASE("every timer that is known can stand beside and within every other") {
  std::vector<IterationTimer> timers;
  for (const char* name :
       {"forward-backward", "forward", "forward-recv", "forward-compute", "batch-generator",
        "backward", "backward-compute", "backward-backward", "backward-send", "all-grads-sync",
        "backward-params-all-reduce", "optimizer", "optimizer-clip-main-grad", "unattributed",
        "recompute", "tp-exposed", "tp-waiting", "tp-busy", "params-all-gather"})
    timers.push_back({name, 10});
  for (const double ms : {1.0, 10.0, 25.0, 1000.0}) {
    const Json trace = drawn({line_of(1, ms, timers), line_of(2, ms, timers)});
    for (const auto& timer : timers) CHECK(test::spans_named(trace, timer.name).size() == 2);
  }
}
