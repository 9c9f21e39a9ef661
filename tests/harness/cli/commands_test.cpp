// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using Catch::StartsWith;
using test::Call;
using test::Workplace;

namespace {

std::size_t lines_in(const std::string& text) {
  return trim(text).empty() ? 0 : split(trim(text), '\n').size();
}

constexpr const char* kCsvHeader =
    "sweep,campaign,point,state,gpus,params_b,layers,hidden,seq,tp,pp,dp,mbs,gas,gbs,allocations,"
    "runs,iterations,step_time_s,ci_low_s,ci_high_s,sd_s,unit,df,spread,spread_low,spread_high,"
    "tflops,flops_formula,samples_per_s,memory_gib,mfu,hfu,p_best,best,remarks,notes";

}  // namespace

TEST_CASE("a sweep of the training probe runs from YAML to a table") {
  const Workplace here;
  here.write("s.yaml",
             "sweep: trained\ngrid: {mbs: [1, 2], recompute: [none, full]}\niterations: "
             "4\nrepeats: {allocations: 2}\n");
  const Call run = here.pippin("run s.yaml");
  CAPTURE(run.err);
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.out, Contains("±"));
  CHECK_THAT(run.err, Contains("8 of 8 runs done") && Contains("database: t.db"));
  const Call csv = here.pippin("report trained --format csv");
  CHECK_THAT(csv.out, StartsWith(std::string(kCsvHeader) + ",recompute\n"));
  CHECK(lines_in(csv.out) == 5);
  CHECK(here.sql("SELECT count(*) FROM runs WHERE state = 'ok' AND host <> '' AND script <> '' AND "
                 "command <> ''") == "8");
}

TEST_CASE("what was added to the sweep is run and nothing else") {
  const Workplace here;
  here.write("s.yaml", test::replay_sweep(""));
  here.pippin("run s.yaml");
  std::string more = test::replay_sweep("");
  more.replace(more.find("pp: [1, 2]"), 10, "pp: [1, 4, 2]");
  here.write("s.yaml", more);
  CHECK(here.pippin("run s.yaml").exit_code == 0);
  CHECK(here.sql("SELECT count(*) FROM runs") == "18");
  CHECK(here.shell("cat t.db.runs/replayed/jobs/*/*.log | grep -c starts").out == "18\n");
}

TEST_CASE("status names what nobody has collected, and a retry reads it first") {
  const Workplace here;
  here.write("s.yaml", "sweep: s\ngrid: {mbs: [1]}\ncommand: 'echo nothing {mbs}'\n");
  CHECK(here.pippin("submit s.yaml").exit_code == 0);
  here.shell("until grep -qs ok t.db.runs/s/outcomes/*; do sleep 0.05; done");
  CHECK_THAT(here.pippin("status s").out,
             Contains("1 ok") && Contains("not read  1 run; 'pippin collect' reads their logs"));
  CHECK(here.pippin("submit s.yaml --retry-failed").exit_code == 0);
  CHECK(here.pippin("run s.yaml").exit_code == 1);
  CHECK(here.shell("ls t.db.runs/s/*-a1 | wc -l").out == "2\n");
  CHECK_THAT(here.pippin("status s").out, Contains("1 failed") && !Contains("not read"));
}

TEST_CASE("a part of a sweep is measured first, and the rest when it is asked for") {
  const Workplace here;
  here.write("s.yaml",
             "sweep: s\ngrid: {mbs: [1, 2, 3]}\nrepeats: 2\ncommand: '"
             "\"${PIPPIN%/*}/probes/replay\" --mbs {mbs} --sleep-factor 0'\n");
  const auto pippin = [&](const std::string& words) {
    return here.shell("export PIPPIN; \"$PIPPIN\" --db t.db " + words);
  };
  const Call part = pippin("run s.yaml --only 'mbs >= 2'");
  CHECK(part.exit_code == 0);
  CHECK_THAT(part.err, Contains("4 of 4 runs done") &&
                           Contains("2 runs of other points not measured yet; without --only: "));
  CHECK(here.sql("SELECT count(*) FROM runs") == "4");
  CHECK(pippin("run s.yaml --only 'mbs == 9'").exit_code == 2);
  CHECK(pippin("submit s.yaml --only 'mbs == 3'").exit_code == 0);
  CHECK_THAT(pippin("run s.yaml").err, Contains("6 of 6 runs done"));
  CHECK(here.sql("SELECT count(*), sum(state = 'ok') FROM runs") == "6|6");
  CHECK(here.shell("ls -d t.db.runs/s/*-a[12]/*-local-0 | wc -l").out == "6\n");
}

