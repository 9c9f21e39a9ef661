// SPDX-License-Identifier: Apache-2.0
#include <ctime>
#include <map>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "slurm/ask.h"
#include "slurm/slurm.h"
#include "tests/slurm/fake_slurm.h"

using namespace pippin;
using Catch::Contains;
using test::FakeSlurm;

namespace {

using Phase = JobStatus::Phase;

constexpr std::chrono::milliseconds kPause{1};
const std::string kConfig = "ClusterName = c1\nMaxArraySize = 11\nMaxJobCount = 100\n";
const std::string kAccounting = "AccountingStorageType = accounting_storage/slurmdbd\n";
const std::string kNoAccounting = "AccountingStorageType = accounting_storage/none\n";

JobRequest request_of(std::int64_t tasks = 1) {
  JobRequest request;
  request.token = "gpt-s1-abc";
  request.script = "/s/jobs/a/script.sh";
  request.log = "/s/100%/job.log";
  request.tasks = tasks;
  return request;
}

Asked asked_of(const std::string& token, std::int64_t tasks = 1, bool handed = true) {
  Asked asked;
  asked.token = token;
  asked.tasks = tasks;
  asked.handed = handed;
  asked.owner = slurm::own_user();
  return asked;
}

std::string queued(const std::string& token, const std::string& id, const std::string& state,
                   const std::string& user = slurm::own_user()) {
  return token + "|" + id + "|" + state + "|None|1|2|n1|" + user + "|/d/s/jobs/a/job.sh\n";
}

std::string accounted(const std::string& token, const std::string& id, const std::string& state) {
  return token + "|" + id + "|" + state + "|None|1|2|n1|" + slurm::own_user() + "|0:0\n";
}

std::vector<JobStatus> status_of(SlurmScheduler& slurm, const Asked& asked) {
  return slurm.query({asked}).at(asked.token);
}

}  // namespace

TEST_CASE("sbatch is told name, log and script of a job, and that its twins must not overlap") {
  FakeSlurm fake;
  fake.says("sbatch", "4711;c1\n");
  const Handed handed = SlurmScheduler().submit(request_of());
  CHECK(handed.answer == Handed::Answer::kTaken);
  CHECK(handed.words == "4711");
  CHECK(fake.calls("sbatch") ==
        std::vector<std::string>{
            "sbatch [--parsable] [--job-name=gpt-s1-abc] [--output=/s/100%%/job.log] "
            "[--open-mode=append] [--dependency=singleton] [/s/jobs/a/script.sh] {}"});
}

TEST_CASE("an array has a limit, a time and the options of the job, and one log") {
  FakeSlurm fake;
  fake.says("sbatch", "4711\n");
  ::setenv("TZ", "UTC0", 1);
  ::tzset();
  JobRequest request = request_of(3);
  request.options = {"--time=60"};
  request.begin = 1712372532;
  SlurmScheduler().submit(request);
  CHECK(fake.calls("sbatch") ==
        std::vector<std::string>{
            "sbatch [--parsable] [--job-name=gpt-s1-abc] [--output=/s/100%%/job.log] "
            "[--open-mode=append] [--array=1-3] [--begin=2024-04-06T03:02:12] [--time=60] "
            "[/s/jobs/a/script.sh] {}"});
  request.max_in_flight = 2;
  SlurmScheduler().submit(request);
  CHECK_THAT(fake.calls("sbatch").at(0), Contains("[--array=1-3%2]"));
}

TEST_CASE("a job is kept off nodes beside those that the cluster's file keeps it off") {
  FakeSlurm fake;
  fake.says("sbatch", "4711\n");
  JobRequest request = request_of();
  request.exclude = {"n3", "n4"};
  slurm::Place place;
  place.exclude = "n[1-2]";
  SlurmScheduler(place).submit(request);
  CHECK_THAT(fake.calls("sbatch").at(0), Contains("[--exclude=n[1-2],n3,n4]"));
  SlurmScheduler(place).submit(request_of());
  CHECK_THAT(fake.calls("sbatch").at(0), !Contains("--exclude"));
}

TEST_CASE("a job that keeps to some nodes is kept off all others") {
  FakeSlurm fake;
  fake.says("sbatch", "4711\n");
  fake.says("sinfo", "n1\nn2\nn2\nn3\n");
  JobRequest request = request_of();
  request.only_on = {"n2"};
  SlurmScheduler().submit(request);
  CHECK_THAT(fake.calls("sbatch").at(0), Contains("[--exclude=n1,n3]"));
  request.only_on = {"n2", "n9"};
  const Handed refused = SlurmScheduler().submit(request);
  CHECK(refused.answer == Handed::Answer::kRefused);
  CHECK_THAT(refused.words, Contains("no node 'n9'"));
  fake.fails("sinfo", "slurm_load_partitions: Unable to contact slurm controller\n");
  CHECK(SlurmScheduler().submit(request).answer == Handed::Answer::kNoRoom);
  CHECK(fake.calls("sbatch").empty());
}

