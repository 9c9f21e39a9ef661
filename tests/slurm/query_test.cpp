// SPDX-License-Identifier: Apache-2.0
// What becomes of jobs, by what squeue and sacct list.
#include <ctime>

#include "core/base/clock.h"
#include "tests/slurm/asked_jobs.h"
#include "tests/support/temporary.h"

using namespace pippin;
using namespace pippin::test;
using Catch::Contains;

using Phase = JobStatus::Phase;

TEST_CASE("of a token in the queue each task has its own status, and the most alive one") {
  FakeSlurm fake;
  fake.says("scontrol", kConfig + kNoAccounting);
  fake.says("squeue", queued("t", "7_[3-4]", "PENDING") + queued("t", "7_1", "COMPLETED") +
                          queued("t", "7_2", "COMPLETED") + queued("t", "9_2", "RUNNING") +
                          queued("t", "9_3", "COMPLETED") + queued("t", "9_9", "RUNNING") +
                          queued("t", "9_1", "RUNNING", "stranger") + queued("u", "8", "RUNNING"));
  SlurmScheduler slurm({}, kPause);
  const auto answers = slurm.query({asked_of("t", 4), asked_of("u")});
  REQUIRE(answers.size() == 2);
  REQUIRE(answers.at("t").size() == 4);
  CHECK(answers.at("t")[0].phase == Phase::kEnded);
  CHECK(answers.at("t")[1].phase == Phase::kRunning);
  CHECK(answers.at("t")[2].phase == Phase::kWaiting);
  CHECK(answers.at("t")[3].phase == Phase::kWaiting);
  CHECK(answers.at("u")[0].phase == Phase::kRunning);
  CHECK(fake.calls("sacct").empty());
}

TEST_CASE("a queue that does not answer says nothing of any task") {
  FakeSlurm fake;
  fake.fails("squeue", "");
  SlurmScheduler slurm({}, kPause);
  const auto tasks = status_of(slurm, asked_of("t", 2));
  REQUIRE(tasks.size() == 2);
  for (const auto& task : tasks) {
    CHECK(task.phase == Phase::kUnknown);
    CHECK(task.evidence == "Slurm does not answer: exit 1 without a word");
  }
}

TEST_CASE("a queue that knows no such user just now says nothing of any task") {
  FakeSlurm fake;
  fake.says("scontrol", kConfig + kNoAccounting);
  fake.fails("squeue", "error: Invalid user: gone\n", 0);
  SlurmScheduler slurm({}, kPause);
  const auto task = status_of(slurm, asked_of("t")).at(0);
  CHECK(task.phase == Phase::kUnknown);
  CHECK(task.evidence == "Slurm does not answer: error: Invalid user: gone");
}

TEST_CASE("accounting that does not answer takes nothing away from what the queue has said") {
  FakeSlurm fake;
  fake.says("scontrol", kConfig + kAccounting);
  fake.says("squeue", queued("t", "7_2", "RUNNING"));
  fake.fails("sacct", "sacct: error: Too wide of a date range in query\n");
  SlurmScheduler slurm({}, kPause);
  const auto tasks = status_of(slurm, asked_of("t", 2));
  CHECK(tasks[0].phase == Phase::kUnknown);
  CHECK(tasks[0].evidence ==
        "Slurm's accounting does not answer: sacct: error: Too wide of a date range in query");
  CHECK(tasks[1].phase == Phase::kRunning);
}

TEST_CASE("accounting is asked from a day before the oldest was handed over, or for 100 days") {
  FakeSlurm fake;
  fake.says("scontrol", kConfig + kAccounting);
  fake.says("squeue", "");
  fake.says("sacct", "");
  constexpr std::int64_t kDay = 86400;
  const std::int64_t now = std::time(nullptr);
  SlurmScheduler slurm({}, kPause);
  const auto asked_from = [&](std::int64_t handed_over) {
    Asked one = asked_of("t");
    one.tried_until = handed_over;
    slurm.query({one});
    const std::string call = fake.calls("sacct").at(0);
    const auto at = call.find("--starttime=") + 12;
    return call.substr(at, call.find(']', at) - at);
  };
  CHECK(asked_from(now - 100) == local_text(now - 100 - kDay, "%FT%T"));
  CHECK(asked_from(0).substr(0, 10) == local_text(now - 100 * kDay, "%F"));
}