TEST_CASE("a sweep that is dead on arrival costs one short launch of each kind") {
  const Workplace here;
  const auto sweep = [&](const std::string& command) {
    here.write("s.yaml",
               "sweep: s\ngrid: {mbs: [1, 2, 4], mode: [fast, safe]}\nrepeats: 3\ncommand: 'echo "
               "{mode}; " +
                   command + "'\n");
  };
  const auto pippin = [&](const std::string& words) {
    return here.shell("export PIPPIN; \"$PIPPIN\" --db t.db " + words);
  };
  sweep("nosuch {mbs}");
  const Call dead = pippin("run s.yaml --first");
  CHECK(dead.exit_code == 1);
  CHECK_THAT(dead.err, Contains("first: 2 short launches of 2 iterations") &&
                           Contains("failed: exit 127: nosuch: command not found; its log: ") &&
                           Contains("nothing else was handed over"));
  CHECK(here.sql("SELECT count(*) FROM runs") == "0");
  CHECK(pippin("submit s.yaml --first").exit_code == 1);
  CHECK(here.shell("ls -d t.db.runs/s/*-a1 2>/dev/null | wc -l").out == "0\n");
  CHECK(here.shell("ls t.db.runs/s/campaign-1.json").exit_code != 0);  // the next is the first
  sweep("echo no iterations {mbs}");
  CHECK_THAT(pippin("run s.yaml --first").err,
             Contains("exit 0, but its log has no iteration that pippin knows"));
  sweep("\"${PIPPIN%/*}/probes/replay\" --mbs {mbs} --sleep-factor 0 --iterations {iterations}");
  CHECK(pippin("run s.yaml --first").exit_code == 0);
  CHECK(here.sql("SELECT count(*), sum(state = 'ok') FROM runs") == "18|18");
  CHECK(here.sql("SELECT min(n) FROM (SELECT count(*) AS n FROM iterations GROUP BY run)") == "20");
  CHECK_THAT(pippin("status").out, !Contains("first"));
  CHECK_THAT(pippin("run s.yaml --first").err, !Contains("first: "));  // nothing is due
}

TEST_CASE("a run that failed and was lost when it was tried again keeps its own words") {
  const Workplace here;
  here.write("s.yaml",
             "sweep: s\ngrid: {mbs: [1]}\ncommand: 'if [ -e again ]; then kill -9 $$; fi; echo "
             "\"RuntimeError: CUDA error: unspecified launch failure\"; exit 1; : {mbs}'\n");
  CHECK(here.pippin("run s.yaml --retries 0").exit_code == 1);
  here.write("again", "");
  CHECK(here.pippin("run s.yaml --retries 0 --retry-failed").exit_code == 1);
  CHECK(here.sql("SELECT state, evidence FROM runs") ==
        "failed|exit 1: RuntimeError: CUDA error: unspecified launch failure; a later job then "
        "ended: exit 137");
}

TEST_CASE("what has left the sweep is closed and is no loss") {
  const Workplace here;
  here.write("s.yaml", "sweep: s\ngrid: {mbs: [1, 2, 3]}\ncommand: 'kill -9 $$; true {mbs}'\n");
  CHECK(here.pippin("run s.yaml --retries 0").exit_code == 1);
  const std::string replay =
      "command: '\"${PIPPIN%/*}/probes/replay\" --mbs {mbs} --sleep-factor 0'\n";
  here.write("s.yaml", "sweep: s\ngrid: {mbs: [1]}\n" + replay);
  const Call rest = here.shell("export PIPPIN; \"$PIPPIN\" --db t.db run s.yaml");
  CHECK(rest.exit_code == 0);
  CHECK_THAT(rest.err, !Contains("lost"));
  CHECK_THAT(here.pippin("status s").out, Contains("1 ok, 3 that left the sweep"));
  CHECK(here.sql("SELECT count(*) FROM runs WHERE state = 'cancelled' AND evidence LIKE "
                 "'% it has left the sweep'") == "3");
}

