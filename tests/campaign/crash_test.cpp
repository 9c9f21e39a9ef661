#include <catch2/catch.hpp>

#include "harness/base/error.h"
#include "harness/campaign/plan.h"
#include "tests/campaign/world.h"

using namespace pippin;
using test::Crash;
using test::Fault;
using test::World;

namespace {

constexpr std::int64_t kRetries = 2;
// Of twelve runs, four are bad.
constexpr RunCounts kAllOver{0, 0, 0, 8, 4, 0, 0, 0};

/// Two node counts, three points, two allocations, two runs each: four jobs, twelve runs.
Sweep small_sweep() {
  Sweep sweep;
  sweep.name = "s";
  sweep.cluster.gpus_per_node = 4;
  sweep.repeats = {2, 2};
  for (const auto& [name, gpus] :
       std::vector<std::pair<std::string, std::int64_t>>{{"good", 4}, {"bad", 4}, {"big", 8}}) {
    Point point;
    point.name = name;
    point.layout.gpus = gpus;
    point.id = point_id(point) + name;
    sweep.points.push_back(point);
  }
  return sweep;
}

JobFiles script_of(const Submission&, const std::vector<TaskPlan>& tasks) {
  std::string lines;
  for (const auto& task : tasks) {
    for (const auto& run : task.runs) lines += run.name + "\n";
    lines += "--\n";
  }
  return {lines, {}};
}

/// One life of `pippin run`: opens the campaign and works on it until it is finished, dies or
/// fails. Jobs make `pace` steps between two of its steps. True where it saw the end.
bool live(World& world, std::int64_t pace, RunCounts& progress) {
  SweepFolder folder(world.files(), "/db.runs/s");
  const Campaign campaign = open_campaign(folder, small_sweep(), false, "2026-01-01T00:00:00Z");
  MachineOptions options;
  options.retries = kRetries;
  CampaignMachine machine(folder, world.files(), world, campaign, script_of, options);
  for (int i = 0; i < 1000; ++i) {
    progress = machine.step();
    if (progress.finished()) return true;
    world.tick(pace);
  }
  return false;
}

/// Lives until the campaign is finished, started again after every death.
RunCounts live_to_the_end(World& world, std::int64_t pace, std::int64_t pause) {
  RunCounts progress;
  for (int lives = 0; lives < 20; ++lives) {
    try {
      if (live(world, pace, progress)) return progress;
    } catch (const Crash&) {
    } catch (const Error&) {
    }
    // The faults are for the first life; jobs go on while nobody looks.
    world.plan_faults({});
    world.tick(pause);
  }
  FAIL("no end after 20 lives");
  return progress;
}

/// Attempts of a run that left an exit code.
int attempts_done(World& world, const std::string& run) {
  int done = 0;
  for (const auto& attempt : world.disk().list(fs::path("/db.runs/s") / run)) {
    done += world.disk().exists(fs::path("/db.runs/s") / run / attempt / "done") ? 1 : 0;
  }
  return done;
}

std::vector<std::string> run_names() {
  std::vector<std::string> names;
  for (const auto& job : plan_jobs(small_sweep(), 1)) {
    for (const auto& run : job.runs) names.push_back(run.name);
  }
  return names;
}

void check_each_run_finished_once(World& world, const RunCounts& progress) {
  CHECK(progress == kAllOver);
  for (const auto& run : run_names()) {
    CAPTURE(run);
    CHECK(world.executions().at(run) == 1);
    CHECK(attempts_done(world, run) == 1);
  }
  for (const auto& token : world.handed_over()) CHECK(token.second == 1);
}

std::int64_t operations_without_faults(std::int64_t pace, std::int64_t tasks_per_job = 1) {
  World world(-1, tasks_per_job);
  world.plan_faults({});
  RunCounts progress;
  REQUIRE(live(world, pace, progress));
  check_each_run_finished_once(world, progress);
  return world.operations();
}

}  // namespace

TEST_CASE("a crash at any single operation loses nothing and doubles nothing") {
  const auto pace = GENERATE(std::int64_t{1}, std::int64_t{7}, std::int64_t{1000});
  const auto pause = GENERATE(std::int64_t{0}, std::int64_t{5}, std::int64_t{1000});
  const auto kind = GENERATE(Fault::Kind::kCrashBefore, Fault::Kind::kCrashAfter,
                             Fault::Kind::kErrorBefore, Fault::Kind::kErrorAfter);
  const auto tasks_per_job = GENERATE(std::int64_t{1}, std::int64_t{2});
  const std::int64_t operations = operations_without_faults(pace, tasks_per_job);
  REQUIRE(operations > 30);
  for (std::int64_t at = 0; at < operations; ++at) {
    CAPTURE(pace, pause, at, tasks_per_job);
    World world(-1, tasks_per_job);
    world.plan_faults({{at, kind}});
    check_each_run_finished_once(world, live_to_the_end(world, pace, pause));
  }
}

TEST_CASE("a job that dies at any of its steps is run again and no run counts twice") {
  const auto pace = GENERATE(std::int64_t{1}, std::int64_t{3}, std::int64_t{1000});
  const auto tasks_per_job = GENERATE(std::int64_t{1}, std::int64_t{2});
  for (std::int64_t dies_at = 0; dies_at < 60; ++dies_at) {
    CAPTURE(pace, dies_at, tasks_per_job);
    World world(dies_at, tasks_per_job);
    const RunCounts progress = live_to_the_end(world, pace, 0);
    CHECK(progress == kAllOver);
    for (const auto& run : run_names()) {
      CAPTURE(run);
      // A failure just before its job was lost may be the node's: it is run again.
      const int most = run.substr(0, 3) == "bad" ? 2 : 1;
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
      World world(dies_at);
      world.plan_faults({{at, Fault::Kind::kCrashAfter}});
      CHECK(live_to_the_end(world, 3, 4) == kAllOver);
      for (const auto& run : run_names()) {
        if (run.substr(0, 3) != "bad") CHECK(attempts_done(world, run) == 1);
      }
    }
  }
}
