// SPDX-License-Identifier: Apache-2.0
// Readings of a canary in a job.
#include <cstdlib>
#include <fmt/format.h>

#include "core/base/process.h"
#include "tests/core/jobs/job_scripts.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;
using test::script_of;
using test::text_of_file;
using test::write_files;
using test::write_script;

namespace {

/// A canary that leaves a line in `root`/taken each time that it is asked.
std::string counting_canary(const test::TemporaryDirectory& root, const std::string& then = "") {
  return fmt::format("echo \"${{PIPPIN_RUN_DIR##*/}}\" >>{}; echo '{{\"canary\":1}}'{}",
                     (root / "taken").string(), then);
}

ScriptRun with_canary(const std::string& name, const std::string& canary) {
  return {name, {}, "true", canary};
}

std::string first_line(const fs::path& file) {
  const std::string text = text_of_file(file);
  return text.substr(0, text.find(' '));
}

}  // namespace

TEST_CASE("a job that is ended during a canary launches no run any more") {
  const test::TemporaryDirectory root;
  ScriptRun run{"one", {}, "echo launched"};
  run.canary = "kill -TERM $$; sleep 60";
  run_program({"bash", write_script(root.path(), {run}).string()});
  const auto attempts = SweepFolder(disk(), root.path()).attempts("one");
  CHECK_FALSE(attempts.at(0).done());
  CHECK(attempts.at(0).interrupted);
  CHECK(text_of_file(attempts.at(0).log()) == "(none)");
}

TEST_CASE("a canary that ends its process group does not end the job") {
  const test::TemporaryDirectory root;
  ScriptRun run{"one", {}, "true"};
  run.canary = "kill -KILL 0";
  run_program({"setsid", "--wait", "bash", write_script(root.path(), {run}).string()});
  CHECK(SweepFolder(disk(), root.path()).attempts("one").at(0).exit_code == 0);
}

TEST_CASE("one reading between two runs is the after of one and the before of the next") {
  const test::TemporaryDirectory root;
  const std::string canary = counting_canary(root);
  const fs::path script = write_script(
      root.path(), {with_canary("one", canary), with_canary("two", canary),
                    with_canary("three", canary + " # others"), with_canary("four", "")});
  run_program({"bash", script.string()});
  CHECK(text_of_file(root / "taken") == "1-local-0\n1-local-0\n1-local-0\n1-local-0\n1-local-0\n");
  SweepFolder folder(disk(), root.path());
  const auto attempt = [&](const std::string& run) { return folder.attempts(run).at(0); };
  CHECK(first_line(attempt("one").canary_before()) == "canary=1");
  CHECK(first_line(attempt("one").canary_after()) == "canary=2");
  CHECK(text_of_file(attempt("two").canary_before()) ==
        text_of_file(attempt("one").canary_after()));
  CHECK(first_line(attempt("two").canary_after()) == "canary=3");
  CHECK(first_line(attempt("three").canary_before()) == "canary=4");
  CHECK(first_line(attempt("three").canary_after()) == "canary=5");
  CHECK(text_of_file(attempt("four").canary_before()) == "(none)");
  CHECK_THAT(text_of_file(attempt("one").canary_before()),
             Catch::Matches("canary=1 taken=[0-9]+\n\\{\"canary\":1\\}\n"));
}

TEST_CASE("the jobs of an array that is run by hand share no reading") {
  const test::TemporaryDirectory root;
  const std::string canary = counting_canary(root);
  run_program({"bash", write_files(script_of(root.path(), {{"a", {with_canary("one", canary)}},
                                                           {"b", {with_canary("two", canary)}}}))
                           .string()});
  SweepFolder folder(disk(), root.path());
  CHECK(first_line(folder.attempts("one").at(0).canary_after()) == "canary=2");
  CHECK(first_line(folder.attempts("two").at(0).canary_before()) == "canary=3");
}

TEST_CASE("a canary does not put a finished run at risk when the time is nearly up") {
  const test::TemporaryDirectory root;
  ScriptRun run = with_canary("one", counting_canary(root));
  run.command = "kill -USR1 $$; sleep 0.1";
  CHECK(run_program({"bash", write_script(root.path(), {run}).string()}).exit_code == 0);
  const Attempt attempt = SweepFolder(disk(), root.path()).attempts("one").at(0);
  CHECK(attempt.exit_code == 0);
  CHECK(first_line(attempt.canary_before()) == "canary=1");
  CHECK(text_of_file(attempt.canary_after()) == "(none)");
}