TEST_CASE("texts that a shell would take for code stay data from YAML to the database") {
  const Workplace here;
  here.write(
      "s.yaml",
      "sweep: \"it's $(touch pwned) : \\\"s\\\"\"\n"
      "grid:\n  own: [\"$(touch pwned)'\\\";rm -rf ~ :\", \"a\\nb\", '`touch pwned`', ':']\n"
      "iterations: 2\ncommand: \"printf '%s' {own} >\\\"$PIPPIN_RUN_DIR/own\\\"; exit 1\"\n");
  CHECK(here.pippin("run s.yaml").exit_code == 1);
  CHECK(here.shell("find . -name pwned").out.empty());
  CHECK(here.shell("find t.db.runs -name own | wc -l").out == "4\n");
  CHECK(here.shell("cat t.db.runs/*/*/*/own | sort").out.find("$(touch pwned)'\";rm -rf ~ :") !=
        std::string::npos);
  CHECK(here.sql("SELECT count(*) FROM point_axes WHERE text = ':'") == "1");
  CHECK_THAT(here.sql("SELECT name FROM sweeps"), Contains("$(touch pwned)"));
}

TEST_CASE("a command that bash cannot read is refused before anything runs") {
  const Workplace here;
  here.write("s.yaml", "sweep: s\ngrid: {tp: [1]}\ncommand: \"echo {tp} 'unclosed\"\n");
  const Call run = here.pippin("run s.yaml");
  CHECK(run.exit_code == 2);
  CHECK_THAT(run.err, Contains("bash does not understand the command"));
  CHECK(lines_in(run.err) == 1);
  CHECK(here.shell("ls t.db.runs/s/jobs").exit_code != 0);
}

TEST_CASE("a sweep on GPUs is refused where the probes were built without CUDA") {
  const Workplace here;
  here.shell("mkdir -p here/probes; cp \"$PIPPIN\" here/pippin; cp /bin/true here/probes/training");
  here.write("s.yaml", "sweep: s\ngrid: {mbs: [1]}\nfixed: {device: cuda}\ncanary: {seconds: 2}\n");
  for (const std::string command : {"plan", "run", "submit"}) {
    const Call call = here.shell("here/pippin --db t.db " + command + " s.yaml");
    CHECK(call.exit_code == 2);
    CHECK(lines_in(call.err) == 1);
    CHECK_THAT(call.err, StartsWith("pippin: s.yaml: device cuda: the probes were built without "
                                    "CUDA, there is no ") &&
                             Contains("put nvcc on PATH"));
  }
  here.shell("cp /bin/true here/probes/training-cuda");
  const Call plan = here.shell("here/pippin --db t.db plan s.yaml");
  CAPTURE(plan.err);
  CHECK(plan.exit_code == 0);
  const Call script =
      here.shell("here/pippin --db t.db plan s.yaml --script tiny-tp1-pp1-dp1-mbs1-gas1");
  CAPTURE(script.err);
  CHECK_THAT(script.out, Contains("/probes/canary --seconds 2 --device cuda") &&
                             Contains("--vocab 256 --device cuda"));
}

TEST_CASE("a job script can be read and run by hand") {
  const Workplace here;
  here.write("s.yaml", test::replay_sweep(""));
  const Call script = here.pippin("plan s.yaml --script tiny-tp2-pp1-dp8-mbs1-gas1");
  CHECK(script.exit_code == 0);
  CHECK_THAT(script.out, StartsWith("#!/bin/bash\n") && Contains("--tp 2 --pp 1"));
  here.write("by-hand.sh", script.out);
  CHECK(here.shell("bash by-hand.sh").exit_code == 0);
  CHECK_THAT(here.shell("bash by-hand.sh").out, Contains("is done already"));
  CHECK(here.shell("grep -l '^pippin: exit=' t.db.runs/replayed/*-a1/*/run | wc -l").out == "1\n");
  // What a person ran is not run again.
  CHECK(here.pippin("run s.yaml").exit_code == 0);
  CHECK(here.sql("SELECT count(*) FROM runs WHERE state = 'ok'") == "12");
  CHECK(here.shell("cat t.db.runs/replayed/jobs/*/*.log | grep -c starts").out == "11\n");
  const Call near = here.pippin("plan s.yaml --script tiny-tp2-pp1-dp8-mbs1-gas2");
  CHECK(near.exit_code == 2);
  CHECK_THAT(near.err, Contains("did you mean"));
}

TEST_CASE("submit returns at once and a later run collects") {
  const Workplace here;
  here.write("s.yaml", test::replay_sweep(""));
  CHECK(here.pippin("submit s.yaml").exit_code == 0);
  CHECK_THAT(here.pippin("status").out,
             Contains("replayed campaign 1") && Contains("of 12 runs done"));
  CHECK(here.pippin("run s.yaml").exit_code == 0);
  CHECK(here.sql("SELECT count(*) FROM runs WHERE state = 'ok'") == "12");
}