TEST_CASE("what has left the queue is looked up in accounting, which may lag") {
  FakeSlurm fake;
  fake.says("scontrol", kConfig + kAccounting);
  fake.says("squeue", queued("t", "7_2", "RUNNING"));
  fake.says("sacct", accounted("t", "7_1", "TIMEOUT") + accounted("t", "7_2", "FAILED") +
                         accounted("t", "7_3", "RUNNING"));
  SlurmScheduler slurm({}, kPause);
  const auto tasks = status_of(slurm, asked_of("t", 4));
  CHECK(tasks[0].phase == Phase::kEnded);
  CHECK(tasks[0].end == End::kLimit);
  CHECK(tasks[1].phase == Phase::kRunning);
  for (const std::size_t late : {2, 3}) {
    CHECK(tasks[late].phase == Phase::kUnknown);
    CHECK(tasks[late].evidence == "it has left the queue; accounting lags");
  }
  CHECK_THAT(fake.calls("sacct").at(0), Contains("[--name=t]") && Contains("[--allocations]") &&
                                            Contains("[--parsable2]") &&
                                            Contains("[--user=" + slurm::own_user() + "]"));
  fake.fails("sacct", "sacct: error: no daemon\n");
  CHECK(status_of(slurm, asked_of("t", 4))[0].evidence ==
        "Slurm's accounting does not answer: sacct: error: no daemon");
}

TEST_CASE("without accounting what was handed over and is gone has ended, nobody knows how") {
  FakeSlurm fake;
  fake.says("scontrol", kConfig + kNoAccounting);
  fake.says("squeue", "");
  SlurmScheduler slurm({}, kPause);
  const auto task = status_of(slurm, asked_of("t")).at(0);
  CHECK(task.phase == Phase::kEnded);
  CHECK(task.end == End::kUnknown);
  CHECK(task.evidence == "Slurm no longer knows it");
  CHECK(fake.calls("sacct").empty());
}

TEST_CASE("accounting is asked for a thousand tokens at a time, and for the others later") {
  FakeSlurm fake;
  fake.says("scontrol", kConfig + kAccounting);
  fake.says("squeue", "");
  fake.says("sacct", "");
  std::vector<Asked> asked;
  asked.reserve(1001);
  for (int i = 0; i < 1001; ++i) asked.push_back(asked_of("t" + std::to_string(i)));
  const auto answers = SlurmScheduler({}, kPause).query(asked);
  CHECK(answers.at("t1000")[0].evidence == "its accounting is asked for later");
  CHECK(answers.at("t1000")[0].phase == Phase::kUnknown);
  CHECK(answers.at("t999")[0].evidence == "it has left the queue; accounting lags");
  CHECK_THAT(fake.calls("sacct").at(0), Contains(",t999]"));
}

TEST_CASE("a job that was renamed is known by the id that it was given and by its script") {
  FakeSlurm fake;
  fake.says("scontrol", "");
  fake.says("scontrol.config", kConfig + kNoAccounting);
  fake.says("squeue", queued("t", "7_1", "RUNNING") + queued("mine", "7_2", "RUNNING") +
                          queued("mine", "7_[3-4]", "PENDING") + queued("mine", "8", "RUNNING"));
  SlurmScheduler slurm({}, kPause);
  Asked asked = asked_of("t", 4);
  asked.id = "7";
  asked.script = "/link/to/s/jobs/a/job.sh";  // another name of the same folder
  const auto tasks = status_of(slurm, asked);
  CHECK(tasks[1].phase == Phase::kRunning);
  CHECK(tasks[3].phase == Phase::kWaiting);
  CHECK(slurm.update({asked}, {"TimeLimit=20"}) == 2);
  fake.says("squeue", queued("mine", "7_2", "RUNNING") + queued("mine", "8", "RUNNING"));
  slurm.cancel({asked});
  CHECK(fake.calls("scancel") == std::vector<std::string>{"scancel [7] {%s}"});
  fake.calls("scontrol");
  fake.says("squeue", queued("mine", "7_[3-4]", "PENDING") + queued("mine", "8", "PENDING"));
  slurm.exclude({asked}, {"n1"});
  CHECK(fake.calls("scontrol") ==
        std::vector<std::string>{"scontrol [update] [jobid=7_[3-4]] [excnodelist=n1] {%s}"});

  // A controller that has lost its state gives an id to another.
  asked.script = "/d/s/jobs/b/job.sh";
  fake.says("squeue", queued("t", "7_1", "RUNNING") + queued("mine", "7_2", "RUNNING"));
  CHECK(status_of(slurm, asked)[1].evidence == "Slurm no longer knows it");
  fake.calls("scontrol");
  fake.says("squeue", queued("mine", "7_[3-4]", "PENDING"));
  slurm.exclude({asked}, {"n1"});
  CHECK(fake.calls("scontrol").empty());
}

