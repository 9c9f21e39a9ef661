// SPDX-License-Identifier: Apache-2.0
// When jobs launch nothing more: what fails alike run after run.
#include <fmt/format.h>

#include "core/base/process.h"
#include "tests/core/jobs/job_scripts.h"
#include "tests/support/catch.h"
#include "tests/support/left_by_jobs.h"
#include "tests/support/temporary.h"

using namespace pippin;
using test::failed_of;
using test::script_of;
using test::submission_named;
using test::succeeded_of;
using test::write_files;

namespace {

/// Runs p1-a1, p2-a1, … of these commands in one job that gives up after 3 failures alike; how many
/// were launched.
std::size_t launched_of(const fs::path& root, const std::vector<std::string>& commands,
                        std::int64_t points = 2) {
  std::vector<ScriptRun> runs;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    runs.push_back({fmt::format("p{}-a1", points == 1 ? 1 : i + 1), {}, commands[i]});
    if (points == 1) runs.back().name = fmt::format("p-a{}", i + 1);
  }
  JobScript job = script_of(root, {{"job", runs}});
  job.give_up_after = 3;
  job.points = points;
  run_program({"bash", write_files(job).string()});
  SweepFolder folder(disk(), root);
  return succeeded_of(folder).size() + failed_of(folder).size();
}

}  // namespace

TEST_CASE("a program that is not there is not looked for a thousand times") {
  for (const std::string missing :
       {"no_such_program --mbs $RANDOM", "bash -c 'exit 126'",
        "echo \"ModuleNotFoundError: No module named 'megatron'\"; echo \"[rank$RANDOM] end\"; "
        "exit 1",
        "echo 'slurmstepd: error: execve(): train: No such file or directory'; exit 2"}) {
    CAPTURE(missing);
    const test::TemporaryDirectory root;
    CHECK(launched_of(root.path(), std::vector<std::string>(1000, missing)) == 3);
    const auto given_up = SweepFolder(disk(), root.path()).given_up();
    REQUIRE(given_up);
    CHECK(given_up->until == 1);
    CHECK(given_up->runs == std::vector<std::string>{"p1-a1", "p2-a1", "p3-a1"});
    CHECK_FALSE(given_up->host.empty());
    CHECK_FALSE(disk().exists(root / "alike"));
  }
}

TEST_CASE("failures of a run's own, however alike, stop nothing") {
  for (const std::string failure :
       {"echo 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB'; exit 1",
        "echo 'cannot open shared object file'; echo 'std::bad_alloc'; exit 127",
        "echo 'AssertionError: 24 layers, 5 stages'; exit 1", "kill -9 $BASHPID",
        "echo ' iteration        7/      20 |'; echo 'No such file or directory'; exit 1"}) {
    CAPTURE(failure);
    const test::TemporaryDirectory root;
    CHECK(launched_of(root.path(), std::vector<std::string>(8, failure)) == 8);
    CHECK_FALSE(SweepFolder(disk(), root.path()).given_up());
  }
}

TEST_CASE("a run that ends otherwise, or another failure, lets failures count anew") {
  const std::string missing = "no_such_program";
  for (const std::string between : {"true", "exit 1", "no_other_program"}) {
    CAPTURE(between);
    const test::TemporaryDirectory root;
    CHECK(launched_of(root.path(), {missing, missing, between, missing, missing, between}) == 6);
  }
}

TEST_CASE("one point that fails alike stops nothing where there are others, else it does") {
  const test::TemporaryDirectory root;
  std::vector<ScriptRun> runs;
  for (int i = 1; i <= 6; ++i) runs.push_back({fmt::format("p-a1-r{}", i), {}, "no_such_program"});
  JobScript job = script_of(root.path(), {{"job", runs}});
  job.give_up_after = 3;
  job.points = 2;
  run_program({"bash", write_files(job).string()});
  CHECK(failed_of(SweepFolder(disk(), root.path())).size() == 6);
  const test::TemporaryDirectory alone;
  CHECK(launched_of(alone.path(), std::vector<std::string>(6, "no_such_program"), 1) == 3);
}