TEST_CASE("a canary that fails is told once and leaves its run as it is") {
  const test::TemporaryDirectory root;
  const std::string canary = "echo no device; exit 14";
  const auto outcome = run_program(
      {"bash", write_script(root.path(), {with_canary("one", canary), with_canary("two", canary)})
                   .string()});
  CHECK(outcome.exit_code == 0);
  const auto told = outcome.output.find("a canary exits 14, which its runs do not mind: see ");
  REQUIRE(told != std::string::npos);
  CHECK(outcome.output.find("a canary", told + 1) == std::string::npos);
  SweepFolder folder(disk(), root.path());
  for (const std::string run : {"one", "two"}) {
    CAPTURE(run);
    const Attempt attempt = folder.attempts(run).at(0);
    CHECK(attempt.exit_code == 0);
    CHECK_THAT(text_of_file(attempt.canary_before()), Catch::EndsWith("\nno device\n\nexit=14\n"));
  }
  CHECK(first_line(folder.attempts("two").at(0).canary_before()) == "canary=3");  // one of its own
}

TEST_CASE("a canary that is not there fails no run") {
  const test::TemporaryDirectory root;
  const auto outcome = run_program(
      {"bash",
       write_script(root.path(), {with_canary("one", "/none/canary --seconds 5")}).string()});
  CHECK_THAT(outcome.output, Catch::Contains("a canary exits 127"));
  CHECK(SweepFolder(disk(), root.path()).attempts("one").at(0).exit_code == 0);
}

TEST_CASE("a canary that hangs is stopped and the job takes no more of them") {
  const test::TemporaryDirectory root;
  const std::string canary = counting_canary(root, "; sleep 60");
  JobScript job =
      script_of(root.path(), {{"job", {with_canary("one", canary), with_canary("two", canary)}}});
  job.canary = CanaryTime{1, 1};
  const auto outcome = run_program({"bash", write_files(job).string()});
  CHECK_THAT(outcome.output, Catch::Contains("no more canaries in this job"));
  CHECK(text_of_file(root / "taken") == "1-local-0\n");
  SweepFolder folder(disk(), root.path());
  CHECK(folder.attempts("one").at(0).exit_code == 0);
  CHECK(folder.attempts("two").at(0).exit_code == 0);
  CHECK_THAT(text_of_file(folder.attempts("one").at(0).canary_before()),
             Catch::Contains("stopped after 1 s\n\nexit=143\n"));
}

TEST_CASE("a run ends when it ends and not when its canary has been taken") {
  const test::TemporaryDirectory root;
  run_program({"bash", write_script(root.path(), {with_canary("one", "sleep 1.2")}).string()});
  const Attempt attempt = SweepFolder(disk(), root.path()).attempts("one").at(0);
  const auto taken = text_of_file(attempt.canary_after());
  CHECK(*attempt.ended - *attempt.started <= 2);
  CHECK_THAT(taken, Catch::Contains(fmt::format(" taken={}", *attempt.ended)) ||
                        Catch::Contains(fmt::format(" taken={}", *attempt.ended + 1)));
}

TEST_CASE("a job starts no run that its time is too short for with its canaries") {
  for (const std::int64_t usual_s : {10, 40}) {
    CAPTURE(usual_s);
    const test::TemporaryDirectory root;
    // A queue that gives the job a minute and a half from now on.
    disk().write(root / "bin/squeue", "#!/bin/bash\necho $(($(date +%s) + 90))\n");
    fs::permissions(root / "bin/squeue", fs::perms::owner_all);
    JobScript job = script_of(
        root.path(), {{"job", {with_canary("one", "true"), with_canary("two", "true # others")}}});
    job.run_time_s = 50;
    job.canary = CanaryTime{usual_s, 60};
    run_program({"env", "SLURM_JOB_ID=7", "PATH=" + (root / "bin").string() + ":" + getenv("PATH"),
                 "bash", write_files(job).string()});
    SweepFolder folder(disk(), root.path());
    CHECK(folder.attempts("one").size() == 1);
    CHECK(folder.attempts("two").size() == (usual_s == 10 ? 1 : 0));  // 50 + 2 x 10 < 90
  }
}
