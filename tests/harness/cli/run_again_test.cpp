// SPDX-License-Identifier: Apache-2.0
// A sweep that was run before: what is measured again, and what is not.
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::Call;
using test::Workplace;

TEST_CASE("a finished campaign is not run again and another begins on demand") {
  const Workplace here;
  here.write("s.yaml", test::replay_sweep(""));
  CHECK(here.pippin("run s.yaml").exit_code == 0);
  const Call second = here.pippin("run s.yaml");
  CHECK(second.exit_code == 0);
  CHECK_THAT(second.err, Contains("was finished already") && Contains("--again"));
  CHECK(here.sql("SELECT count(*) FROM runs") == "12");
  CHECK(here.pippin("run s.yaml --again").exit_code == 0);
  CHECK(here.sql("SELECT count(*) FROM runs") == "24");
  CHECK(here.sql("SELECT count(DISTINCT campaign) FROM run_overview") == "2");
}

TEST_CASE("a refused --again begins nothing") {
  const Workplace here;
  here.write("s.yaml", test::replay_sweep(""));
  CHECK(here.pippin("run s.yaml").exit_code == 0);
  for (const char* options : {"--at 25:00", "--spread 3x", "--spread 1h --at 00:00", "--exclude n1",
                              "--nodelist n1", "--only mbs=99", "--only 'mbs ='"}) {
    CAPTURE(options);
    CHECK(here.pippin("run s.yaml --again " + std::string(options)).exit_code == 2);
    CHECK(here.pippin("submit s.yaml --again " + std::string(options)).exit_code == 2);
    CHECK(here.shell("ls t.db.runs/replayed/campaign-2.json").exit_code != 0);
  }
  CHECK_THAT(here.pippin("run s.yaml").err,
             Contains("campaign 1 of replayed was finished already"));
  CHECK(here.sql("SELECT count(*) FROM runs") == "12");
}

TEST_CASE("a database without its folder of runs starts over, and says so") {
  const Workplace here;
  here.write("s.yaml", test::replay_sweep(""));
  CHECK_THAT(here.pippin("run s.yaml").err, !Contains("anew"));
  CHECK(here.shell("mv t.db.runs elsewhere").exit_code == 0);
  CHECK_THAT(here.pippin("run s.yaml").err,
             Contains("campaign 2 begins, and all is measured anew: t.db knows campaign 1 of "
                      "replayed, whose files are not in "));
  CHECK_THAT(here.pippin("run s.yaml").err, !Contains("anew"));
}
