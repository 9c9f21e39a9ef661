// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/campaign/lives.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

namespace {

// Of twelve runs, four are bad.
constexpr RunCounts kAllOver{0, 0, 0, 8, 4, 0, 0, 0};

LifeOptions at_pace(std::int64_t pace) {
  LifeOptions life;
  life.pace = pace;
  return life;
}

void check_each_run_finished_once(World& world, const RunCounts& progress) {
  CHECK(progress == kAllOver);
  for (const auto& run : run_names()) {
    CAPTURE(run);
    CHECK(world.executions().at(run) == 1);
    CHECK(attempts_done(world, run) == 1);
  }
  for (const auto& token : world.arrived()) CHECK(token.second == 1);
}

std::int64_t operations_without_faults(std::int64_t pace, std::int64_t tasks_per_job = 1) {
  World world(Weather{tasks_per_job});
  world.plan_faults({});
  RunCounts progress;
  REQUIRE(live(world, at_pace(pace), progress));
  check_each_run_finished_once(world, progress);
  return world.operations();
}

}  // namespace

TEST_CASE("a crash at any single operation loses nothing and doubles nothing") {
  const auto pace = GENERATE(std::int64_t{1}, std::int64_t{7}, std::int64_t{1000});
  const auto pause = GENERATE(std::int64_t{0}, std::int64_t{5});
  const auto kind = GENERATE(Fault::Kind::kCrashBefore, Fault::Kind::kCrashAfter,
                             Fault::Kind::kErrorBefore, Fault::Kind::kErrorAfter);
  const auto tasks_per_job = GENERATE(std::int64_t{1}, std::int64_t{2});
  const std::int64_t operations = operations_without_faults(pace, tasks_per_job);
  REQUIRE(operations > 30);
  for (std::int64_t at = 0; at < operations; ++at) {
    CAPTURE(pace, pause, at, tasks_per_job);
    World world(Weather{tasks_per_job});
    world.plan_faults({{at, kind}});
    check_each_run_finished_once(world, live_to_the_end(world, at_pace(pace), pause));
  }
}

TEST_CASE("a job that dies at any of its steps is run again and no run counts twice") {
  const auto pace = GENERATE(std::int64_t{1}, std::int64_t{3}, std::int64_t{1000});
  const auto tasks_per_job = GENERATE(std::int64_t{1}, std::int64_t{2});
  for (std::int64_t dies_at = 0; dies_at < 60; ++dies_at) {
    CAPTURE(pace, dies_at, tasks_per_job);
    Weather weather{tasks_per_job};
    weather.mishaps = {{Mishap::Kind::kNodeFails, dies_at}};
    World world(weather);
    const RunCounts progress = live_to_the_end(world, at_pace(pace), 0);
    CHECK(progress == kAllOver);
    for (const auto& t : world.arrived()) UNSCOPED_INFO(t.first << " " << t.second);
    for (const auto& n : world.disk().list("/db.runs/s")) {
      UNSCOPED_INFO(n);
      for (const auto& m : world.disk().list("/db.runs/s/" + n)) UNSCOPED_INFO("   " + m);
    }
    for (const auto& run : run_names()) {
      CAPTURE(run);
      // A failure just before its job was lost may be the node's: it is run again.
      const int most = is_bad(run) ? 2 : 1;
      CHECK(attempts_done(world, run) >= 1);
      CHECK(attempts_done(world, run) <= most);
      CHECK(world.executions().at(run) <= 2);
    }
  }
}

TEST_CASE("pippin and a job may die in the same campaign") {
  const std::int64_t operations = operations_without_faults(3);
  for (std::int64_t at = 0; at < operations; at += 3) {
    for (std::int64_t dies_at = 0; dies_at < 40; dies_at += 2) {
      CAPTURE(at, dies_at);
      Weather weather;
      weather.mishaps = {{Mishap::Kind::kNodeFails, dies_at}};
      World world(weather);
      world.plan_faults({{at, Fault::Kind::kCrashAfter}});
      CHECK(live_to_the_end(world, at_pace(3), 4) == kAllOver);
      for (const auto& run : run_names()) {
        if (!is_bad(run)) CHECK(attempts_done(world, run) == 1);
      }
    }
  }
}
