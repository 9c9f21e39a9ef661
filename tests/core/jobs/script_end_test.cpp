// SPDX-License-Identifier: Apache-2.0
// When a job asks Slurm for its end.
#include <cstdlib>
#include <ctime>

#include "core/base/process.h"
#include "tests/core/jobs/job_scripts.h"
#include "tests/support/catch.h"
#include "tests/support/left_by_jobs.h"
#include "tests/support/temporary.h"

using namespace pippin;
using test::script_of;
using test::succeeded_of;
using test::write_files;

namespace {

/// A queue on PATH that says `words`, and how often it was asked, with what.
struct FakeQueue {
  explicit FakeQueue(const std::string& words) {
    const std::string calls = (root / "calls").string();
    disk().write(root / "bin/squeue", "#!/bin/bash\necho \"$@\" >>" + calls + "\n" + words + "\n");
    disk().write(root / "bin/scontrol", "#!/bin/bash\necho \"$@\" >>" + calls + "\n");
    for (const char* program : {"squeue", "scontrol"})
      fs::permissions(root / "bin" / program, fs::perms::owner_all);
  }
  /// A job of five runs that may take a minute each.
  void run_five(const std::vector<std::string>& variables,
                const std::string& command_of_one = "true") const {
    JobScript job = script_of(root.path(), {{"job", {}}});
    job.tasks[0].runs.push_back({"one", {}, command_of_one});
    for (const char* name : {"two", "three", "four", "five"})
      job.tasks[0].runs.push_back({name, {}, "true"});
    job.run_time_s = 60;
    std::vector<std::string> command{"env",
                                     "PATH=" + (root / "bin").string() + ":" + getenv("PATH")};
    command.insert(command.end(), variables.begin(), variables.end());
    command.insert(command.end(), {"bash", write_files(job).string()});
    CHECK(run_program(command).exit_code == 0);
  }
  std::size_t done() const { return succeeded_of(SweepFolder(disk(), root.path())).size(); }
  std::string calls() const { return disk().read(root / "calls").value_or(""); }

  test::TemporaryDirectory root;
};

}  // namespace

TEST_CASE("a job asks Slurm for its end once, however many runs it has") {
  const std::string words =
      GENERATE("echo $(($(date +%s) + 3000))", "echo N/A", "exit 1", "echo $(($(date +%s) + 30))");
  const FakeQueue queue(words);
  queue.run_five({"SLURM_JOB_ID=7"});
  CHECK(queue.done() == (words.find("+ 30))") == std::string::npos ? 5 : 1));
  CHECK(queue.calls() == "--noheader --jobs=7 --format=%e\n");
}

TEST_CASE("a job that is told its end asks only where it is too near") {
  const FakeQueue queue("echo $(($(date +%s) + 3000))");
  const auto now = static_cast<std::int64_t>(std::time(nullptr));
  queue.run_five({"SLURM_JOB_ID=7", "SLURM_JOB_END_TIME=" + std::to_string(now + 3000)});
  CHECK(queue.done() == 5);
  CHECK(queue.calls().empty());
  const FakeQueue longer("echo $(($(date +%s) + 3000))");
  longer.run_five({"SLURM_JOB_ID=7", "SLURM_JOB_END_TIME=" + std::to_string(now + 30)});
  CHECK(longer.done() == 5);
  CHECK(longer.calls() == "--noheader --jobs=7 --format=%e\n");
}

TEST_CASE("the last task of an array, which has the array's id, asks for its own end") {
  const FakeQueue queue("echo $(($(date +%s) + 3000))");
  queue.run_five({"SLURM_JOB_ID=7", "SLURM_ARRAY_JOB_ID=7", "SLURM_ARRAY_TASK_ID=1"});
  CHECK(queue.calls() == "--noheader --jobs=7_1 --format=%e\n");
}

TEST_CASE("what fails in a job that has to give way was ended from outside, and nothing follows") {
  const FakeQueue queue("echo \"$(date +%s)     \"");
  queue.run_five({"SLURM_JOB_ID=7", "SLURM_JOB_END_TIME=4000000000"}, "kill -TERM $BASHPID");
  CHECK(queue.calls() == "--noheader --jobs=7 --Format=PreemptTime:20\nrequeue 7\n");
  SweepFolder folder(disk(), queue.root.path());
  const auto attempts = folder.attempts("one");
  REQUIRE(attempts.size() == 1);
  CHECK(attempts[0].interrupted);
  CHECK_FALSE(attempts[0].time_up);
  CHECK_FALSE(attempts[0].done());
  CHECK(folder.attempts("two").empty());
}

TEST_CASE("a failure is the run's own where the job need not give way, or was begun anew since") {
  const FakeQueue queue(GENERATE("echo N/A", "exit 1", "echo 1700000000"));
  queue.run_five({"SLURM_JOB_ID=7", "SLURM_JOB_END_TIME=4000000000"}, "exit 9");
  CHECK(queue.done() == 4);
  CHECK(SweepFolder(disk(), queue.root.path()).attempts("one").at(0).exit_code == 9);
}

TEST_CASE("a trainer that saves and ends well as its job has to give way has not come to its end") {
  const FakeQueue queue("echo $(date +%s)");
  queue.run_five({"SLURM_JOB_ID=8", "SLURM_ARRAY_JOB_ID=7", "SLURM_ARRAY_TASK_ID=1",
                  "SLURM_JOB_END_TIME=4000000000"},
                 "sleep 10; echo 'slurmstepd-n1: error: *** STEP 8.0 ON n1 CANCELLED AT 2026 ***'");
  CHECK(queue.calls() == "--noheader --jobs=8 --Format=PreemptTime:20\nrequeue 8\n");
  CHECK(queue.done() == 0);
  CHECK(SweepFolder(disk(), queue.root.path()).attempts("one").at(0).interrupted);
}

TEST_CASE("a run that removes its own folder has ended, and says so") {
  const bool alone = GENERATE(true, false);
  CAPTURE(alone);
  const test::TemporaryDirectory root;
  JobScript job = script_of(root.path(), {{"job", {}}});
  job.tasks[0].runs.push_back({"one", {}, "echo 1; rm -r \"$PIPPIN_RUN_DIR\""});
  if (!alone) job.tasks[0].runs.push_back({"two", {}, "true"});
  CHECK(run_program({"env", "SLURM_JOB_ID=7", "bash", write_files(job).string()}).exit_code == 0);
  SweepFolder folder(disk(), root.path());
  const auto attempts = folder.attempts("one");
  REQUIRE(attempts.size() == 1);
  REQUIRE(attempts[0].record);
  CHECK(attempts[0].done());
  CHECK(attempts[0].exit_code == 1);
  CHECK(disk().read(attempts[0].directory / "log") ==
        "the folder of this run was removed while it ran, and its log with it; it exited 0\n");
  CHECK(succeeded_of(folder).size() == (alone ? 0 : 1));
}