TEST_CASE("collect without a path reads the runs of this database") {
  const Workplace here;
  here.write("s.yaml", test::replay_sweep(""));
  here.pippin("run s.yaml");
  const std::string before = here.pippin("report --format csv").out;
  here.shell("rm t.db*db t.db-*");
  CHECK(here.pippin("collect").exit_code == 0);
  CHECK(here.pippin("report --format csv").out == before);
  CHECK(here.pippin("collect t.db.runs").exit_code == 0);
  CHECK(here.pippin("report --format csv").out == before);
}

TEST_CASE("cancel ends a sweep and run takes it up again") {
  const Workplace here;
  std::string slow = test::replay_sweep("");
  slow.replace(slow.find("0.005"), 5, "0.200");
  here.write("s.yaml", slow);
  here.pippin("submit s.yaml");
  here.shell("until ls t.db.runs/replayed/*/*/log; do sleep 0.02; done");
  const Call cancelled = here.pippin("cancel replayed");
  CHECK(cancelled.exit_code == 0);
  CHECK_THAT(cancelled.err, Contains("cancelled with"));
  CHECK(here.pippin("cancel replaid").exit_code == 2);
  here.write("s.yaml", slow);
  CHECK(here.pippin("run s.yaml").exit_code == 0);
  CHECK(here.sql("SELECT count(*) FROM runs WHERE state = 'ok'") == "12");
  CHECK_THAT(here.pippin("cancel replayed").err,
             Contains("cancelled with 12 of 12 runs done; no run is left"));
}

TEST_CASE("two pippins do not work on one sweep") {
  const Workplace here;
  std::string slow = test::replay_sweep("");
  slow.replace(slow.find("0.005"), 5, "0.100");  // a lock is waited for a moment
  here.write("s.yaml", slow);
  const Call both = here.shell(
      "\"$PIPPIN\" --db t.db run s.yaml >/dev/null 2>&1 & until [ -e t.db.runs/replayed/lock ]; do "
      "sleep 0.01; done\n"
      "\"$PIPPIN\" --db t.db run s.yaml; echo \"exit $?\" >&2; wait");
  CHECK_THAT(both.err, Contains("held by process") && Contains("exit 3"));
  CHECK(here.sql("SELECT count(*) FROM runs") == "12");
}

TEST_CASE("an interrupted run leaves its jobs running and says how to come back") {
  const Workplace here;
  std::string slow = test::replay_sweep("");
  slow.replace(slow.find("0.005"), 5, "0.100");
  here.write("s.yaml", slow);
  const Call interrupted = here.shell(
      "\"$PIPPIN\" --db t.db run s.yaml & p=$!; until ls t.db.runs/replayed/*/*/log; do sleep "
      "0.02; done 2>/dev/null\n"
      "kill -INT $p; wait $p");
  CHECK(interrupted.exit_code == 130);
  CHECK_THAT(interrupted.err, Contains("come back with: pippin --db t.db run s.yaml"));
  CHECK(here.pippin("run s.yaml").exit_code == 0);
  CHECK(here.shell("cat t.db.runs/replayed/jobs/*/*.log | grep -c starts").out == "12\n");
}

TEST_CASE("bad usage is one line and exit status 2") {
  const Workplace here;
  here.write("s.yaml", test::replay_sweep(""));
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "see pippin --help"},
      {"plam s.yaml", "did you mean 'plan'"},
      {"plan", "SWEEP.yaml is required"},
      {"plan none.yaml", "none.yaml: no such file"},
      {"plan s.yaml --format cvs", "did you mean 'csv'"},
      {"plan s.yaml --fromat csv", "did you mean '--format'"},
      {"run s.yaml --retries -1", "--retries"},
      {"report", "t.db"},
      {"report --samples dirty", "there is clean, all"},
      {"collect none", "none"},
      {"cancel", "SWEEP is required"},
  };
  for (const auto& [arguments, message] : cases) {
    CAPTURE(arguments);
    const Call call = here.pippin(arguments);
    CHECK(call.exit_code == 2);
    CHECK(lines_in(call.err) == 1);
    CHECK_THAT(call.err, StartsWith("pippin: ") && Contains(message));
    CHECK(call.out.empty());
  }
}

