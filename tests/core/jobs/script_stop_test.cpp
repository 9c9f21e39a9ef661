// SPDX-License-Identifier: Apache-2.0
// Runs that take too long, or whose logs fall silent.
#include <fmt/format.h>

#include "core/base/process.h"
#include "tests/core/jobs/job_scripts.h"
#include "tests/support/catch.h"
#include "tests/support/left_by_jobs.h"
#include "tests/support/temporary.h"

using namespace pippin;
using test::failed_of;
using test::script_of;
using test::text_of_file;
using test::write_files;
using test::write_script;

namespace {

constexpr int kLimit_s = 4;  // long enough for a command to begin beside a compiler

/// A run that is over its time after that, and one that goes on behind it.
std::vector<Attempt> attempts_of_stopped(const fs::path& root, const std::string& command,
                                         bool stalled = false, int grace_s = 1) {
  JobScript job = script_of(root, {{"job", {{"one", {}, command}, {"two", {}, "true"}}}});
  (stalled ? job.stalled_s : job.run_time_s) = kLimit_s;
  job.prolog = {fmt::format("pippin_grace={}", grace_s)};
  CHECK(run_program({"bash", write_files(job).string()}).exit_code == 0);
  SweepFolder folder(disk(), root);
  CHECK(folder.attempts("two").at(0).exit_code == 0);
  CHECK(failed_of(folder).count("one") == 1);
  return folder.attempts("one");
}

/// Whether a process works whose command line fits the expression, which does not fit itself.
bool works(const std::string& argument) {
  const auto outcome = run_program({"bash", "-c",
                                    "for p in /proc/[0-9]*; do\n"
                                    "  if tr '\\0' ' ' <$p/cmdline | grep -q '" +
                                        argument +
                                        "' && [ ${p#/proc/} != $$ ]; then echo found; fi\n"
                                        "done 2>/dev/null"});
  return outcome.output.find("found") != std::string::npos;
}

}  // namespace

TEST_CASE("a run over its run_time is stopped and the next goes on") {
  const test::TemporaryDirectory root;
  const auto attempt = attempts_of_stopped(root.path(), "printf 'step 7\\n\\n'; sleep 600").at(0);
  CHECK(attempt.exit_code == 124);
  CHECK(attempt.stopped == "run_time");
  CHECK(attempt.stopped_after_s == kLimit_s);
  CHECK_FALSE(attempt.interrupted);
  CHECK(attempt.last_line == "step 7");
  CHECK(text_of_file(attempt.log()) == "step 7\n\npippin: stopped (run_time after=4 s)\n");
  CHECK_THAT(
      text_of_file(attempt.directory / "run"),
      Catch::Contains(fmt::format("pippin: exit=124 ended={} started={} stopped=run_time after=4\n",
                                  *attempt.ended, *attempt.started)));
}

TEST_CASE(
    "a run that its job has no time to launch is not taken for the one that was stopped before "
    "it") {
  const test::TemporaryDirectory root;
  JobScript job =
      script_of(root.path(), {{"job", {{"one", {}, "sleep 600"}, {"two", {}, "true"}}}});
  job.run_time_s = kLimit_s;
  job.prolog = {"pippin_grace=1",
                "pippin_begins_on_node() { [ \"$run\" = one ] || kill -TERM $$; }"};
  run_program({"bash", write_files(job).string()});
  SweepFolder folder(disk(), root.path());
  CHECK(folder.attempts("one").at(0).stopped == "run_time");
  CHECK_FALSE(folder.attempts("two").at(0).done());
  CHECK(folder.attempts("two").at(0).interrupted);
}

TEST_CASE("what a good run leaves behind is ended before the next begins") {
  for (const std::string trap : {"", "trap \"\" TERM; "}) {
    CAPTURE(trap);
    const test::TemporaryDirectory root;
    const std::string mark = (root / "daemon").string();
    const std::string leave = fmt::format(
        "setsid bash -c '{}echo $$ >{}; while :; do sleep 1; done' & until [ -s {} ]; do "
        "sleep 0.1; done; sleep 2",
        trap, mark, mark);
    const std::string look = fmt::format("grep -qs . /proc/$(cat {})/cmdline || echo alone", mark);
    const auto outcome = run_program(
        {"bash",
         write_files(script_of(root.path(), {{"job", {{"one", {}, leave}, {"two", {}, look}}}}))
             .string()});
    CHECK_THAT(outcome.output, Catch::Contains("one leaves ") && Catch::Contains("ended: bash -c"));
    SweepFolder folder(disk(), root.path());
    CHECK(folder.attempts("one").at(0).exit_code == 0);
    CHECK(text_of_file(folder.attempts("two").at(0).log()) == "alone\n");
  }
}

