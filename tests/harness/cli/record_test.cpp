// SPDX-License-Identifier: Apache-2.0
// What becomes of runs that have ended.
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::Call;
using test::Workplace;

namespace {

/// Of three runs one leaves a folder where its log was.
const char* const kOddSweep =
    "sweep: s\ngrid: {mbs: [1, 2, 4]}\n"
    "command: '\"${PIPPIN%/*}/probes/replay\" --mbs {mbs} --sleep-factor 0; if [ {mbs} = 2 ]; then "
    "cd \"$PIPPIN_RUN_DIR\"; mv log kept; mkdir log; fi'\n";
const char* const kRun = "export PIPPIN; \"$PIPPIN\" --db t.db run s.yaml";

}  // namespace

TEST_CASE("a run that cannot be read is named, and keeps no other from being recorded") {
  const Workplace here;
  here.write("s.yaml", kOddSweep);
  const Call call = here.shell(kRun);
  CHECK(call.exit_code == 3);
  CHECK_THAT(call.err, Contains("could not be recorded: model-tp1-pp1-dp1-mbs2-") &&
                           Contains("Is a directory; the others were"));
  CHECK(here.sql("SELECT count(*), sum(state = 'ok') FROM runs") == "2|2");
  const Call collected = here.pippin("collect");
  CHECK(collected.exit_code == 3);
  CHECK_THAT(collected.err, Contains("could not be recorded: model-tp1-pp1-dp1-mbs2-"));
  here.shell("cd t.db.runs/s/model-*mbs2*/*/ && rmdir log && mv kept log");
  CHECK(here.shell(kRun).exit_code == 0);
  CHECK(here.sql("SELECT count(*), sum(state = 'ok') FROM runs") == "3|3");
}

TEST_CASE("runs that end well and measured nothing are all failures, for jobs too") {
  const Workplace here;
  std::string values;
  for (int i = 1; i <= 600; ++i) values += (i > 1 ? ", " : "") + std::to_string(i);
  here.write("s.yaml", "sweep: s\ngrid: {a: [" + values + "]}\ncommand: 'true {a}'\n");
  CHECK(here.pippin("run s.yaml --quiet").exit_code == 1);
  CHECK(here.sql("SELECT state, count(*) FROM runs GROUP BY state") == "failed|600");
  CHECK_THAT(here.shell("cat t.db.runs/s/refuted/* | wc -l").out, Contains("600\n"));
  CHECK_THAT(here.pippin("status s").out, Contains("600 failed"));
  CHECK(here.pippin("run s.yaml --quiet").exit_code == 1);
  CHECK(here.sql("SELECT count(*) FROM runs") == "600");
}

TEST_CASE("a trainer that nobody knows and that dies of memory is out of memory, not just failed") {
  const Workplace here;
  here.write(
      "s.yaml",
      "sweep: own\ncluster: local\ncommand: \"echo 'torch.OutOfMemoryError: CUDA out of memory. "
      "Tried to allocate 2.00 GiB'; exit 1\"\ngrid: {mbs: [1]}\n");
  CHECK(here.pippin("run s.yaml --quiet").exit_code == 1);
  CHECK(here.sql("SELECT state FROM runs") == "oom");
  CHECK_THAT(here.sql("SELECT evidence FROM runs"), Catch::Contains("Tried to allocate 2.00 GiB"));
}
