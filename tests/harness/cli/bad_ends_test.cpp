// SPDX-License-Identifier: Apache-2.0
// Runs that end badly: what is said of them, and what becomes of them.
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::Call;
using test::Workplace;

TEST_CASE("a run that fails is a row with its reason and an exit status of 1") {
  const Workplace here;
  here.write("s.yaml",
             test::replay_sweep("derive: {fail_at: (tp == 2) * 3}\nenv: {X: '{fail_at}'}\n"));
  const Call run = here.pippin("run s.yaml");
  CHECK(run.exit_code == 1);
  CHECK(here.sql("SELECT count(*) FROM runs WHERE state = 'failed' AND evidence <> '' AND "
                 "exit_code <> 0") == "6");
  const Call again = here.pippin("run s.yaml");
  CHECK(again.exit_code == 1);
  CHECK(here.sql("SELECT count(*) FROM runs") == "12");
}

TEST_CASE("running out of memory is named in the table") {
  const Workplace here;
  here.write("s.yaml", "sweep: s\ngrid: {memory_limit_mib: [1]}\niterations: 2\n");
  CHECK(here.pippin("run s.yaml").exit_code == 1);
  CHECK_THAT(here.pippin("report --format csv").out, Contains(",oom,"));
  CHECK_THAT(here.sql("SELECT evidence FROM runs"), Contains("out of memory"));
}

TEST_CASE("a log that contradicts its point is no sample of it") {
  const Workplace here;
  here.write("s.yaml",
             "sweep: s\ngrid: {mbs: [1, 2]}\niterations: 2\nfixed: {x: 1}\ncommand: "
             "'\"$PROBES/replay\" --mbs 1 --sleep-factor 0 --iterations 2 # {x} {mbs}'\n");
  CHECK(here.shell("PROBES=\"$(dirname \"$PIPPIN\")/probes\"; export PROBES; \"$PIPPIN\" --db t.db "
                   "run s.yaml")
            .exit_code == 1);
  CHECK(here.sql("SELECT evidence FROM runs WHERE state = 'failed'") ==
        "its log says mbs 1, the point mbs 2");
  CHECK(here.sql("SELECT count(*) FROM runs WHERE state = 'ok'") == "1");
}

TEST_CASE("a log that contradicts its point still says how its run ended") {
  const Workplace here;
  here.write("s.yaml",
             "sweep: s\ngrid: {mbs: [2]}\niterations: 2\nfixed: {x: 1}\ncommand: "
             "'\"$PROBES/replay\" --mbs 1 --sleep-factor 0 --iterations 2; echo "
             "\"torch.OutOfMemoryError: CUDA out of memory\"; exit 1 # {x} {mbs}'\n");
  here.shell(
      "PROBES=\"$(dirname \"$PIPPIN\")/probes\"; export PROBES; \"$PIPPIN\" --db t.db run s.yaml");
  CHECK(here.sql("SELECT state, evidence FROM runs") ==
        "oom|torch.OutOfMemoryError: CUDA out of memory; its log says mbs 1, the point mbs 2");
  CHECK(here.sql("SELECT count(*) FROM iterations") == "0");
}

TEST_CASE("a run whose log tells how it died is not ok because its command ended well") {
  for (const auto& [end, exit] :
       std::vector<std::pair<std::string, std::string>>{{"| tee copy", "1"}, {"|| true", "0"}}) {
    CAPTURE(end);
    const Workplace here;
    here.write("s.yaml",
               "sweep: s\ngrid: {mbs: [1]}\niterations: 9\ncommand: "
               "'\"$PROBES/replay\" --mbs {mbs} --sleep-factor 0 --iterations 9 --fail-at 4 "
               "--fail-with oom " +
                   end + "'\n");
    const Call run = here.shell(
        "PROBES=\"$(dirname \"$PIPPIN\")/probes\"; export PROBES; \"$PIPPIN\" --db t.db run "
        "s.yaml");
    CHECK(run.exit_code == 1);
    CHECK(here.sql("SELECT state, exit_code FROM runs") == "oom|" + exit);
    CHECK_THAT(here.sql("SELECT evidence FROM runs"), Contains("CUDA out of memory"));
    CHECK_THAT(here.pippin("status").out, Contains("1 failed") && Contains("CUDA out of memory"));
  }
}