TEST_CASE("a run that is stopped has not gone well, whatever it leaves") {
  const test::TemporaryDirectory root;
  const int grace_s = 60;  // which ends when the run does
  const auto attempt = attempts_of_stopped(
      root.path(), "trap 'echo saved; exit 0' TERM; sleep 600 & wait", false, grace_s)[0];
  CHECK(attempt.exit_code == 124);
  CHECK_THAT(text_of_file(attempt.log()), Catch::EndsWith("saved\n"));
}

TEST_CASE("a run that is stopped is told once and has its grace to save") {
  const test::TemporaryDirectory root;
  const std::string trainer =
      "trap \"echo told; told=1\" TERM; until [ -n \"$told\" ]; do sleep 0.1; done; "
      "sleep 3; echo saved";
  const std::string launch = GENERATE("", "setsid ");  // that leaves its process group
  const std::string command =
      fmt::format("{}bash -c '{}' >>\"$PIPPIN_RUN_DIR/saves\"", launch, trainer);
  const int grace_s = 60;  // which ends when the run does
  const auto attempt = attempts_of_stopped(root.path(), command, false, grace_s).at(0);
  CHECK(attempt.stopped == "run_time");
  CHECK(text_of_file(attempt.directory / "saves") == "told\nsaved\n");
}

TEST_CASE("a run whose log falls silent is stopped, and one that prints is not") {
  const test::TemporaryDirectory root;
  const auto attempt = attempts_of_stopped(root.path(),
                                           "for i in 1 2 3 4 5 6 7 8; do sleep 0.8; echo $i; done\n"
                                           "printf '50 %%\\r60 %%'; sleep 600",
                                           true)
                           .at(0);
  CHECK(attempt.stopped == "stalled");
  CHECK(attempt.last_line == "60 %");
  CHECK_THAT(text_of_file(attempt.log()), Catch::Contains("\n8\n50 %\r60 %\npippin: stopped ("));
}

TEST_CASE("a run that writes to the log of its sweep is not silent") {
  const auto [log, file] = GENERATE(table<std::string, std::string>(
      {{"train.log", "train.log"}, {"it's */log.{rank}", "it's one/log.3"}}));
  const test::TemporaryDirectory root;
  const std::string command = fmt::format(
      "cd \"$PIPPIN_RUN_DIR\"; mkdir -p \"it's one\"\n"
      "for i in 1 2 3 4 5 6 7 8; do sleep 0.8; echo $i >>\"{}\"; done; sleep 600",
      file);
  JobScript job = script_of(root.path(), {{"job", {{"one", {}, command}}}});
  job.stalled_s = kLimit_s;
  job.log = log;
  job.prolog = {"pippin_grace=1"};
  CHECK(run_program({"bash", write_files(job).string()}).exit_code == 0);
  const auto attempt = SweepFolder(disk(), root.path()).attempts("one").at(0);
  CHECK(attempt.stopped == "stalled");
  CHECK_THAT(text_of_file(attempt.directory / file), Catch::EndsWith("\n8\n"));
}

TEST_CASE("what has left a run's process group is stopped with it, also where it does not listen") {
  const test::TemporaryDirectory root;
  const auto mark = root.path().filename().string();
  const std::string command = fmt::format(
      "pippin_test_stays() {{ setsid bash -c \"$1\" {0} & }}\n"
      "stubborn=\"trap '' TERM; while :; do sleep 0.1; done\"\n"
      "pippin_test_stays \"$stubborn\"\n"
      "(setsid bash -c 'pippin_test=1; (bash -c \"$1\" {0} &) ; exit' _ \"$stubborn\" &)\n"
      "bash -c \"$stubborn\" {0}",
      mark);
  const auto attempt = attempts_of_stopped(root.path(), command).at(0);
  CHECK(attempt.stopped == "run_time");
  CHECK_FALSE(works("sleep 0[.]1; done " + mark));
}

TEST_CASE("a marker of a run that was stopped counts as done") {
  const test::TemporaryDirectory root;
  disk().write(root / "one/1-local-0/done", "exit=124 ended=1 stopped=stalled after=300\n");
  CHECK_THAT(
      run_program({"bash", write_script(root.path(), {{"one", {}, "true"}}).string()}).output,
      Catch::Contains("one is done already"));
  const auto attempts = SweepFolder(disk(), root.path()).attempts("one");
  CHECK(attempts.at(0).stopped == "stalled");
  CHECK(attempts.at(0).stopped_after_s == 300);
}
