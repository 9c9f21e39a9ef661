// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/machine.h"

#include "core/base/error.h"
#include "tests/harness/campaign/swallowed.h"
#include "tests/support/catch.h"

using namespace pippin;
using test::BlackHole;
using test::kLost;
using test::kRunning;
using test::kUnsubmitted;
using test::kWaiting;
using test::leave;
using test::machine_on;
using test::one_run;
using test::runs_of;

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

TEST_CASE("what jobs give up is not handed over again before the next machine") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.phase = JobStatus::Phase::kRunning;
  hole.end = End::kApplication;
  const Campaign campaign = runs_of({"a-a1", "b-a1", "c-a1"});
  auto machine = machine_on(files, hole, campaign);
  machine.step();
  leave(files, "a-a1", "1-local-0", 127);
  files.write("/s/given-up", "until=1 after=1\na-a1\tn1\tkind\ttrain: command not found\n");
  machine.look();
  CHECK(machine.has_given_up());
  hole.phase = JobStatus::Phase::kEnded;
  for (int i = 0; i < 3; ++i) machine.step();
  CHECK(hole.tokens.size() == 1);
  CHECK(machine.counts().finished());
  CHECK(machine.counts().failed == 1);
  CHECK(machine.counts().lost == 2);
  CHECK(machine.fate("b-a1").evidence ==
        "given up, as 1 run in a row failed alike, all on n1: train: command not found");
  CHECK(machine_on(files, hole, campaign).given_up());

  auto later = machine_on(files, hole, campaign);
  CHECK_FALSE(later.has_given_up());
  CHECK(later.counts().unsubmitted == 3);  // what failed so, too
  hole.phase = JobStatus::Phase::kRunning;
  later.step();
  CHECK(hole.tokens.size() == 2);
  CHECK_FALSE(later.given_up());
}

TEST_CASE("what was handed over just before a job gave up does not hide why it did") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.phase = JobStatus::Phase::kRunning;
  Campaign campaign = runs_of({"a-a1", "b-a1"});
  REQUIRE(campaign.jobs.size() == 1);
  PlannedJob larger = campaign.jobs.front();
  larger.name = "q";
  larger.nodes = 2;
  larger.runs = {campaign.jobs.front().runs.back()};
  campaign.jobs.front().runs.pop_back();
  campaign.jobs.push_back(larger);
  auto machine = machine_on(files, hole, campaign);
  machine.step();
  REQUIRE(machine.submissions().size() == 2);
  files.write("/s/given-up", "until=1 after=1\na-a1\tn1\tkind\twords\n");
  machine.look();
  REQUIRE(machine.has_given_up());
  REQUIRE(machine.given_up());
  CHECK(machine.given_up()->evidence == "words");
  machine.step();
  REQUIRE(machine_on(files, hole, campaign).given_up());  // as who looks later has to know
}

TEST_CASE("jobs that wait in vain are cancelled, and taken up by who comes later") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.phase = JobStatus::Phase::kWaiting;
  auto machine = machine_on(files, hole);
  machine.step();
  CHECK(machine.step() == kWaiting);
  CHECK(hole.cancelled.empty());
  files.write("/s/given-up", "until=1 after=1\nz-a1\tn1\tkind\twords\n");
  machine.step();
  CHECK(hole.cancelled == hole.tokens);
  hole.phase = JobStatus::Phase::kEnded;
  hole.end = End::kUser;
  RunCounts let_be = kLost;
  let_be.let_be = 1;
  CHECK(machine.step() == let_be);
  CHECK(machine_on(files, hole).counts() == kUnsubmitted);
}