TEST_CASE("a run that ends well and measures nothing has failed, for status and retries too") {
  const Workplace here;
  here.write("s.yaml",
             "sweep: s\ngrid: {mbs: [1, 2]}\ncommand: '[ -e mended ] || [ {mbs} = 1 ] || exec echo "
             "nothing; \"${PIPPIN%/*}/probes/replay\" --mbs {mbs} --sleep-factor 0'\n");
  const auto pippin = [&](const std::string& words) {
    return here.shell("export PIPPIN; \"$PIPPIN\" --db t.db " + words);
  };
  const Call first = pippin("run s.yaml");
  CHECK(first.exit_code == 1);
  CHECK_THAT(first.err, Contains("1 run failed; once that is mended, '") &&
                            Contains("run --retry-failed s.yaml' measures it again"));
  const Call status = pippin("status s");
  CHECK_THAT(status.out, Contains("1 ok, 1 failed"));
  CHECK_THAT(status.out, Contains("mbs2-gas1-a1: exit 0, but its log has no"));
  const Call again = pippin("run s.yaml");
  CHECK(again.exit_code == 1);
  CHECK_THAT(again.err, Contains("was finished already") && Contains("1 run failed; once"));
  CHECK(pippin("run s.yaml --retry-failed").exit_code == 1);
  CHECK(here.sql("SELECT group_concat(state, ' ') FROM runs ORDER BY name") == "ok failed");
  CHECK(here.shell("ls t.db.runs/s/*mbs1*-a1 | wc -l; ls t.db.runs/s/*mbs2*-a1 | wc -l").out ==
        "1\n2\n");
  here.write("mended", "");
  CHECK(pippin("run s.yaml --retry-failed").exit_code == 0);
  CHECK(here.sql("SELECT count(*) FROM runs WHERE state = 'ok'") == "2");
  CHECK_THAT(pippin("status s").out, Contains("2 ok") && !Contains("failed"));
}

TEST_CASE("a lost run of a command that has changed is not run with the new one") {
  const Workplace here;
  here.write("s.yaml", "sweep: s\ngrid: {mbs: [1]}\ncommand: 'kill -9 $$; true {mbs}'\n");
  const Call lost = here.pippin("run s.yaml --retries 1");
  CHECK(lost.exit_code == 1);
  CHECK_THAT(lost.err, Contains("1 run was lost") && Contains("jobs/s-a1-n1-s2"));
  here.write("s.yaml", "sweep: s\ngrid: {mbs: [1]}\ncommand: 'echo new {mbs}; exit 7'\n");
  CHECK(here.pippin("run s.yaml").exit_code == 1);
  CHECK(here.sql("SELECT count(*) FROM runs WHERE exit_code = 7") == "1");
  CHECK(here.sql("SELECT count(*) FROM runs WHERE state = 'cancelled' AND exit_code IS NULL") ==
        "1");
}

TEST_CASE("a lost run is tried again by the next run of its sweep") {
  const Workplace here;
  here.write("s.yaml",
             "sweep: s\ngrid: {mbs: [1, 2]}\ncommand: '[ -e mended ] || kill -9 $$; "
             "\"${PIPPIN%/*}/probes/replay\" --mbs {mbs} --sleep-factor 0'\n");
  const std::string with_program = "export PIPPIN; \"$PIPPIN\" --db t.db run s.yaml --retries 0";
  CHECK(here.shell(with_program).exit_code == 1);
  CHECK(here.sql("SELECT count(*) FROM runs WHERE state = 'missing'") == "2");
  CHECK(here.shell("touch mended; export PIPPIN; \"$PIPPIN\" --db t.db run s.yaml").exit_code == 0);
  CHECK(here.sql("SELECT count(*), sum(state = 'ok') FROM runs") == "2|2");
}

TEST_CASE("a run that hangs is a timeout with its last line, and tried again only on demand") {
  const Workplace here;
  here.write(
      "s.yaml",
      "sweep: s\ngrid: {mbs: [1, 2, 4]}\nrun_time: 10 s\n"
      "command: 'if [ {mbs} = 2 ] && ! [ -e mended ]; then echo waiting for rank 3; sleep 60; "
      "fi; \"${PIPPIN%/*}/probes/replay\" --mbs {mbs} --sleep-factor 0'\n");
  const std::string run = "export PIPPIN; \"$PIPPIN\" --db t.db run s.yaml";
  CHECK(here.shell(run).exit_code == 1);
  CHECK(here.sql("SELECT state, count(*) FROM runs GROUP BY state") == "ok|2\ntimeout|1");
  CHECK(here.sql("SELECT evidence FROM runs WHERE state = 'timeout'") ==
        "stopped after run_time 10 s; last: waiting for rank 3");
  CHECK_THAT(here.pippin("report s --format csv").out, Contains("timeout"));
  CHECK_THAT(here.pippin("status s").out, Contains("2 ok, 1 failed"));
  CHECK(here.shell("touch mended; " + run).exit_code == 1);
  CHECK(here.shell(run + " --retry-failed").exit_code == 0);
  CHECK(here.sql("SELECT count(*), sum(state = 'ok') FROM runs") == "3|3");
}