TEST_CASE("a job that was renamed before its id was known is known by its script") {
  FakeSlurm fake;
  fake.says("scontrol", kConfig + kNoAccounting);
  fake.says("squeue", queued("site", "7", "RUNNING") + "a\nb|8|PENDING|None|1|2||me||/x\n");
  SlurmScheduler slurm({}, kPause);
  for (const std::string id : {"", "found"}) {
    Asked asked = asked_of("t", 1, !id.empty());
    asked.id = id;
    asked.script = "/d/s/jobs/a/job.sh";
    CHECK(status_of(slurm, asked).at(0).phase == Phase::kRunning);
  }
}

TEST_CASE("of a job that was renamed accounting is asked by its id, and told by its command") {
  FakeSlurm fake;
  fake.says("scontrol", kConfig + kAccounting + "SLURM_VERSION = 22.05.8\n");
  fake.says("squeue", "");
  fake.says("sacct", "");
  fake.says("sacct.--jobs=7",
            accounted("sbatch --parsable --job-name=t --x /s.sh", "7", "TIMEOUT") +
                accounted("sbatch --job-name=u /s.sh", "7", "FAILED"));
  SlurmScheduler slurm({}, kPause);
  Asked asked = asked_of("t");
  asked.id = "7";
  CHECK(status_of(slurm, asked).at(0).end == End::kLimit);
  asked = asked_of("v");
  asked.id = "7";
  CHECK(status_of(slurm, asked).at(0).evidence == "it has left the queue; accounting lags");
  SlurmScheduler old({}, kPause);
  fake.says("scontrol", kConfig + kAccounting + "SLURM_VERSION = 20.11.9\n");
  fake.calls("sacct");
  asked = asked_of("t");
  asked.id = "7";
  CHECK(status_of(old, asked).at(0).phase == Phase::kUnknown);
  CHECK(fake.calls("sacct").size() == 1);
}

TEST_CASE("a state that is not known is no absence") {
  FakeSlurm fake;
  fake.says("scontrol", kConfig + kNoAccounting);
  fake.says("squeue", queued("t", "7", "REVOKED"));
  SlurmScheduler slurm({}, kPause);
  const auto task = status_of(slurm, asked_of("t")).at(0);
  CHECK(task.phase == Phase::kUnknown);
  CHECK_THAT(task.evidence, Contains("REVOKED"));
}

TEST_CASE("whose a job is does not hang on how a name is written") {
  FakeSlurm fake;
  fake.says("scontrol", kConfig + kNoAccounting);
  fake.says("squeue", queued("t", "7", "RUNNING", "dom\\alice"));
  SlurmScheduler slurm({}, kPause);
  Asked asked = asked_of("t");
  for (const char* owner : {"DOM\\Alice", "1000"}) {  // which a machine could not look up
    asked.owner = owner;
    CHECK(status_of(slurm, asked).at(0).phase == Phase::kRunning);
  }
  asked.owner = "bob";
  CHECK(status_of(slurm, asked).at(0).phase == Phase::kEnded);
}

TEST_CASE("what was tried a moment ago may arrive until its credential has run out") {
  FakeSlurm fake;
  fake.says("scontrol", kConfig + kNoAccounting + "AuthInfo = cred_expire=9,ttl=100\n");
  fake.says("squeue", "");
  SlurmScheduler slurm({}, kPause);
  const auto now = static_cast<std::int64_t>(std::time(nullptr));
  Asked asked = asked_of("t", 1, false);
  asked.tried_until = now;
  JobStatus task = status_of(slurm, asked).at(0);
  CHECK(task.phase == Phase::kUnknown);
  CHECK_THAT(task.evidence, Catch::Matches("it may arrive within 10[345] s"));
  asked.tried_until = now - 107;
  task = status_of(slurm, asked).at(0);
  CHECK(task.phase == Phase::kAbsent);
  CHECK(task.evidence == "it never arrived");
  asked.tried_until = now - 101;  // clocks may differ by seconds
  CHECK(status_of(slurm, asked).at(0).phase == Phase::kUnknown);
}

TEST_CASE(
    "what a clock ahead of this one has tried is waited for no longer than what was tried now") {
  FakeSlurm fake;
  fake.says("scontrol", kConfig + kNoAccounting + "AuthInfo = cred_expire=9,ttl=100\n");
  fake.says("squeue", "");
  SlurmScheduler slurm({}, kPause);
  const auto now = static_cast<std::int64_t>(std::time(nullptr));
  Asked asked = asked_of("t", 1, false);
  asked.tried_until = now + 7200;
  // As long as a sender may be at it, and what it sent may arrive.
  CHECK_THAT(status_of(slurm, asked).at(0).evidence,
             Catch::Matches("it may arrive within (29|30)[0-9] s"));
  CHECK_FALSE(status_of(slurm, asked).at(0).missed);
  asked.tried_until = now + 190;  // of a sender on another machine, which may be at it
  CHECK_THAT(status_of(slurm, asked).at(0).evidence,
             Catch::Matches("it may arrive within 29[0-9] s"));
}