TEST_CASE("a lost run that is not wanted any more is not handed over again") {
  test::MemoryFiles files;
  BlackHole hole;
  machine_on(files, hole).step();
  Campaign campaign = one_run();
  campaign.jobs[0].runs[0].left = true;
  campaign.jobs[0].runs.push_back({"new-a1", "q", 1, 2});
  std::vector<std::size_t> launched;
  CampaignMachine machine(SweepFolder(files, "/s"), files, hole, campaign,
                          [&](const Submission&, const std::vector<TaskPlan>& tasks) {
                            launched.push_back(tasks.at(0).runs.size());
                            CHECK(tasks.at(0).runs.at(0).name == "new-a1");
                            return JobFiles{"script", {}};
                          },
                          {});
  for (int i = 0; i < 10; ++i) machine.step();
  CHECK(launched == std::vector<std::size_t>{1, 1, 1});  // a new run, and it may be tried thrice
  CHECK(machine.counts() == RunCounts{0, 0, 0, 0, 0, 1, 0, 0, 1});
}

TEST_CASE("what an earlier submission began and lost does not count as running") {
  test::MemoryFiles files;
  BlackHole hole;
  auto machine = machine_on(files, hole);
  machine.step();
  files.write("/s/run-a1/1-local-0/started", "1\n");
  machine.step();  // lost, and handed over again
  hole.phase = JobStatus::Phase::kRunning;
  CHECK(machine.step() == kWaiting);
  CHECK(machine_on(files, hole).counts() == kWaiting);
  files.write("/s/run-a1/2-local-0/started", "2\n");
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

TEST_CASE("a job that never arrives is handed over again under its name, and that is no try") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.answer = Handed::Answer::kUnsure;
  hole.phase = JobStatus::Phase::kAbsent;
  auto machine = machine_on(files, hole);
  for (int i = 0; i < 6; ++i) machine.step();
  CHECK(hole.tokens == std::vector<std::string>(6, hole.tokens.at(0)));
  hole.answer = Handed::Answer::kTaken;
  for (int i = 0; i < 10; ++i) machine.step();
  CHECK(machine.counts() == kLost);
  CHECK(std::set<std::string>(hole.tokens.begin(), hole.tokens.end()).size() == 3);
}

TEST_CASE("what refuses three times in words of its own, and hands nothing over, is believed") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.answer = Handed::Answer::kUnsure;
  hole.is_strange = true;
  hole.phase = JobStatus::Phase::kAbsent;
  auto machine = machine_on(files, hole);
  for (int i = 0; i < 3; ++i) machine.step();
  CHECK(hole.tokens.size() == 3);
  CHECK_THROWS_WITH(machine.step(), Catch::Contains("budget (3 times, and none arrived)"));
  CHECK(hole.tokens.size() == 3);
}

TEST_CASE("where the scheduler's program is missing nothing is waited for but what is under way") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.is_missing = true;
  CHECK_THROWS_AS(machine_on(files, hole).step(), MissingProgram);
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

TEST_CASE("a scheduler whose clock is hours off undoes no cancel that was watched") {
  const std::int64_t ahead_s = GENERATE(-7200, 7200);
  test::MemoryFiles files;
  BlackHole hole;
  hole.phase = JobStatus::Phase::kRunning;
  MachineOptions options;
  options.now = [] { return std::int64_t{1'000'000}; };
  auto machine = machine_on(files, hole, one_run(), options);
  for (int i = 0; i < 2; ++i) machine.step();
  hole.phase = JobStatus::Phase::kEnded;
  hole.end = End::kUser;
  hole.at = 1'000'000 + ahead_s;
  for (int i = 0; i < 3; ++i) CHECK(machine.step().cancelled == 1);
  CHECK(hole.tokens.size() == 1);
}

TEST_CASE("who was handing over when somebody cancelled hands over no more") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.phase = JobStatus::Phase::kRunning;
  const Campaign campaign = [] {
    Campaign two = one_run();
    two.jobs.push_back({"later", 1, 2, {{"run-a2", "p", 1, 1}}});
    return two;
  }();
  hole.most_tasks = 1;
  MachineOptions options;
  std::int64_t now = 1000;
  options.now = [&] { return now; };
  auto machine = machine_on(files, hole, campaign, options);
  machine.step();
  const auto handed = [&] { return hole.tokens.size(); };
  const std::size_t before = handed();
  machine_on(files, hole, campaign, options).cancel();
  CHECK(hole.cancelled.size() == 1);
  hole.phase = JobStatus::Phase::kEnded;
  hole.end = End::kUser;
  hole.live = 0;
  now += 3600;
  CHECK_THROWS_WITH(machine.step(), Catch::Contains("'pippin cancel' was called meanwhile"));
  CHECK(handed() == before);
  auto later = machine_on(files, hole, campaign, options);
  later.step();
  CHECK(handed() > before);
}

