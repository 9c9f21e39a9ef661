// SPDX-License-Identifier: Apache-2.0
// What a job script makes of PBS's variables and of what its qstat says.
#include <chrono>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "core/base/process.h"
#include "core/jobs/protocol.h"
#include "core/jobs/script.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;
using Strings = std::vector<std::string>;

namespace {

/// A folder with a job's script, and a qstat that says what it is told to.
class PbsJob {
 public:
  explicit PbsJob(const std::vector<ScriptRun>& runs, std::size_t tasks = 1) {
    JobScript script;
    script.directory = root_.path();
    script.root = root_.path();
    script.name = "job-s1";
    script.run_time_s = 100;
    for (std::size_t i = 1; i <= tasks; ++i) {
      script.tasks.push_back({fmt::format("job-{}", i), runs});
      if (tasks > 1) script.tasks.back().runs.front().name += fmt::format("-{}", i);
    }
    const JobFiles files = job_files(script);
    disk().write(root_ / "jobs/job-s1/job.sh", files.script);
    for (const auto& text : files.tasks) disk().write(root_ / "jobs/job-s1/tasks-1.sh", text);
    qstat_says("");
  }

  void qstat_says(const std::string& text) const {
    disk().write(root_ / "bin/qstat", "#!/bin/sh\ncat <<'EOF'\n" + text + "\nEOF\n");
    fs::permissions(root_ / "bin/qstat", fs::perms::owner_all);
  }

  Outcome begin(const Strings& variables, const std::string& id = "12.head") const {
    Strings command{"env", "PBS_ENVIRONMENT=PBS_BATCH", "PBS_JOBID=" + id,
                    "PATH=" + (root_ / "bin").string() + ":" + std::getenv("PATH")};
    command.insert(command.end(), variables.begin(), variables.end());
    command.insert(command.end(), {"bash", (root_ / "jobs/job-s1/job.sh").string()});
    return run_program(command);
  }

  Strings claims() const {
    Submission submission;
    submission.name = "job-s1";
    submission.tasks = {{"job", {"one"}}, {"job", {"run-2"}}, {"job", {"run-3"}}};
    Strings names;
    for (const auto& claim : SweepFolder(disk(), root_.path()).claims(submission, {1, 2, 3}, {}))
      names.push_back(fmt::format("{} task {}", claim.name, claim.task));
    return names;
  }

  std::string text(const std::string& file) const {
    return disk().read(root_ / file).value_or("(none)");
  }

  const test::TemporaryDirectory& root() const { return root_; }

 private:
  test::TemporaryDirectory root_;
};

/// As `qstat -f` prints the time at which a job began, `seconds` from now.
std::string begun(std::int64_t seconds) {
  return fmt::format("    stime = {:%a %b %d %H:%M:%S %Y}",
                     fmt::localtime(std::time(nullptr) + seconds));
}

}  // namespace

TEST_CASE("a PBS job's id names its claim, and its first node is where ranks meet") {
  const PbsJob job({{"one", {}, "echo $MASTER_ADDR $MASTER_PORT"}});
  disk().write(job.root() / "nodes", "n7.site\nn7.site\nn8.site\n");
  job.begin({"PBS_JOBCOOKIE=A", "PBS_NODEFILE=" + (job.root() / "nodes").string()});
  CHECK(job.claims() == Strings{"one/1-12-0 task 1"});
  CHECK(job.text("one/1-12-0/log") == "n7.site 20012\n");
  const std::string provenance = job.text("one/1-12-0/run");
  CHECK_THAT(provenance, Catch::Contains("nodes=n7.site,n8.site\n"));
  CHECK_THAT(provenance, Catch::Contains("PBS_JOBID=12.head\n") && !Catch::Contains("COOKIE"));
}

