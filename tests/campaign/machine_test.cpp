#include "harness/campaign/machine.h"

#include <catch2/catch.hpp>

#include "tests/campaign/world.h"

using namespace pippin;

namespace {

/// A scheduler that loses every job.
class BlackHole : public Scheduler {
 public:
  Handed submit(const JobRequest& request) override {
    tokens.push_back(request.token);
    return {Handed::Answer::kTaken, "1"};
  }
  std::map<std::string, std::vector<JobStatus>> query(const std::vector<Asked>& asked) override {
    std::map<std::string, std::vector<JobStatus>> answers;
    for (const auto& one : asked) answers[one.token] = {{phase, "swallowed", end}};
    return answers;
  }
  void cancel(const std::vector<Asked>&) override {}
  Room room() override { return {}; }

  std::vector<std::string> tokens;
  JobStatus::Phase phase = JobStatus::Phase::kEnded;
  End end = End::kInfrastructure;
};

Campaign one_run() {
  Campaign campaign;
  campaign.sweep = "s";
  campaign.jobs = {{"job", 1, 1, {{"run-a1", "p", 1, 1}}}};
  return campaign;
}

CampaignMachine machine_on(test::MemoryFiles& files, Scheduler& scheduler,
                           const Campaign& campaign = one_run()) {
  return {SweepFolder(files, "/s"),
          files,
          scheduler,
          campaign,
          [](auto&&...) {
            return JobFiles{"script", {}};
          },
          {}};
}

constexpr RunCounts kUnsubmitted{1, 0, 0, 0, 0, 0, 0, 0}, kWaiting{0, 1, 0, 0, 0, 0, 0, 0},
    kRunning{0, 0, 1, 0, 0, 0, 0, 0}, kLost{0, 0, 0, 0, 0, 1, 0, 0};

}  // namespace

TEST_CASE("a job that is lost every time is tried three times and then explained") {
  test::MemoryFiles files;
  BlackHole hole;
  auto machine = machine_on(files, hole);
  RunCounts progress;
  for (int i = 0; i < 10; ++i) progress = machine.step();
  CHECK(progress == kLost);
  CHECK(machine.fate("run-a1").phase == RunPhase::kLost);
  CHECK(machine.fate("run-a1").evidence == "swallowed");
  CHECK(hole.tokens.size() == 3);
  CHECK(std::set<std::string>(hole.tokens.begin(), hole.tokens.end()).size() == 3);
}

TEST_CASE("who comes later tries a lost job again as often as he may") {
  test::MemoryFiles files;
  BlackHole hole;
  auto first = machine_on(files, hole);
  for (int i = 0; i < 10; ++i) first.step();
  REQUIRE(hole.tokens.size() == 3);
  auto later = machine_on(files, hole);
  CHECK_FALSE(later.counts().finished());
  RunCounts progress;
  for (int i = 0; i < 10; ++i) progress = later.step();
  CHECK(progress == kLost);
  CHECK(hole.tokens.size() == 5);
  CHECK(std::set<std::string>(hole.tokens.begin(), hole.tokens.end()).size() == 5);
}

TEST_CASE("a lost run that is not wanted any more is not handed over again") {
  test::MemoryFiles files;
  BlackHole hole;
  machine_on(files, hole).step();
  Campaign campaign = one_run();
  campaign.jobs[0].runs.push_back({"new-a1", "q", 1, 2});
  std::vector<std::size_t> launched;
  MachineOptions options;
  options.wanted = [](const PlannedRun& run) { return run.point_id == "q"; };
  CampaignMachine machine(
      SweepFolder(files, "/s"), files, hole, campaign,
      [&](const Submission&, const std::vector<TaskPlan>& tasks) {
        launched.push_back(tasks.at(0).runs.size());
        CHECK(tasks.at(0).runs.at(0).name == "new-a1");
        return JobFiles{"script", {}};
      },
      options);
  for (int i = 0; i < 10; ++i) machine.step();
  CHECK(launched == std::vector<std::size_t>{1, 1, 1});  // a new run, and it may be tried thrice
  CHECK(machine.counts() == RunCounts{0, 0, 0, 0, 0, 2, 0, 0});
}

TEST_CASE("what an earlier submission began and lost does not count as running") {
  test::MemoryFiles files;
  BlackHole hole;
  auto machine = machine_on(files, hole);
  machine.step();
  files.make_directory("/s/run-a1/1-local-0");
  machine.step();  // lost, and handed over again
  hole.phase = JobStatus::Phase::kRunning;
  CHECK(machine.step() == kWaiting);
  CHECK(machine_on(files, hole).counts() == kWaiting);
  files.make_directory("/s/run-a1/2-local-0");
  CHECK(machine.step() == kRunning);
}

TEST_CASE("an unsure answer changes nothing") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.phase = JobStatus::Phase::kUnknown;
  auto machine = machine_on(files, hole);
  for (int i = 0; i < 10; ++i) CHECK(machine.step() == kWaiting);
  CHECK(hole.tokens.size() == 1);
}

TEST_CASE(
    "a job that the scheduler has forgotten after it had it counts as lost and not as never sent") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.phase = JobStatus::Phase::kAbsent;
  auto machine = machine_on(files, hole);
  for (int i = 0; i < 10; ++i) machine.step();
  CHECK(hole.tokens.size() == 3);
  CHECK(std::set<std::string>(hole.tokens.begin(), hole.tokens.end()).size() == 3);
}

TEST_CASE("a cancelled job stays cancelled for who watched and is taken up by who comes later") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.phase = JobStatus::Phase::kRunning;
  auto machine = machine_on(files, hole);
  machine.step();
  machine.cancel();
  hole.phase = JobStatus::Phase::kEnded;
  CHECK(machine.step().cancelled == 1);
  CHECK(machine.step().finished());
  CHECK(hole.tokens.size() == 1);
  hole.phase = JobStatus::Phase::kRunning;
  auto later = machine_on(files, hole);
  hole.phase = JobStatus::Phase::kEnded;
  for (int i = 0; i < 10; ++i) later.step();
  CHECK(hole.tokens.size() == 4);  // the cancelled one does not count as a loss
}
