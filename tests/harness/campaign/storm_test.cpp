// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tests/harness/campaign/lives.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

namespace {

constexpr RunCounts kAllOver{0, 0, 0, 8, 4, 0, 0, 0};

/// What may happen to a run beside being run once.
struct Bounds {
  int executions = 1;        ///< of a run, at most
  bool may_lose = false;     ///< at first; a later life takes it up
  bool may_run_out = false;  ///< of time; a later life takes it up where it is told to
};

/// What holds wherever a campaign stands still.
void check_what_is_known(World& world, const CampaignMachine& machine) {
  for (const auto& run : run_names()) {
    CAPTURE(run);
    const RunFate& fate = machine.fate(run);
    const bool succeeded = attempts_succeeded(world, run) > 0;
    CHECK(succeeded == (fate.phase == RunPhase::kDone && !fate.failed));
    if (fate.phase == RunPhase::kDone && fate.failed) CHECK(is_bad(run));
    if (fate.phase == RunPhase::kLost || fate.phase == RunPhase::kCancelled) {
      CHECK(fate.end);
      CHECK(!fate.evidence.empty());
    }
  }
}

void check_bounds(World& world, const Bounds& bounds) {
  for (const auto& [run, times] : world.executions()) {
    CAPTURE(run);
    CHECK(times <= bounds.executions);
  }
  std::set<std::string> numbers;
  for (const auto& [token, times] : world.arrived()) {
    CAPTURE(token);
    CHECK(times <= 1);
    const auto number = token.substr(0, token.rfind('-'));
    CHECK(numbers.insert(number.substr(number.rfind('-'))).second);
  }
}

/// Lives through it, and then as a person would: looks again, and runs what was lost again.
void weather(World& world, const LifeOptions& life, std::int64_t pause, const Bounds& bounds) {
  const See see = [&](const CampaignMachine& machine) { check_what_is_known(world, machine); };
  RunCounts counts = live_to_the_end(world, life, pause, see);
  CHECK(counts.lost <= (bounds.may_lose || bounds.may_run_out ? 12 : 0));
  CHECK(counts.cancelled <= (bounds.may_lose ? 12 : 0));
  if (!bounds.may_lose && !bounds.may_run_out) CHECK(counts == kAllOver);
  world.clear_up();  // zombies end, too
  counts = live_to_the_end(world, life, pause, see);
  if (!bounds.may_run_out) CHECK(counts == kAllOver);
  check_bounds(world, bounds);
  LifeOptions stubborn = life;
  stubborn.retry_failed = bounds.may_run_out;
  CHECK(live_to_the_end(world, stubborn, pause, see) == kAllOver);
}

Bounds bounds_of(Mishap::Kind kind) {
  using Kind = Mishap::Kind;
  switch (kind) {
    case Kind::kNone:
      return {};
    case Kind::kTimeUp:
    case Kind::kTimeUpAtOnce:
      return {2, false, true};
    case Kind::kCancelled:
    case Kind::kScriptFails:
    case Kind::kDiskFull:
      return {2, true, false};
    default:
      return {2, false, false};
  }
}

constexpr Mishap::Kind kMishaps[] = {
    Mishap::Kind::kNodeFails,   Mishap::Kind::kNodeIsLost,    Mishap::Kind::kNodeSickens,
    Mishap::Kind::kRequeued,    Mishap::Kind::kRequeuedTwice, Mishap::Kind::kSickRequeued,
    Mishap::Kind::kTimeUp,      Mishap::Kind::kTimeUpAtOnce,  Mishap::Kind::kCancelled,
    Mishap::Kind::kLaunchFails, Mishap::Kind::kScriptFails,   Mishap::Kind::kDiskFull,
    Mishap::Kind::kGivesWay};

/// Operations of pippin in this weather, were it never to die.
std::int64_t operations_in(const Weather& weather, const LifeOptions& life) {
  World world(weather);
  world.plan_faults({});
  RunCounts progress;
  try {
    live(world, life, progress);
  } catch (const std::exception&) {
  }
  return world.operations();
}

/// Kills pippin once at every `stride`-th operation, in every way.
void die_in(const Weather& conditions, const LifeOptions& life, std::int64_t pause,
            const Bounds& bounds, std::int64_t first, std::int64_t stride) {
  const std::int64_t operations = operations_in(conditions, life);
  for (std::int64_t at = first % stride; at < operations; at += stride) {
    for (const auto kind : {Fault::Kind::kCrashBefore, Fault::Kind::kCrashAfter,
                            Fault::Kind::kCrashInFlight, Fault::Kind::kErrorAfter}) {
      CAPTURE(at, kind);
      World world(conditions);
      world.plan_faults({{at, kind}});
      weather(world, life, pause, bounds);
    }
  }
}

}  // namespace

TEST_CASE("whatever befalls a job, at any of its steps, each run is finished once or explained") {
  const auto tasks_per_job = GENERATE(std::int64_t{1}, std::int64_t{2});
  const auto pace = GENERATE(std::int64_t{1}, std::int64_t{5}, std::int64_t{1000});
  for (const auto kind : kMishaps) {
    for (std::int64_t at = 0; at < 60; ++at) {
      Weather conditions{tasks_per_job};
      conditions.slots = 1 + at % 2;
      conditions.mishaps = {{kind, at}};
      LifeOptions life;
      life.pace = pace;
      CAPTURE(tasks_per_job, pace, kind, at);
      World world(conditions);
      weather(world, life, 0, bounds_of(kind));
    }
  }
}