TEST_CASE("a task of a PBS array runs its own runs, under an id of its own") {
  const PbsJob job({{"run", {}, "echo $PIPPIN_JOB"}}, 3);
  job.begin({"PBS_JOBCOOKIE=A", "PBS_ARRAY_INDEX=3"}, "12[3].head");
  CHECK(job.claims() == Strings{"run-3/1-12.3-0 task 3"});
  CHECK(job.text("run-3/1-12.3-0/log") == "job-3\n");
  CHECK_FALSE(disk().exists(job.root() / "run-1"));
}

TEST_CASE("a PBS job that is begun again has a claim of its own, a second process of it has none") {
  const PbsJob job({{"one", {}, "kill -9 $$"}});
  job.begin({"PBS_JOBCOOKIE=A"});
  CHECK(job.claims() == Strings{"one/1-12-0 task 1"});
  const Outcome twin = job.begin({"PBS_JOBCOOKIE=A"});
  CHECK(twin.exit_code == 0);
  CHECK_THAT(twin.output, Catch::Contains("another process has begun this job"));
  job.begin({"PBS_JOBCOOKIE=B"});
  CHECK(job.claims() == Strings{"one/1-12-0 task 1", "one/1-12-1 task 1"});
  CHECK_THAT(job.begin({"PBS_JOBCOOKIE=B"}).output, Catch::Contains("another process"));
}

TEST_CASE("of many processes of one start of a PBS job one gets in") {
  const PbsJob job({{"one", {}, "echo ran >>" + std::string("\"$pippin_root/ran\"")}});
  const std::string script = (job.root() / "jobs/job-s1/job.sh").string();
  run_program({"env", "PBS_ENVIRONMENT=PBS_BATCH", "PBS_JOBID=12.head", "PBS_JOBCOOKIE=A", "bash",
               "-c", "for i in 1 2 3 4 5 6 7 8; do bash " + script + " & done; wait"});
  CHECK(job.text("ran") == "ran\n");
  CHECK(job.claims() == Strings{"one/1-12-0 task 1"});
}

TEST_CASE("where PBS gives no cookie, the number of its runs tells starts apart") {
  const PbsJob job({{"one", {}, "kill -9 $$"}});
  job.qstat_says("Job Id: 12.head\n    run_count = 1");
  job.begin({});
  job.qstat_says("Job Id: 12.head\n    run_count = 2");
  job.begin({});
  CHECK_THAT(job.begin({}).output, Catch::Contains("another process"));
  CHECK(job.claims() == Strings{"one/1-12-0 task 1", "one/1-12-1 task 1"});
}

TEST_CASE("of two PBS jobs under one token one runs") {
  const PbsJob job({{"one", {}, "kill -9 $$"}});
  job.begin({"PBS_JOBCOOKIE=A"});
  const Outcome other = job.begin({"PBS_JOBCOOKIE=B"}, "13.head");
  CHECK(other.exit_code == 0);
  CHECK_THAT(other.output, Catch::Contains("another job has begun this one: 12.head"));
  CHECK(job.claims() == Strings{"one/1-12-0 task 1"});
}

TEST_CASE("a PBS job starts no run that its walltime is too short for") {
  const std::vector<ScriptRun> runs{{"one", {}, "true"}, {"two", {}, "true"}};
  const PbsJob enough(runs), little(runs), unknown(runs);
  enough.qstat_says("Job Id: 12.head\n    Resource_List.walltime = 00:05:00\n" + begun(-10));
  little.qstat_says("Job Id: 12.head\n    Resource_List.walltime = 00:01:40\n" + begun(-10));
  for (const auto* job : {&enough, &little, &unknown}) job->begin({"PBS_JOBCOOKIE=A"});
  CHECK(disk().exists(enough.root() / "two/1-12-0/log"));
  CHECK(disk().exists(little.root() / "one/1-12-0/log"));  // the first is tried
  CHECK_FALSE(disk().exists(little.root() / "two/1-12-0"));
  CHECK(disk().exists(unknown.root() / "two/1-12-0/log"));
}