TEST_CASE("help and version go to standard output and succeed") {
  const Workplace here;
  for (const std::string arguments :
       {"--help", "--version", "plan --help", "run --help", "collect --help", "report --help"}) {
    CAPTURE(arguments);
    const Call call = here.pippin(arguments);
    CHECK(call.exit_code == 0);
    CHECK_FALSE(call.out.empty());
    CHECK(call.err.empty());
  }
}

TEST_CASE("options of all commands stand before or after the command") {
  const Workplace here;
  here.write("s.yaml", test::replay_sweep(""));
  CHECK(here.shell("\"$PIPPIN\" run s.yaml --db other.db --quiet").exit_code == 0);
  CHECK(here.text("err.txt").empty());
  CHECK(here.shell("\"$PIPPIN\" --db other.db report --format csv | wc -l").out == "5\n");
}

TEST_CASE("output that cannot be written is an error") {
  const Workplace here;
  here.write("s.yaml", test::replay_sweep(""));
  for (const char* words : {"--help", "--version", "plan --help"})
    CHECK(here.shell(std::string("\"$PIPPIN\" ") + words + " >/dev/full").exit_code == 3);
  const Call call = here.shell("\"$PIPPIN\" plan s.yaml >/dev/full");
  CHECK(call.exit_code == 3);
  CHECK_THAT(call.err, Contains("standard output: cannot write: No space left on device"));
}

TEST_CASE("a change of how long a sweep launches is said and measured anew only on demand") {
  const Workplace here;
  std::string sweep = test::replay_sweep("");
  here.write("s.yaml", sweep);
  CHECK(here.pippin("run s.yaml").err.find("--again measures") == std::string::npos);
  CHECK(here.pippin("run s.yaml").err.find("--again measures") == std::string::npos);
  here.write("s.yaml", sweep.replace(sweep.find("iterations: 5"), 13, "iterations: 6"));
  CHECK_THAT(here.pippin("run s.yaml").err,
             Contains("s.yaml: jobs of campaign 1 were written otherwise, and keep that: "
                      "'export PIPPIN_ITERATIONS=5' then, 'export PIPPIN_ITERATIONS=6' now"));
  CHECK(here.sql("SELECT count(*) FROM runs") == "12");
}

TEST_CASE("a campaign goes on when its command gets an axis that older points lack") {
  const Workplace here;
  const auto write = [&](const std::string& more, const std::string& grid) {
    here.write("s.yaml",
               "sweep: s\ncluster: local\niterations: 5\ncommand: \"{probe_dir}/replay --mbs {mbs} "
               "--iterations {iterations} --step-time-ms 500 --sleep-factor 0.005" +
                   more + "\"\ngrid: " + grid + "\n");
  };
  write("", "{mbs: [1, 2]}");
  CHECK(here.pippin("run s.yaml").exit_code == 0);
  write(" # {kind}", "{mbs: [1, 2], kind: [a, b]}");
  const Call call = here.pippin("run s.yaml");
  CAPTURE(call.err);
  CHECK(call.exit_code == 0);
  CHECK(here.sql("SELECT count(*), count(DISTINCT campaign) FROM run_overview") == "6|1");
}

TEST_CASE("runs under way that the sweep no longer asks for are said") {
  const Workplace here;
  const auto write = [&](const std::string& values) {
    here.write("s.yaml",
               "sweep: s\ncluster: local\ncommand: 'sleep 600 # {mbs}'\norder: sequential\n"
               "grid: {mbs: " +
                   values + "}\n");
  };
  write("[1, 2, 3]");
  CHECK_THAT(here.pippin("submit s.yaml").err, !Contains("no longer in"));
  write("[1]");
  CHECK_THAT(here.pippin("submit s.yaml").err,
             Contains("2 runs under way are no longer in s.yaml; 'pippin --db t.db cancel s' and "
                      "the same command again leave them out"));
  CHECK(here.pippin("--yes cancel s").exit_code == 0);
  here.shell("while pgrep -f \"$PWD/t.db.runs\" >/dev/null; do sleep 0.1; done");
}

TEST_CASE("jobs that are over and count for nothing are not compared with today's") {
  const Workplace here;
  std::string sweep = test::replay_sweep("");
  here.write("s.yaml", sweep.replace(sweep.find("repeats"), 7, "env: {SPOILT: yes}\nrepeats"));
  CHECK(here.pippin("run s.yaml").exit_code == 0);
  here.write("s.yaml", test::replay_sweep(""));  // other points, as the environment is another
  CHECK_THAT(here.pippin("run s.yaml").err, !Contains("written otherwise"));
}

