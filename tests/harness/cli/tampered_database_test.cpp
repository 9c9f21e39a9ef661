// SPDX-License-Identifier: Apache-2.0
// Databases that come from elsewhere, or that another tool has changed.
#include <fmt/format.h>

#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::Workplace;

namespace {

/// A campaign of twelve runs.
void measure(const Workplace& here) {
  here.write("s.yaml", test::replay_sweep(""));
  REQUIRE(here.pippin("--quiet run s.yaml").exit_code == 0);
}

}  // namespace

TEST_CASE("a summary of lines that cannot be is made anew of the lines") {
  const Workplace here;
  measure(here);
  const std::string noise = here.pippin("noise").out, report = here.pippin("report").out;
  for (const char* change :
       {"clean_sd_ms = 1e200", "clean_sd_ms = 9e999", "clean_sd_ms = -1e308",
        "clean_mean_ms = 9e999", "clean_lines = -1", "all_max_ms = 1e300", "trend = 9e999"}) {
    CAPTURE(change);
    here.sql(fmt::format("UPDATE run_digests SET {}; DELETE FROM point_summaries", change));
    const auto call = here.pippin("noise");
    CHECK(call.exit_code == 0);
    CHECK(call.out == noise);
    CHECK(here.pippin("report").out == report);
    CHECK(here.pippin("report --format html -o page.html").exit_code == 0);
  }
}

TEST_CASE("a stored table of figures that cannot be is made anew") {
  const Workplace here;
  measure(here);
  const std::string report = here.pippin("report replayed").out;
  for (const char* change :
       {"sd_low_s = 9e999", "memory_gib = 9e999", "p75_s = -9e999", "mean_s = -1", "df = 9e999",
        "allocation_means = 'x' || char(10) || 'y'", "unit_means_s = '1 -2'"}) {
    CAPTURE(change);
    here.sql(fmt::format("UPDATE point_summaries SET {}", change));
    const auto call = here.pippin("report replayed");
    CHECK(call.exit_code == 0);
    CHECK(call.out == report);
  }
}

TEST_CASE("a name of two lines, or a batch that cannot be, ends no report") {
  for (const char* change : {"UPDATE allocations SET name = 'x' || char(10) || 'y' WHERE id = 2",
                             "UPDATE iteration_blocks SET gbs_base = -1"}) {
    CAPTURE(change);
    const Workplace here;
    measure(here);
    here.sql(fmt::format("{}; DELETE FROM point_summaries; DELETE FROM run_digests", change));
    for (int time = 0; time < 2; ++time) {  // the second reads what the first has stored
      const auto call = here.pippin("report replayed");
      CHECK(call.exit_code == 0);
      CHECK(call.err.find("boost") == std::string::npos);
      CHECK_FALSE(call.out.empty());
    }
  }
}

TEST_CASE("names that steer a terminal are those of a sweep like any other") {
  const Workplace here;
  here.write(
      "s.yaml",
      "sweep: s\ngrid: {note: [plain, \"a\\u200cb\", \"a\\tb\"]}\ncommand: 'echo \" iteration 1/ "
      "1 | elapsed time per iteration (ms): 9.0 |\" {note}'\n");
  REQUIRE(here.pippin("--quiet run s.yaml").exit_code == 0);
  for (const char* words : {"status", "run s.yaml", "cancel s", "report s", "show s"}) {
    CAPTURE(words);
    CHECK(here.pippin(words).exit_code == 0);
  }
}

TEST_CASE("a database whose rows contradict each other is named when it is merged") {
  const Workplace here;
  measure(here);
  here.sql("PRAGMA foreign_keys = OFF; UPDATE runs SET point = '../../x' WHERE id = 3");
  const auto call = here.shell("\"$PIPPIN\" --db ours.db merge t.db");
  CHECK(call.exit_code == 2);
  CHECK_THAT(call.err, Contains("t.db: is damaged: its rows contradict each other"));
}

TEST_CASE("a stored table that names axes nobody knows is made anew") {
  const Workplace here;
  measure(here);
  const std::string report = here.pippin("report replayed").out;
  for (const char* axes : {"999999", "aaaa", "1 x 2", " "}) {
    CAPTURE(axes);
    here.sql(fmt::format("UPDATE point_summaries SET axes = '{}'", axes));
    const auto call = here.pippin("report replayed");
    CHECK(call.exit_code == 0);
    if (std::string_view(axes) != " ") CHECK(call.out == report);
  }
}

TEST_CASE("a run of a point that its campaign does not have is one clear line") {
  const Workplace here;
  measure(here);
  here.sql("UPDATE runs SET point = 'zz' WHERE id = 3; DELETE FROM point_summaries");
  for (const char* words : {"report", "report replayed", "noise", "show replayed"}) {
    CAPTURE(words);
    const auto call = here.pippin(words);
    CHECK(call.exit_code == 2);
    CHECK_THAT(call.err,
               Contains("is a damaged database (a run of replayed campaign 1 is of a point"));
  }
}

TEST_CASE("texts of a stranger's database cannot steer a terminal") {
  const Workplace here;
  measure(here);
  here.pippin("report replayed");
  here.sql(
      "UPDATE point_summaries SET unit = char(27) || ']0;x' || char(7), remark = char(27) || '[8m';"
      "UPDATE campaigns SET started = char(27) || '[8m'");
  for (const char* words : {"report replayed", "report replayed --format markdown",
                            "report --methods replayed", "list", "status"}) {
    CAPTURE(words);
    const auto call = here.pippin(words);
    CHECK_THAT(call.out + call.err, !Contains("\x1b"));
  }
}