TEST_CASE("a cluster that has not got the jobs is not asked for them, nor given more") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.where = "east at a:1";
  hole.phase = JobStatus::Phase::kRunning;
  machine_on(files, hole).step();
  CHECK(hole.tokens.size() == 1);
  CHECK(files.read("/s/scheduler") == "east at a:1\n");
  hole.where = "west at b:1";
  hole.phase = JobStatus::Phase::kEnded;  // as it knows none of them
  const char* words = "its jobs are on east at a:1, and this is west at b:1";
  auto elsewhere = machine_on(files, hole);
  CHECK_THROWS_WITH(elsewhere.step(), Catch::Contains(words));
  CHECK_THROWS_WITH(elsewhere.cancel(), Catch::Contains(words));
  CHECK(elsewhere.observe() == kWaiting);
  CHECK(hole.tokens.size() == 1);
  CHECK(hole.cancelled.empty());
  // One that is silent may be the right one.
  hole.is_silent = true;
  hole.phase = JobStatus::Phase::kUnknown;
  CHECK_NOTHROW(machine_on(files, hole).step());
  hole.is_silent = false;
  hole.where = "east at a:1";
  hole.phase = JobStatus::Phase::kEnded;
  machine_on(files, hole).step();
  CHECK(hole.tokens.size() == 2);  // what is lost there is tried again
  leave(files, "run-a1", "2-1-0", 0);
  auto done = machine_on(files, hole);
  done.step();
  REQUIRE(done.counts().finished());
  // Nothing is left there: what comes next may go to another one.
  hole.where = "west at b:1";
  hole.phase = JobStatus::Phase::kRunning;
  machine_on(files, hole, runs_of({"run-b1"})).step();
  CHECK(hole.tokens.size() == 3);
  CHECK(files.read("/s/scheduler") == "west at b:1\n");
}

TEST_CASE("a run that failed by hand is tried again where nothing was given up") {
  test::MemoryFiles files;
  leave(files, "run-a1", "hand-1", 1);
  BlackHole hole;
  MachineOptions options;
  options.retry_failed = true;
  auto machine = machine_on(files, hole, one_run(), options);
  machine.step();
  CHECK(hole.tokens.size() == 1);
}

TEST_CASE("what was cancelled before it arrived is not handed over again") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.answer = Handed::Answer::kUnsure;
  auto machine = machine_on(files, hole);
  machine.step();
  machine_on(files, hole).cancel();
  hole.phase = JobStatus::Phase::kAbsent;
  CHECK(machine.step().cancelled == 1);
  CHECK(machine.fate("run-a1").evidence == "cancelled before it arrived");
  CHECK(hole.tokens.size() == 1);
  hole.answer = Handed::Answer::kTaken;
  machine_on(files, hole).step();
  CHECK(hole.tokens.size() == 2);  // who comes later takes it up
}

TEST_CASE("what was cancelled and arrives later is cancelled again") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.answer = Handed::Answer::kUnsure;
  auto machine = machine_on(files, hole);
  machine.step();
  machine_on(files, hole).cancel();
  hole.cancelled.clear();
  hole.phase = JobStatus::Phase::kWaiting;
  machine.step();
  CHECK(hole.cancelled == hole.tokens);
}

TEST_CASE("a job that has begun did arrive, though no scheduler knows it any more") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.answer = Handed::Answer::kUnsure;
  hole.phase = JobStatus::Phase::kUnknown;
  auto machine = machine_on(files, hole);
  machine.step();
  files.make_directory("/s/jobs/job-s1/claim-7-0");
  hole.phase = JobStatus::Phase::kAbsent;
  hole.answer = Handed::Answer::kTaken;
  machine.step();
  REQUIRE(hole.tokens.size() == 2);
  CHECK(hole.tokens[0] != hole.tokens[1]);  // it was lost, and is tried again under another name
}