TEST_CASE("a node that Slurm knows no more is named with what allows it") {
  FakeSlurm fake;
  fake.fails("sbatch", "sbatch: error: Batch job submission failed: Invalid node name specified\n");
  JobRequest request = request_of();
  request.exclude = {"n3"};
  const Handed handed = SlurmScheduler().submit(request);
  CHECK(handed.answer == Handed::Answer::kRefused);
  CHECK_THAT(handed.words, Contains("Invalid node name specified; excluded are n3: "
                                    "'pippin nodes --allow NODE'"));
}

TEST_CASE("jobs that wait are kept off nodes beside those that they are kept off already") {
  FakeSlurm fake;
  const std::vector<Asked> asked{asked_of("t", 4), asked_of("u")};
  fake.says("squeue", "t|7_[3-4%2]|n[5-6]|/a\nother|8||/b\nu|9|(null)|/c\n");
  SlurmScheduler().exclude(asked, {"n1", "n2"});
  CHECK(
      fake.calls("scontrol") ==
      std::vector<std::string>{"scontrol [update] [jobid=7_[3-4]] [excnodelist=n[5-6],n1,n2] {%s}",
                               "scontrol [update] [jobid=9] [excnodelist=n1,n2] {%s}"});
  fake.fails("scontrol", "Job is no longer pending execution for job 9\n");
  CHECK_NOTHROW(SlurmScheduler().exclude(asked, {"n1"}));
  fake.fails("scontrol", "slurm_update error: Access/permission denied\n");
  CHECK_THROWS_AS(SlurmScheduler().exclude(asked, {"n1"}), Error);
  fake.fails("squeue", "Unable to contact slurm controller\n");
  CHECK_THROWS_AS(SlurmScheduler().exclude(asked, {"n1"}), Error);
}

TEST_CASE("what has to end first is what of it still waits or runs") {
  FakeSlurm fake;
  fake.says("sbatch", "4711\n");
  fake.says("squeue", queued("a", "7_1", "RUNNING") + queued("a", "7_2", "PENDING") +
                          queued("b", "8", "COMPLETED") + queued("other", "9", "RUNNING") +
                          queued("b", "10", "COMPLETING"));
  JobRequest request = request_of();
  request.after = {asked_of("a", 3), asked_of("b")};
  SlurmScheduler().submit(request);
  CHECK_THAT(fake.calls("sbatch").at(0),
             Contains("[--dependency=afterany:10:7]") && !Contains("singleton"));
  CHECK_THAT(fake.calls("squeue").at(0), Contains("[--user=" + slurm::own_user() + "]") &&
                                             Contains("[--states=all]") && Contains("{%s}"));
  fake.fails("squeue", "slurm_load_jobs error: Unable to contact slurm controller\n");
  const Handed handed = SlurmScheduler().submit(request);
  CHECK(handed.answer == Handed::Answer::kNoRoom);
  CHECK(handed.words ==
        "Slurm does not answer: slurm_load_jobs error: Unable to contact slurm controller");
  CHECK(fake.calls("sbatch").empty());
}

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

TEST_CASE("a cluster is told from another by its name and its controller") {
  FakeSlurm fake;
  fake.says("scontrol", kConfig + "SlurmctldHost[0] = head(10.0.0.1)\nSlurmctldPort = 6817\n");
  CHECK(SlurmScheduler().place() == "c1 at head:6817");
}

TEST_CASE("what a site refuses of an array may be taken of a shorter one") {
  FakeSlurm fake;
  fake.fails("sbatch",
             "sbatch: error: Batch job submission failed: Invalid job array specification\n");
  CHECK(SlurmScheduler().submit(request_of(6)).answer == Handed::Answer::kNoRoom);
  CHECK(SlurmScheduler().submit(request_of(1)).answer == Handed::Answer::kRefused);
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
  fake.says("squeue", "mine|7_[3-4]|(null)|/d/s/jobs/a/job.sh\nmine|8|(null)|/d/s/jobs/a/job.sh\n");
  slurm.exclude({asked}, {"n1"});
  CHECK(fake.calls("scontrol") ==
        std::vector<std::string>{"scontrol [update] [jobid=7_[3-4]] [excnodelist=n1] {%s}"});

  // A controller that has lost its state gives an id to another.
  asked.script = "/d/s/jobs/b/job.sh";
  fake.says("squeue", queued("t", "7_1", "RUNNING") + queued("mine", "7_2", "RUNNING"));
  CHECK(status_of(slurm, asked)[1].evidence == "Slurm no longer knows it");
  fake.calls("scontrol");
  fake.says("squeue", "mine|7_[3-4]|(null)|/d/s/jobs/a/job.sh\n");
  slurm.exclude({asked}, {"n1"});
  CHECK(fake.calls("scontrol").empty());
}

