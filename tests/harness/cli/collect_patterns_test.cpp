// SPDX-License-Identifier: Apache-2.0
// Logs of other trainers: a person's patterns, on the command line, beside logs and in sweeps.
#include <fmt/format.h>

#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::Workplace;

namespace {

constexpr const char* kMs = "--scrape 'step=step ([0-9]+)' --scrape 'step_time=took ([0-9.]+) ms' ";
constexpr const char* kLog = "step 1 took 900 ms\nstep 2 took 400 ms\nstep 3 took 402 ms\n";
constexpr const char* kSweep =
    "sweep: own\n"
    "command: for i in 1 2 3; do echo step $i took $((i * {scale})) ms, loss 2.$i; done\n"
    "grid: {scale: [10, 20]}\n"
    "gpus: 1\n"
    "scrape:\n"
    "  step: 'step (\\d+)'\n"
    "  step_time: 'took ([0-9.]+) ms'\n"
    "  loss: 'loss ([0-9.]+)'\n";

std::string steps(const Workplace& here) {
  return here.sql(
      "SELECT group_concat(step, ' ') FROM (SELECT iteration || ':' || step_time_ms AS step FROM "
      "iterations ORDER BY step_time_ms, iteration DESC)");
}

}  // namespace

TEST_CASE("collect reads a log by patterns, and by the same ones again") {
  const Workplace here;
  here.write("own.log", kLog);
  CHECK_THAT(here.pippin(fmt::format("collect {} own.log", kMs)).err,
             Contains("1 log, 1 run, 3 iterations added"));
  CHECK(steps(here) == "2:400.0 3:402.0 1:900.0");
  here.write("own.log", std::string(kLog) + "step 4 took 403 ms\n");
  CHECK_THAT(here.pippin("collect own.log").err, Contains("1 iteration added"));
  CHECK(steps(here) == "2:400.0 3:402.0 4:403.0 1:900.0");
  CHECK(here.sql("SELECT count(*) FROM runs") == "1");
}

TEST_CASE("a log whose patterns were mended is read again") {
  const Workplace here;
  here.write("own.log", "step 1 took 2 s and 5 ms\n");
  here.pippin("collect --scrape 'step_time=and ([0-9.]+) ms' own.log");
  CHECK(steps(here) == "1:5.0");
  here.pippin("collect --scrape 'step_time=took ([0-9.]+) s' own.log");
  CHECK(steps(here) == "1:2000.0");
  CHECK(here.sql("SELECT count(*) FROM runs") == "1");
}

TEST_CASE("a file beside logs holds patterns and what ran") {
  const Workplace here;
  here.write("logs/a.log", kLog);
  here.write("logs/logs.pippin.yaml",
             "tp: 4\nscrape:\n  step: 'step (\\d+)'\n  step_time: 'took ([0-9.]+) ms'\n");
  CHECK_THAT(here.pippin("collect logs").err, Contains("3 iterations added"));
  CHECK(here.sql("SELECT tp || ' ' || trainer FROM points") == "4 own");
  here.write("logs/a.log.pippin.yaml", "scrape: {speed: '(x)'}\n");
  const auto call = here.pippin("collect logs");
  CHECK(call.exit_code == 2);
  CHECK_THAT(call.err, Contains("a.log.pippin.yaml") && Contains("'speed' is none of"));
  CHECK(steps(here) == "2:400.0 3:402.0 1:900.0");
}

TEST_CASE("patterns that cannot be are refused before anything is read") {
  const Workplace here;
  here.write("own.log", kLog);
  const auto call = here.pippin("collect --scrape 'step_time_ms=took (' own.log");
  CHECK(call.exit_code == 2);
  CHECK_THAT(call.err, Contains("is no regular expression: missing )"));
  CHECK_THAT(here.pippin("collect --scrape 'took' own.log").err, Contains("--scrape 'took'"));
  CHECK_FALSE(fs::exists(here.path() / "pippin.db"));
}

TEST_CASE("collect --explain shows what patterns make of each line") {
  const Workplace here;
  here.write("own.log", kLog);
  const auto call = here.pippin(fmt::format("collect --explain {} own.log", kMs));
  CHECK(call.exit_code == 0);
  CHECK_THAT(call.out, Contains("step 2, step_time_ms 400") && Contains("a launch of own"));
}

TEST_CASE("a named file without steps says which lines are near, and what helps") {
  const Workplace here;
  here.write("own.log", "begin\nstep 1: loss 2, 0.5 s\n");
  const auto call = here.pippin("collect own.log");
  CHECK(call.exit_code == 2);
  CHECK_THAT(call.err, Contains("nearest: line 2 'step 1: loss 2, 0.5 s'") &&
                           Contains("docs/your-own-trainer.md says how to read others"));
  CHECK_THAT(here.pippin("collect --scrape 'step_time=took ([0-9.]+) ms' own.log").err,
             Contains("has no line that fits step_time 'took ([0-9.]+) ms'"));
}

TEST_CASE("a sweep's command is read by its patterns") {
  const Workplace here;
  here.write("own.yaml", kSweep);
  CHECK(here.pippin("run own.yaml").exit_code == 0);
  CHECK(steps(here) == "1:10.0 2:20.0 1:20.0 3:30.0 2:40.0 3:60.0");
  CHECK(here.sql("SELECT group_concat(DISTINCT state) FROM runs") == "ok");
}