TEST_CASE("the run over which a job gives up has failed, and what it left was not launched") {
  const Workplace here;
  here.write("s.yaml",
             "sweep: s\ngrid: {mbs: [1, 2, 4, 8]}\nrepeats: {allocations: 3}\n"
             "command: './train {mbs}'\n");
  CHECK_THAT(here.pippin("run s.yaml").err, Contains("5 of 12 runs done, 5 failed, 7 given up\n"));
  CHECK(here.sql("SELECT state, count(*) FROM runs GROUP BY state") == "failed|5\nmissing|7");
}

TEST_CASE("a sweep whose program is missing is given up, and goes on once it is there") {
  const Workplace here;
  here.write("s.yaml",
             "sweep: s\ngrid: {mbs: [1, 2, 4]}\npack: point\nrepeats: {allocations: 4}\n"
             "command: './train --mbs {mbs} --sleep-factor 0'\n");
  const Call call = here.pippin("run s.yaml");
  CHECK(call.exit_code == 1);
  CHECK_THAT(call.err, Contains("gave up, as 5 runs in a row failed alike, all on") &&
                           Contains("./train: No such file or directory; 7 runs not launched; mend "
                                    "that, and go on with: pippin --db t.db run s.yaml"));
  CHECK(here.sql("SELECT state, count(*) FROM runs GROUP BY state") == "failed|5\nmissing|7");
  CHECK_THAT(call.err, Contains("5 of 12 runs done, 5 failed, 7 given up\n"));
  CHECK_THAT(here.pippin("status s").out, Contains("given up: 5 runs in a row failed alike") &&
                                              Contains("5 runs: failed, so that jobs gave up") &&
                                              Contains("7 runs: not launched, as jobs gave up"));
  CHECK(here.shell("ln -s \"${PIPPIN%/*}/probes/replay\" train; \"$PIPPIN\" --db t.db run s.yaml")
            .exit_code == 0);
  CHECK(here.sql("SELECT count(*), sum(state = 'ok') FROM runs") == "12|12");
  CHECK(here.pippin("status s").out.find("given up") == std::string::npos);
}

TEST_CASE("what a log says of the rank that died goes before the stop that it led to") {
  const Workplace here;
  here.write(
      "s.yaml",
      "sweep: s\ngrid: {mbs: [1]}\nstalled: 5 s\ncommand: 'printf \" iteration 1/ 5 | elapsed time "
      "per iteration (ms): 9.0 |\\ntorch.OutOfMemoryError: CUDA out of memory: {mbs}\\nwaits\\n\"; "
      "sleep 60'\n");
  CHECK(here.pippin("run s.yaml").exit_code == 1);
  CHECK(
      here.sql("SELECT state, evidence FROM runs") ==
      "oom|torch.OutOfMemoryError: CUDA out of memory: 1; stopped: its log has not grown for 5 s; "
      "last: waits");
}

TEST_CASE("a marker that was torn by a power cut costs one run, and none whose result is stored") {
  const Workplace here;
  here.write("s.yaml", test::replay_sweep(""));
  here.pippin("run s.yaml");
  here.shell("f=$(ls t.db.runs/replayed/*-a1/1-local-0/run | head -n 1); sed -i '/exit=/d' \"$f\"");
  const auto starts = [&] {
    return here.shell("cat t.db.runs/replayed/jobs/*/*.log | grep -c starts").out;
  };
  CHECK(here.pippin("run s.yaml").exit_code == 0);
  CHECK(starts() == "12\n");
  here.shell("rm t.db");
  CHECK(here.pippin("run s.yaml").exit_code == 0);
  CHECK(starts() == "13\n");
  CHECK(here.sql("SELECT count(*), sum(state = 'ok') FROM runs") == "12|12");
  CHECK(here.sql("SELECT count(*) FROM iterations") == "60");
}
