// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using test::Call;
using test::Workplace;

namespace {

std::string slow_sweep() {
  std::string sweep = test::replay_sweep("");
  sweep.replace(sweep.find("0.005"), 5, "0.040");  // a tenth of a second a run
  return sweep;
}

}  // namespace

TEST_CASE("fifty kills of pippin lose no run and double none") {
  const Workplace here;
  here.write("s.yaml", slow_sweep());
  // Delays from 1 to 99 ms, so that kills fall into starting, handing over, waiting and collecting.
  here.shell(
      "for i in $(seq 50); do\n"
      "  \"$PIPPIN\" --db t.db run s.yaml >/dev/null 2>&1 & p=$!\n"
      "  sleep 0.0$(printf %02d $((i * 37 % 99 + 1))); kill -9 $p; wait $p\n"
      "done");
  const Call last = here.pippin("run s.yaml");
  CAPTURE(last.err);
  CHECK(last.exit_code == 0);
  CHECK(here.sql("SELECT count(*), count(DISTINCT name), sum(state = 'ok') FROM runs") ==
        "12|12|12");
  CHECK(here.sql("SELECT count(*) FROM iterations") == "60");
  CHECK(here.shell("cat t.db.runs/replayed/jobs/*/*.log | grep -c starts").out == "12\n");
  CHECK(here.shell("grep -l '^pippin: exit=0 ' t.db.runs/replayed/*-a?/*/run | wc -l").out ==
        "12\n");
}

TEST_CASE("kills of pippin, of its queue and of its jobs end with every run finished once") {
  const Workplace here;
  here.write("s.yaml", slow_sweep());
  here.shell(
      "for i in $(seq 12); do\n"
      "  \"$PIPPIN\" --db t.db run s.yaml --retries 50 >/dev/null 2>&1 & p=$!\n"
      "  sleep 0.$(printf %02d $((i * 7 % 30 + 5)))\n"
      "  case $((i % 3)) in\n"
      "    0) pkill -9 -f \"queue.bash $PWD/t.db.runs\" ;;\n"
      "    1) pkill -9 -f \"bash $PWD/t.db.runs/replayed/jobs/.*/job-\" ;;\n"
      "  esac\n"
      "  kill -9 $p; wait $p\n"
      "done");
  const Call last = here.pippin("run s.yaml --retries 50");
  CAPTURE(last.err);
  CHECK(last.exit_code == 0);
  CHECK(here.sql("SELECT count(*), count(DISTINCT name), sum(state = 'ok') FROM runs") ==
        "12|12|12");
  CHECK(here.sql("SELECT count(*) FROM iterations") == "60");
  CHECK(here.shell("grep -l '^pippin: exit=0 ' t.db.runs/replayed/*-a?/*/run | wc -l").out ==
        "12\n");
}