TEST_CASE("what earlier processes have missed for a minute, and this one twice, has ended") {
  FakeSlurm fake;
  fake.says("scontrol", kConfig + kAccounting);
  fake.says("squeue", "");
  fake.says("sacct", accounted("t", "7", "PENDING"));
  Asked asked = asked_of("t");
  const auto answer = [&] {
    fake.calls("squeue");
    SlurmScheduler slurm({}, kPause);
    return status_of(slurm, asked).at(0);
  };
  CHECK(answer().missed);
  asked.missed_s = {{1, 50}};
  CHECK(answer().phase == Phase::kUnknown);
  CHECK(fake.calls("squeue").size() == 2);  // an empty answer is asked for again
  asked.missed_s = {{1, 61}};
  const JobStatus gone = answer();
  CHECK(gone.phase == Phase::kEnded);
  CHECK(gone.evidence == "Slurm no longer knows it");
  CHECK(fake.calls("squeue").size() == 3);
}

TEST_CASE("one empty answer of the queue is asked again before a job is given up") {
  FakeSlurm fake;
  fake.says("scontrol", kConfig + kNoAccounting);
  std::string line = queued("t", "7", "RUNNING");
  std::replace(line.begin(), line.end(), '|', '\x1f');
  const test::TemporaryDirectory folder;
  const std::string called = (folder / "called").string();
  fake.is("squeue",
          "if [ -e " + called + " ]; then printf '%s' '" + line + "'; else >" + called + "; fi\n");
  SlurmScheduler slurm({}, kPause);
  CHECK(status_of(slurm, asked_of("t")).at(0).phase == Phase::kRunning);
  fake.is("squeue", "echo call >>" + called + "\n");
  CHECK(status_of(slurm, asked_of("t")).at(0).evidence == "Slurm no longer knows it");
  CHECK(status_of(slurm, asked_of("t")).at(0).phase == Phase::kEnded);
  CHECK(disk().read(called) == "call\ncall\ncall\n");  // the second time once
}

TEST_CASE("an array of which a task is known did arrive") {
  FakeSlurm fake;
  fake.says("scontrol", kConfig + kNoAccounting);
  fake.says("squeue", queued("t", "7_1", "RUNNING"));
  SlurmScheduler slurm({}, kPause);
  const auto tasks = status_of(slurm, asked_of("t", 2, false));
  CHECK(tasks[0].phase == Phase::kRunning);
  CHECK(tasks[1].phase == Phase::kEnded);
}

TEST_CASE("a task that has vanished while it waited, from an array that is there, was cancelled") {
  FakeSlurm fake;
  fake.says("scontrol", kConfig + kNoAccounting + "MinJobAge = 300 sec\n");
  fake.says("squeue", queued("t", "7_1", "RUNNING") + queued("t", "7_[2-4%1]", "PENDING"));
  SlurmScheduler slurm({}, kPause);
  CHECK(status_of(slurm, asked_of("t", 4))[3].phase == Phase::kWaiting);
  fake.says("squeue", queued("t", "7_2", "RUNNING") + queued("t", "7_[3%1]", "PENDING"));
  const auto tasks = status_of(slurm, asked_of("t", 4));
  CHECK(tasks[3].end == End::kUser);
  CHECK(tasks[3].evidence == "cancelled while it waited");
  // It waited, too, when it was last seen, and who has begun is kept for MinJobAge.
  CHECK(tasks[0].evidence == "Slurm no longer knows it");
  // Who has not seen it wait cannot tell it from one that has come and gone.
  SlurmScheduler later({}, kPause);
  CHECK(status_of(later, asked_of("t", 4))[3].evidence == "Slurm no longer knows it");
  fake.says("squeue", "");
  CHECK(status_of(slurm, asked_of("t", 4))[2].evidence == "Slurm no longer knows it");
}

TEST_CASE("by its accounting a task that has vanished was cancelled where that never began it") {
  FakeSlurm fake;
  fake.says("scontrol", kConfig + kAccounting);
  fake.says("squeue", queued("t", "7_1", "RUNNING"));
  fake.says("sacct", accounted("t", "7_1", "RUNNING") + accounted("t", "7_3", "RUNNING"));
  SlurmScheduler slurm({}, kPause);
  Asked asked = asked_of("t", 3);
  asked.missed_s = {{2, 61}, {3, 61}};
  const auto tasks = status_of(slurm, asked);
  CHECK(tasks[0].phase == Phase::kRunning);
  CHECK(tasks[1].evidence == "cancelled while it waited");
  CHECK(tasks[2].evidence == "Slurm no longer knows it");
}