TEST_CASE("a failure whose job was still unexplained is run again by who is to retry failures") {
  test::MemoryFiles files;
  BlackHole hole;
  machine_on(files, hole).step();
  leave(files, "run-a1", "1-7-0", 1);
  hole.end = End::kCompleted;
  MachineOptions options;
  options.retry_failed = true;
  auto machine = machine_on(files, hole, one_run(), options);
  machine.step();
  CHECK(hole.tokens.size() == 2);
  leave(files, "run-a1", "2-8-0", 1);
  for (int i = 0; i < 3; ++i) machine.step();
  CHECK(machine.counts() == RunCounts{0, 0, 0, 0, 1, 0, 0, 0});
  CHECK(hole.tokens.size() == 2);  // its own failures are final
}

namespace {

/// A scheduler under which pippin dies while it hands over, and that notes what it is asked.
class DeadlyScheduler : public BlackHole {
 public:
  Handed submit(const JobRequest& request) override {
    if (deadly) machine_failed("died");
    return BlackHole::submit(request);
  }
  std::map<std::string, std::vector<JobStatus>> query(const std::vector<Asked>& these) override {
    asked = these;
    return BlackHole::query(these);
  }
  bool deadly = true;
  std::vector<Asked> asked;
};

}  // namespace

TEST_CASE("who died handing over on this machine tries no more, on another he may") {
  for (const std::string host : {"here", "elsewhere"}) {
    CAPTURE(host);
    test::MemoryFiles files;
    DeadlyScheduler scheduler;
    scheduler.phase = JobStatus::Phase::kUnknown;
    MachineOptions options;
    options.host = "here";
    options.process = "7";
    options.now = [] { return std::int64_t{100}; };
    CHECK_THROWS_WITH(machine_on(files, scheduler, one_run(), options).step(), "died");
    scheduler.deadly = false;
    options.host = host;
    options.now = [] { return std::int64_t{500}; };
    machine_on(files, scheduler, one_run(), options).step();
    REQUIRE(scheduler.asked.size() == 1);
    CHECK((scheduler.asked[0].tried_until == 500) == (host == "here"));
    CHECK(scheduler.asked[0].tried_until > 100);
    const auto journal = files.read("/s/jobs/job-s1/journal").value_or("");
    CHECK((journal.find("tried_until\t500\n") != std::string::npos) == (host == "here"));
  }
}

TEST_CASE("an end of a task that its submission has not is nobody's") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.phase = JobStatus::Phase::kWaiting;
  machine_on(files, hole).step();
  files.write("/s/jobs/job-s1/ended", "0\tuser\tx\n2\tuser\tx\n7\tuser\tx\n");
  auto machine = machine_on(files, hole);
  CHECK(machine.submissions().at(0).settled == std::vector<bool>{false});
  CHECK(machine.counts() == kWaiting);
}

TEST_CASE("a run that has left the campaign does not matter when its job is handed over again") {
  test::MemoryFiles files;
  BlackHole hole;
  hole.answer = Handed::Answer::kUnsure;
  machine_on(files, hole, runs_of({"a", "b"})).step();
  hole.phase = JobStatus::Phase::kAbsent;
  auto machine = machine_on(files, hole, runs_of({"b"}));
  machine.step();
  CHECK(hole.tokens.size() == 2);
  CHECK(machine.counts() == kWaiting);
}

TEST_CASE("a run that has left the sweep is closed as such, not lost") {
  test::MemoryFiles files;
  BlackHole hole;
  Campaign campaign = one_run();
  campaign.jobs[0].runs[0].left = true;
  auto machine = machine_on(files, hole, campaign, {});
  CHECK(machine.step() == RunCounts{0, 0, 0, 0, 0, 0, 0, 0, 1});
  CHECK(machine.counts().finished());
  CHECK(machine.fate("run-a1").evidence == "it has left the sweep");
}