TEST_CASE("jobs of a folder that was moved are not written otherwise") {
  const Workplace here;
  here.shell("mkdir before");
  here.write("before/s.yaml", test::replay_sweep(""));
  CHECK(here.shell("cd before && \"$PIPPIN\" --db t.db run s.yaml").exit_code == 0);
  here.shell("mv before now");
  const Call call = here.shell("cd now && \"$PIPPIN\" --db t.db run s.yaml");
  CHECK(call.exit_code == 0);
  CHECK_THAT(call.err, !Contains("written otherwise"));
  CHECK(here.shell("cd now && sqlite3 t.db 'SELECT count(*) FROM runs'").out == "12\n");
}

TEST_CASE("another environment makes other points") {
  const Workplace here;
  here.write("s.yaml", test::replay_sweep("env: {NCCL_ALGO: Ring}\n"));
  CHECK(here.pippin("run s.yaml").exit_code == 0);
  here.write("s.yaml", test::replay_sweep("env: {NCCL_ALGO: Tree}\n"));
  CHECK(here.pippin("run s.yaml").exit_code == 0);
  CHECK(here.sql("SELECT count(*), count(DISTINCT point) FROM runs") == "24|8");
}

TEST_CASE("a standard error that nobody takes costs nothing but what is said there") {
  const Workplace here;
  here.write("s.yaml", test::replay_sweep(""));
  CHECK(here.shell("\"$PIPPIN\" --db t.db run s.yaml 2>&-").exit_code == 0);
  CHECK(here.shell("\"$PIPPIN\" --db t.db run s.yaml 2>/dev/full").exit_code == 0);
  CHECK(here.shell("\"$PIPPIN\" plan none.yaml 2>/dev/full").exit_code == 2);
  CHECK(here.shell("\"$PIPPIN\" plan s.yaml >&-").exit_code == 3);
  CHECK(here.sql("PRAGMA integrity_check") == "ok");
}

TEST_CASE("input that is refused leaves no database behind") {
  const Workplace here;
  here.write("bad.yaml", "sweep: s\ngrid: {tp: [1]}\ncommand: \"echo {tp} 'unclosed\"\n");
  CHECK(here.pippin("run none.yaml").exit_code == 2);
  CHECK(here.pippin("submit bad.yaml").exit_code == 2);
  CHECK_THAT(here.pippin("merge none.db").err, Contains("none.db: no such file"));
  CHECK(here.shell("ls -d t.db*").out.empty());
}

TEST_CASE("how to come back can be pasted into a shell") {
  const Workplace here;
  here.write("it's.yaml", test::replay_sweep(""));
  const Call submitted = here.shell("\"$PIPPIN\" --db 'd b' submit \"it's.yaml\"");
  CHECK_THAT(submitted.err, Contains("pippin --db 'd b' run 'it'\\''s.yaml'"));
}

TEST_CASE("a message is one line whatever a name holds") {
  const Workplace here;
  const Call call = here.pippin("plan $'two\\nlines.yaml'");
  CHECK(call.exit_code == 2);
  CHECK(lines_in(call.err) == 1);
  CHECK_THAT(call.err, Contains("two\\nlines.yaml"));
}

TEST_CASE("status where nothing was begun says so") {
  const Workplace here;
  const Call call = here.pippin("status");
  CHECK(call.exit_code == 0);
  CHECK_THAT(call.err, Contains("t.db.runs: no campaign yet"));
}

TEST_CASE("a campaign that is damaged is named with what to do and stops no other") {
  const Workplace here;
  here.write("s.yaml", test::replay_sweep(""));
  here.pippin("run s.yaml");
  here.write("t.db.runs/other/campaign-1.json", "{\"format\": 1");
  CHECK(here.pippin("cancel replayed").exit_code == 0);
  here.shell(
      "mv t.db.runs/replayed/campaign-1.json whole; head -c 300 whole "
      ">t.db.runs/replayed/campaign-1.json");
  const Call call = here.pippin("run s.yaml");
  CHECK(call.exit_code == 2);
  CHECK_THAT(call.err, Contains("campaign-1.json: is damaged") && Contains("move it away"));
  here.shell("rm t.db.runs/replayed/campaign-1.json");
  CHECK(here.pippin("run s.yaml").exit_code == 0);
  CHECK(here.shell("cat t.db.runs/replayed/jobs/*/*.log | grep -c starts").out == "12\n");
  CHECK(here.sql("SELECT count(*) FROM runs") == "12");
}
