// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/campaign/lives.h"

#include "core/base/error.h"
#include "harness/campaign/open_campaign.h"
#include "harness/scrape/probe_endings.h"

namespace pippin::test {

namespace {

const fs::path kRoot = "/db.runs/s";

JobFiles script_of(const Submission&, const std::vector<TaskPlan>& tasks) {
  std::string lines;
  for (const auto& task : tasks) {
    for (const auto& run : task.runs) lines += run.name + "\n";
    lines += "--\n";
  }
  return {lines, {}};
}

MachineOptions options_of(const World& world, const LifeOptions& life) {
  MachineOptions options;
  options.retries = life.retries;
  options.retry_failed = life.retry_failed;
  options.max_in_flight = life.max_in_flight;
  options.host = "host";
  options.lost_rank_words = lost_rank_words;
  options.now = [&world] { return world.now(); };
  return options;
}

int attempts_with(World& world, const std::string& run, std::string_view beginning) {
  int found = 0;
  for (const auto& attempt : world.disk().list(kRoot / run)) {
    const auto record = world.disk().read(kRoot / run / attempt / "run");
    found +=
        record && record->find("pippin: " + std::string(beginning)) != std::string::npos ? 1 : 0;
  }
  return found;
}

}  // namespace

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

std::vector<std::string> run_names() {
  std::vector<std::string> names;
  for (const auto& job : plan_jobs(small_sweep(), 1)) {
    for (const auto& run : job.runs) names.push_back(run.name);
  }
  return names;
}

bool is_bad(const std::string& run) { return run.substr(0, 3) == "bad"; }

bool live(World& world, const LifeOptions& life, RunCounts& progress, const See& see) {
  constexpr int kMostSteps = 1000;
  SweepFolder folder(world.files(), kRoot);
  Sweep sweep = small_sweep();
  sweep.cluster.files_late_s = life.files_late_s;
  const Campaign campaign = open_campaign(folder, sweep, false, "2026-01-01T00:00:00Z");
  folder.save_campaign(campaign);
  CampaignMachine machine(folder, world.files(), world, campaign, script_of,
                          options_of(world, life));
  for (int i = 0; i < kMostSteps; ++i) {
    const std::int64_t queries = world.queries();
    try {
      progress = machine.step();
    } catch (const Error&) {
      if (!life.survives_errors) throw;
    }
    if (progress.finished() && progress.total() > 0) {
      if (see) see(machine);
      return true;
    }
    world.tick(life.pace);
    if (world.queries() == queries) world.let_time_pass();
  }
  return false;
}

RunCounts live_to_the_end(World& world, const LifeOptions& life, std::int64_t pause,
                          const See& see) {
  constexpr int kMostLives = 20;
  RunCounts progress;
  for (int lives = 0; lives < kMostLives; ++lives) {
    try {
      if (live(world, life, progress, see)) return progress;
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

int attempts_done(World& world, const std::string& run) {
  return attempts_with(world, run, "exit=");
}

int attempts_succeeded(World& world, const std::string& run) {
  return attempts_with(world, run, "exit=0 ");
}

}  // namespace pippin::test