TEST_CASE("a sweep's pattern that cannot be is told with its line") {
  const Workplace here;
  const std::string head =
      "sweep: s\ncluster: local\ngrid: {tp: [1]}\ncommand: echo {tp}\nscrape:\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"  step: 'step ([0-9]+)'\n  step_tim: 'x'\n", "s.yaml:7: scrape: 'step_tim' is none of"},
      {"  step_time_ms: '([0-9.]+) ms'\n  step: 'step ('\n", "s.yaml:7: scrape: step: "},
      {"  loss: 'loss ([0-9.]+)'\n", "s.yaml:6: scrape: nothing says how long"},
      {"  kind: often\n  step: '([0-9]+)'\n", "s.yaml:6: scrape: kind 'often' is none of"}};
  for (const auto& [scrape, error] : cases) {
    here.write("s.yaml", head + scrape);
    const auto call = here.pippin("plan s.yaml");
    CHECK(call.exit_code == 2);
    CHECK_THAT(call.err, Contains(error));
  }
}

TEST_CASE("patterns of a sweep that fit nothing fail its runs with the nearest lines") {
  const Workplace here;
  std::string wrong = kSweep;
  wrong.replace(wrong.find("took (["), 6, "spent ([");
  here.write("own.yaml", wrong);
  CHECK(here.pippin("run own.yaml").exit_code == 1);
  const std::string evidence = here.sql("SELECT evidence FROM runs LIMIT 1");
  CHECK_THAT(evidence, Contains("has no line that fits step_time") && Contains("nearest: line 1"));
  here.write("own.yaml", kSweep);  // the runs that were made are read anew
  here.pippin("run own.yaml");
  CHECK(here.sql("SELECT group_concat(DISTINCT state) FROM runs") == "ok");
  CHECK(here.sql("SELECT count(*) FROM runs") == "2");
}

TEST_CASE("a trainer that writes its lines to a file is read there") {
  const Workplace here;
  std::string other = kSweep;
  other.replace(other.find("; done"), 6, "; done > {run_dir}/train.log; echo end");
  here.write("own.yaml", other + "log: train.log\n");
  CHECK(here.pippin("run own.yaml").exit_code == 0);
  CHECK(steps(here) == "1:10.0 2:20.0 1:20.0 3:30.0 2:40.0 3:60.0");
  here.write("gone.yaml",
             "sweep: gone\ncommand: 'true {mbs}'\ngrid: {mbs: [1]}\ngpus: 1\nlog: x.log\n");
  CHECK(here.pippin("run gone.yaml").exit_code == 1);
  CHECK_THAT(here.sql("SELECT evidence FROM runs WHERE state <> 'ok'"),
             Contains("is to be x.log, and that is not there"));
}

TEST_CASE("a trainer that writes a file for each rank is read in all of them") {
  const Workplace here;
  const auto sweep = [](const std::string& name, const std::string& log) {
    return fmt::format(
        "sweep: {}\ngrid: {{scale: [10]}}\ngpus: 2\ncommand: |\n"
        "  mkdir {{run_dir}}/out\n"
        "  for r in 0 1; do for i in 1 2; do\n"
        "    echo step $i took $(({{scale}} * i + r)) ms >> {{run_dir}}/out/log.$r\n"
        "  done; done\n"
        "scrape: {{step: 'step (\\d+)', step_time: 'took ([0-9.]+) ms'}}\nlog: '{}'\n",
        name, log);
  };
  here.write("own.yaml", sweep("own", "out/log.{rank}"));
  CHECK(here.pippin("run own.yaml").exit_code == 0);
  CHECK(steps(here) == "1:11.0 2:21.0");  // the slower rank's
  CHECK(here.sql("SELECT DISTINCT number FROM other_values WHERE name = 'ranks'") == "2.0");
  here.write("again.yaml", sweep("again", "{node}.{rank}"));
  CHECK(here.pippin("run again.yaml").exit_code == 1);  // not in its own folder
  here.write("gone.yaml", sweep("gone", "log.{rank}"));
  CHECK(here.pippin("run gone.yaml").exit_code == 1);
  CHECK_THAT(here.sql("SELECT evidence FROM runs WHERE state <> 'ok'"),
             Contains("is to be log.{rank}, and there is no such file"));
}

TEST_CASE("a sweep of words has patterns, too") {
  const Workplace here;
  const auto call = here.pippin(fmt::format(
      "run -L scale 10,20 {} -- 'for i in 1 2; do echo step $i took $((i * {{scale}})) ms; done'",
      kMs));
  CHECK(call.exit_code == 0);
  CHECK(steps(here) == "1:10.0 2:20.0 1:20.0 2:40.0");
}

TEST_CASE("a run whose lines say that it failed has failed, whatever its exit status") {
  const Workplace here;
  std::string failing = kSweep;
  failing.replace(failing.find("; done"), 6, "; done; echo LOST THE DATA");
  here.write("own.yaml", failing + "  failed: 'LOST .*'\n");
  CHECK(here.pippin("run own.yaml").exit_code == 1);
  CHECK(here.sql("SELECT group_concat(DISTINCT state || ': ' || evidence) FROM runs") ==
        "failed: LOST THE DATA");
}

TEST_CASE("a command without a line that pippin knows says what stood there") {
  const Workplace here;
  CHECK(here.pippin("run -L a 1 -- 'echo step 1 took 5 ms, a={a}'").exit_code == 1);
  CHECK_THAT(
      here.sql("SELECT evidence FROM runs"),
      Contains("nearest: line 1 'step 1 took 5 ms, a=1'") && Contains("docs/your-own-trainer.md"));
}
