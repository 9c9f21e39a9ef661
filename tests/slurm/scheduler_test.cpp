// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "core/base/error.h"
#include "tests/slurm/asked_jobs.h"

using namespace pippin;
using namespace pippin::test;
using Catch::Contains;

namespace {

JobRequest request_of(std::int64_t tasks = 1) {
  JobRequest request;
  request.token = "gpt-s1-abc";
  request.script = "/s/jobs/a/script.sh";
  request.log = "/s/100%/job.log";
  request.tasks = tasks;
  return request;
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
  fake.says("sinfo", "** welcome **\nnode=n1\nnode=n2\nnode=n2\nnode=n3\n");
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

TEST_CASE("that nodes which jobs are kept to do not go with the cluster file is said") {
  FakeSlurm fake;
  fake.says("sinfo", "node=n1\nnode=n2\n");
  fake.fails("sbatch",
             "sbatch: error: Batch job submission failed: Requested node configuration is not "
             "available\n");
  JobRequest request = request_of();
  request.only_on = {"n2"};
  CHECK_THAT(SlurmScheduler().submit(request).words,
             Contains("; --nodelist keeps jobs to n2: the cluster file may ask for other nodes"));
}

TEST_CASE("an answer without a cluster's name names no place") {
  FakeSlurm fake;
  fake.says("scontrol", "");
  CHECK_THROWS_WITH(SlurmScheduler().place(), "scontrol show config: an empty answer");
  fake.says("scontrol", "Configuration data\n");
  CHECK_THROWS_WITH(SlurmScheduler().place(), Contains("without ClusterName and SlurmctldHost"));
}

TEST_CASE("jobs that wait are kept off nodes beside those that they are kept off already") {
  FakeSlurm fake;
  const std::vector<Asked> asked{asked_of("t", 4), asked_of("u")};
  fake.says("squeue", queued("t", "7_[3-4%2]", "PENDING", slurm::own_user(), "n[5-6]") +
                          queued("t", "7_2", "RUNNING") + queued("other", "8", "PENDING") +
                          queued("u", "9", "PENDING"));
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