TEST_CASE("pippin may die anywhere while a job comes to harm") {
  LifeOptions life;
  std::int64_t turn = 0;
  for (const auto kind : kMishaps) {
    for (std::int64_t at = 0; at < 50; at += 3) {
      Weather conditions{2};
      conditions.mishaps = {{kind, at}};
      CAPTURE(kind, at);
      die_in(conditions, life, at % 4 * 5, bounds_of(kind), turn++, 37);
    }
  }
}

TEST_CASE("whatever the scheduler answers, pippin may die anywhere and hands each job over once") {
  const auto first = GENERATE(Arrival::kTaken, Arrival::kNoRoom, Arrival::kRefused,
                              Arrival::kUnsureThere, Arrival::kUnsureLost, Arrival::kUnsureLater);
  const auto second = GENERATE(Arrival::kTaken, Arrival::kNoRoom, Arrival::kUnsureThere,
                               Arrival::kUnsureLost, Arrival::kUnsureLater);
  const auto tasks_per_job = GENERATE(std::int64_t{1}, std::int64_t{2});
  Weather conditions{tasks_per_job};
  conditions.arrivals = {first, second};
  CAPTURE(first, second, tasks_per_job);
  die_in(conditions, {}, 3, {}, 0, 11);
}

TEST_CASE("a machine that is told of an error goes on and hands each job over once") {
  const auto first =
      GENERATE(Arrival::kTaken, Arrival::kNoRoom, Arrival::kUnsureThere, Arrival::kUnsureLater);
  const auto kind = GENERATE(Fault::Kind::kErrorBefore, Fault::Kind::kErrorAfter);
  const auto tasks_per_job = GENERATE(std::int64_t{1}, std::int64_t{2});
  Weather conditions{tasks_per_job};
  conditions.arrivals = {first};
  LifeOptions life;
  life.survives_errors = true;
  const std::int64_t operations = operations_in(conditions, life);
  for (std::int64_t at = tasks_per_job - 1; at < operations; at += 2) {
    CAPTURE(first, kind, tasks_per_job, at);
    World world(conditions);
    world.plan_faults({{at, kind}});
    weather(world, life, 3, {});
  }
}

TEST_CASE("a controller that is silent for a while loses nothing") {
  for (std::int64_t from = 1; from < 20; from += 2) {
    Weather conditions{2};
    conditions.silent_from = from;
    conditions.silent_for = 6;
    conditions.arrivals = {Arrival::kUnsureLater};
    CAPTURE(from);
    die_in(conditions, {}, 3, {}, from, 11);
  }
}

TEST_CASE("a controller born again reuses its ids while what ran runs on") {
  for (std::int64_t at = 1; at < 20; ++at) {
    Weather conditions{1 + at % 2};
    conditions.forgets_at = at;
    conditions.arrivals = {at % 3 == 0 ? Arrival::kUnsureThere : Arrival::kTaken};
    CAPTURE(at);
    // What runs on and what was handed over again may both launch a run.
    die_in(conditions, {}, 3, {2, false, false}, at, 5);
  }
}

TEST_CASE("room that is shorter than an array is filled as it frees, told of or not") {
  const auto tells = GENERATE(true, false);
  const auto room = GENERATE(std::int64_t{1}, std::int64_t{2}, std::int64_t{3});
  Weather conditions{2 * room};
  conditions.room = room;
  conditions.tells_room = tells;
  CAPTURE(tells, room);
  die_in(conditions, {}, 3, {}, 0, 11);
}

TEST_CASE("what another pippin cancels stays cancelled and is taken up by who comes later") {
  for (std::int64_t at = 2; at < 20; ++at) {
    Weather conditions{1 + at % 2};
    conditions.cancelled_at = at;
    conditions.arrivals = {Arrival::kTaken, at % 3 == 0 ? Arrival::kUnsureLater : Arrival::kTaken};
    CAPTURE(at);
    die_in(conditions, {}, 3, {2, true, false}, at, 11);
  }
}

TEST_CASE("files of a job that are seen late cost no run, and no run is measured twice") {
  const auto late_s = GENERATE(std::int64_t{20}, std::int64_t{60}, std::int64_t{110});
  const auto tasks_per_job = GENERATE(std::int64_t{1}, std::int64_t{2});
  Weather conditions{tasks_per_job};
  conditions.files_late_s = late_s;
  LifeOptions life;
  life.files_late_s = 120;
  for (const auto pace : {std::int64_t{3}, std::int64_t{1000}}) {
    life.pace = pace;
    CAPTURE(late_s, tasks_per_job, pace);
    World world(conditions);
    weather(world, life, 0, {});
    die_in(conditions, life, 3, {}, late_s, 31);
  }
}

TEST_CASE("files that are seen late are waited for after a mishap, too") {
  LifeOptions life;
  life.files_late_s = 120;
  for (const auto kind : kMishaps) {
    // Who cancels does not wait. A failure before a job was begun again is corrected when it is
    // seen.
    if (kind == Mishap::Kind::kCancelled || kind == Mishap::Kind::kSickRequeued) continue;
    for (std::int64_t at = 0; at < 50; at += 7) {
      Weather conditions{2};
      conditions.files_late_s = 30;
      conditions.mishaps = {{kind, at}};
      CAPTURE(kind, at);
      World world(conditions);
      weather(world, life, at % 4 * 5, bounds_of(kind));
    }
  }
}