TEST_CASE("jobs end at once that others gave up before them, and later submissions do not") {
  const test::TemporaryDirectory root;
  JobScript job = script_of(root.path(), {{"job", {{"p-a1", {}, "true"}}}});
  job.give_up_after = 3;
  for (const std::int64_t until : {1, 0}) {
    disk().write(root / "given-up",
                 fmt::format("until={} after=1\nq-a1\tn1\tkind\tno such program\n", until));
    const auto outcome = run_program({"env", "SLURM_JOB_ID=7", "bash", write_files(job).string()});
    CHECK(outcome.exit_code == (until == 1 ? 1 : 0));
    CHECK(SweepFolder(disk(), root.path()).attempts("p-a1").size() == (until == 1 ? 0 : 1));
  }
}

TEST_CASE("a line of the prolog that fails ends the job with that line") {
  const test::TemporaryDirectory root;
  disk().write(root / "site.sh", "false\n[ -e /none ] && true\ntrue\n");  // its own affair
  JobScript job = script_of(root.path(), {{"job", {{"one", {}, "true"}}}});
  job.prolog = {"source " + (root / "site.sh").string(),
                "[ -e /none ] && echo there",
                "module() { return 1; }",
                "true | false || true",
                "module load cuda/13",
                "touch " + (root / "behind").string()};
  const auto outcome = run_program({"env", "SLURM_JOB_ID=7", "bash", write_files(job).string()});
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.output, Catch::Contains("the prolog's line 'module load cuda/13' exits 1"));
  CHECK_FALSE(disk().exists(root / "behind"));
  SweepFolder folder(disk(), root.path());
  CHECK(folder.attempts("one").empty());
  CHECK(folder.claims(submission_named(), {1}, {}).at(0).fault ==
        "the prolog's line 'module load cuda/13' exits 1");
}

TEST_CASE(
    "a signal that ends a job in its prolog is no fault of the prolog's, an exit there is one") {
  for (const auto& [line, fault] : {std::pair{"kill -TERM $$", ""},
                                    {"kill -INT $$; sleep 5", ""},
                                    {"kill -HUP $$", ""},
                                    {"kill -USR2 $$; sleep 5", ""},
                                    {"exit 0", "the prolog exits 0"},
                                    {"module() { exit 0; }; module load x", "the prolog exits 0"},
                                    {"[ -e /none ] || exit", "the prolog exits 1"}}) {
    CAPTURE(line);
    const test::TemporaryDirectory root;
    JobScript job = script_of(root.path(), {{"job", {{"one", {}, "true"}}}});
    job.prolog = {line, "touch " + (root / "behind").string()};
    run_program({"env", "SLURM_JOB_ID=7", "bash", write_files(job).string()});
    CHECK_FALSE(disk().exists(root / "behind"));
    CHECK(SweepFolder(disk(), root.path()).claims(submission_named(), {1}, {}).at(0).fault ==
          fault);
  }
}

TEST_CASE("a prolog that ends each job is given up") {
  const test::TemporaryDirectory root;
  JobScript job = script_of(root.path(), {{"job", {{"p-a1", {}, "true"}, {"q-a1", {}, "true"}}}});
  job.give_up_after = 3;
  job.points = 2;
  job.prolog = {"set -e", "false"};
  for (const char* id : {"7", "8", "9"}) {
    CHECK_FALSE(SweepFolder(disk(), root.path()).given_up());
    const auto job_id = std::string("SLURM_JOB_ID=") + id;
    CHECK(run_program({"env", job_id, "bash", write_files(job).string()}).exit_code == 1);
  }
  const auto given_up = SweepFolder(disk(), root.path()).given_up();
  REQUIRE(given_up);
  CHECK(given_up->evidence == "the prolog's line 'false' exits 1");
  CHECK_THAT(text_of(*given_up), Catch::StartsWith("3 runs in a row failed alike, all on "));
}