TEST_CASE("a job that was renamed before its id was known is known by its script") {
  FakeSlurm fake;
  fake.says("scontrol", kConfig + kNoAccounting);
  fake.says("squeue", queued("site", "7", "RUNNING") + "a\nb|8|PENDING|None|1|2||me|/x\n");
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

TEST_CASE("what the user's jobs wait for joins what pippin's own wait for") {
  FakeSlurm fake;
  fake.says_as_it_is("sbatch", "7\n");
  JobRequest request = request_of();
  const auto dependency = [&](const std::string& users) {
    SlurmScheduler({"", "", "", users}, kPause).submit(request);
    return fake.calls("sbatch").at(0);
  };
  CHECK_THAT(dependency("afterok:4711"), Contains("[--dependency=afterok:4711,singleton]"));
  CHECK_THAT(dependency(""), Contains("[--dependency=singleton]"));
  request.tasks = 3;
  CHECK_THAT(dependency("afterok:4711"), Contains("[--dependency=afterok:4711]"));
  CHECK_THAT(dependency(""), !Contains("--dependency"));
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

TEST_CASE("there is room for what the controller's and the user's limits leave") {
  FakeSlurm fake;
  const std::string me = slurm::own_user();
  fake.says("scontrol", kConfig + kAccounting + "AccountingStorageEnforce = associations,limits\n");
  fake.says_as_it_is("squeue", "PENDING\nCOMPLETED\n");
  fake.says_as_it_is("sdiag", "Jobs pending: 2\nJobs running: 1\n");
  fake.says_as_it_is("sacctmgr.user", "six|six|normal|\n");
  fake.says_as_it_is("sacctmgr.qos", "normal||30||\nlong||20||\n");
  fake.says_as_it_is("scontrol.assoc_mgr", "QOS=normal(1)\n  User Limits\n  " +
                                               std::to_string(::getuid()) +
                                               "\n  MaxSubmitJobsPU=30(1)\n");
  Room room = SlurmScheduler().room();
  CHECK(room.tasks_per_job == 10);
  CHECK(room.tasks == 29);
  CHECK_THAT(room.limit, Contains("QOS normal"));
  CHECK_THAT(fake.calls("squeue").at(0), Contains("[--array]") && Contains("[--states=all]") &&
                                             Contains("[--user=" + me + "]"));
  const auto asked = fake.calls("sacctmgr");
  REQUIRE(asked.size() == 2);
  CHECK_THAT(asked[0], Contains("[show] [user] [" + me + "] [withassoc] [where] [cluster=c1]"));
  CHECK(SlurmScheduler({"six", "long", ""}).room().tasks == 20);
  fake.says("scontrol", kConfig + kAccounting);  // which holds to no limits
  fake.calls("sacctmgr");
  CHECK(SlurmScheduler().room().tasks == 96);
  fake.says("scontrol", kConfig + kNoAccounting);
  fake.calls("sacctmgr");
  CHECK(SlurmScheduler().room().tasks == 96);
  CHECK(fake.calls("sacctmgr").empty());
  fake.fails("squeue", "down\n");
  room = SlurmScheduler().room();
  CHECK(room.tasks == 0);
  CHECK(room.limit == "Slurm does not answer: down");
}

TEST_CASE("the configuration is asked for once, and its silence is the machine's failure") {
  FakeSlurm fake;
  fake.says("squeue", "");
  fake.fails("scontrol", "no controller\n");
  SlurmScheduler slurm({}, kPause);
  CHECK(status_of(slurm, asked_of("t")).at(0).evidence == "Slurm does not answer: no controller");
  fake.works("scontrol");
  fake.says("scontrol", kConfig + kNoAccounting);
  fake.calls("scontrol");
  for (int i = 0; i < 3; ++i) status_of(slurm, asked_of("t"));
  CHECK(fake.calls("scontrol") == std::vector<std::string>{"scontrol [show] [config] {%s}"});
}

TEST_CASE("what waits or runs is cancelled, each job or array once") {
  FakeSlurm fake;
  fake.says("squeue", queued("a", "7_1", "RUNNING") + queued("a", "7_[2-3]", "PENDING") +
                          queued("b", "8", "COMPLETED") + queued("c", "9", "PENDING"));
  SlurmScheduler().cancel({asked_of("a", 3), asked_of("b"), asked_of("c")});
  CHECK(fake.calls("scancel") == std::vector<std::string>{"scancel [7] [9] {%s}"});
  fake.fails("scancel", "scancel: error: denied\n");
  CHECK_THROWS_WITH(SlurmScheduler().cancel({asked_of("c")}), "scancel: scancel: error: denied");
  fake.calls("scancel");
  fake.says("squeue", queued("b", "8", "COMPLETED"));
  SlurmScheduler().cancel({asked_of("b")});
  CHECK(fake.calls("scancel").empty());
}

TEST_CASE("what waits is changed, and counted by its tasks") {
  FakeSlurm fake;
  fake.says("squeue", queued("a", "7_1", "RUNNING") + queued("a", "7_[2-4%2]", "PENDING") +
                          queued("b", "8", "PENDING"));
  SlurmScheduler slurm({}, kPause);
  CHECK(slurm.update({asked_of("a", 4), asked_of("b")}, {"TimeLimit=20"}) == 4);
  CHECK(fake.calls("scontrol") ==
        std::vector<std::string>{"scontrol [update] [jobid=7_[2-4]] [TimeLimit=20] {%s}",
                                 "scontrol [update] [jobid=8] [TimeLimit=20] {%s}"});
  fake.fails("scontrol", "Job is no longer pending execution for job 8\n");
  CHECK(slurm.update({asked_of("a", 4), asked_of("b")}, {"TimeLimit=20"}) == 0);
  fake.fails("scontrol", "slurm_update error: Access denied\n");
  CHECK_THROWS_WITH(slurm.update({asked_of("b")}, {"TimeLimit=20"}),
                    "scontrol update jobid=8: slurm_update error: Access denied");
}

TEST_CASE("sbatch checks a script without running it") {
  FakeSlurm fake;
  fake.says("sbatch", "");
  CHECK(SlurmScheduler::test("#!/bin/bash\n").empty());
  CHECK_THAT(fake.calls("sbatch").at(0), Contains("[--test-only]"));
  fake.fails("sbatch", "sbatch: error: invalid partition\nmore\n");
  CHECK_THROWS_WITH(SlurmScheduler::test("#!/bin/bash\n"),
                    "sbatch --test-only: sbatch: error: invalid partition");
}

TEST_CASE("variables that would change what Slurm's programs say do not reach them") {
  FakeSlurm fake;
  ::setenv("SQUEUE_FORMAT", "%i", 1);
  ::setenv("SLURM_CONF", "/etc/x.conf", 1);
  ::setenv("SLURMISH", "1", 1);
  const std::string script = "echo \"<${SQUEUE_FORMAT-}> <${SLURM_CONF-}> <${SLURM_BITSTR_LEN-}>\"";
  CHECK(slurm::ask({"/bin/sh", "-c", script}, std::chrono::seconds(20)).output ==
        "<> </etc/x.conf> <0>\n");
  ::unsetenv("SQUEUE_FORMAT");
  ::unsetenv("SLURM_CONF");
  ::unsetenv("SLURMISH");
}

TEST_CASE("what the shell says to srun reaches a job, and what it says to sbatch does not") {
  FakeSlurm fake;
  fake.is("sbatch",
          "echo \"<${SLURM_MPI_TYPE-}> <${SRUN_CPUS_PER_TASK-}> <${SLURM_JWT-}> "
          "<${SLURM_CLUSTERS-}> <${SLURM_HINT-}> <${SBATCH_ACCOUNT-}> "
          "<${SLURM_ARRAY_TASK_ID-}> <${SLURM_JOB_ID-}>\"");
  const std::map<std::string, std::string> variables{
      {"SLURM_MPI_TYPE", "pmix"},   {"SRUN_CPUS_PER_TASK", "8"}, {"SLURM_JWT", "token"},
      {"SLURM_CLUSTERS", "gpu"},    {"SLURM_HINT", "multi"},     {"SBATCH_ACCOUNT", "me"},
      {"SLURM_ARRAY_TASK_ID", "3"},
  };
  for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  const auto seen = [] { return slurm::ask({"sbatch"}, std::chrono::seconds(20)).output; };
  CHECK(seen() == "<pmix> <8> <token> <> <> <> <> <>\n");
  CHECK(slurm::dropped_variables() ==
        std::vector<std::string>{"SBATCH_ACCOUNT", "SLURM_CLUSTERS", "SLURM_HINT"});
  ::setenv("SLURM_JOB_ID", "4711", 1);
  CHECK(seen() == "<> <> <token> <> <> <> <> <>\n");
  ::unsetenv("SLURM_JOB_ID");
  for (const auto& [name, value] : variables) ::unsetenv(name.c_str());
}

TEST_CASE("a complaint is its first line, or how the program ended") {
  Answer answer;
  answer.exit_code = 3;
  CHECK(slurm::complaint_of(answer) == "exit 3 without a word");
  answer.errors = "\n one\ntwo\n";
  CHECK(slurm::complaint_of(answer) == "one");
  answer.gave_up = true;
  CHECK(slurm::complaint_of(answer) == "no answer in time");
}
