// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::Call;
using test::Workplace;

namespace {

std::string short_sweep() {
  std::string sweep = test::replay_sweep("where: [tp * pp < 4]\n");
  return sweep.replace(sweep.find("allocations: 3"), 14, "allocations: 1");
}

/// Logs, a noted table, and a sweep with two campaigns of which the first has a tag.
struct Filled : Workplace {
  Filled() {
    write("s.yaml", short_sweep());
    pippin("run s.yaml --quiet");
    pippin("run s.yaml --again --quiet");
    pippin("tag replayed/1 good");
    shell("cp '" + (test::source_directory() / "tests/data/notes/gpt2.md").string() + "' .");
    pippin("import gpt2.md --quiet");
    pippin("collect --quiet '" + (test::source_directory() / "tests/data/logs").string() + "'");
  }
};

}  // namespace

TEST_CASE("list shows sweeps, campaigns, tables by hand and logs from elsewhere, a row each") {
  const Filled here;
  const Call all = here.pippin("list");
  CAPTURE(all.out, all.err);
  CHECK(all.exit_code == 0);
  CHECK_THAT(all.out, Contains("collected") && Contains("logs") && Contains("noted"));
  const auto lines = split(trim(all.out), '\n');
  REQUIRE(lines.size() > 6);
  const std::string first(lines[lines.size() - 4]), second(lines[lines.size() - 3]);
  CHECK_THAT(first, Contains("replayed/1") && Contains("local") && Contains("good"));
  CHECK_THAT(second, Contains("replayed/2") && Contains("local") && !Contains("good"));
  CHECK(lines.back() == "newest: replayed/2, which 'pippin report' shows");
  const Call one = here.pippin("list replayed/1 --format csv");
  CHECK(one.out.substr(0, one.out.find('\n')) ==
        "sweep,campaign,kind,started_utc,cluster,points,infeasible_points,runs_ok,runs_failed,"
        "runs_timeout,runs_oom,runs_cancelled,runs_missing,runs_dropped,dropped_because,"
        "tags,last_run_utc,newest");
  CHECK(split(trim(one.out), '\n').size() == 2);
  CHECK(here.pippin("list good --format csv").out == one.out);
  const Call logs = here.pippin("list collected --format csv");
  CHECK(split(trim(logs.out), '\n').size() == 2);
}

TEST_CASE("list counts what the database has") {
  const Filled here;
  const auto json = nlohmann::json::parse(here.pippin("list replayed --format json").out);
  REQUIRE(json.at("campaigns").size() == 2);
  const auto& first = json.at("campaigns").at(0);
  CHECK(first.at("sweep") == "replayed");
  CHECK(first.at("kind") == "campaign");
  CHECK(first.at("points") == 3);
  CHECK(first.at("infeasible_points") == 1);
  CHECK(first.at("runs_ok") == 3);
  CHECK(first.at("runs_failed") == 0);
  CHECK(first.at("tags") == nlohmann::json::array({"good"}));
  CHECK(first.at("newest") == false);
  CHECK(json.at("campaigns").at(1).at("newest") == true);
  CHECK(first.at("last_run_utc").get<std::string>().size() == 20);
}

TEST_CASE("list of an empty database, of none and of an unknown name is one line each") {
  const Workplace here;
  const Call none = here.pippin("list");
  CHECK(none.exit_code == 2);
  CHECK_THAT(none.err, Contains("t.db: no such database"));
  here.shell("mkdir empty");
  here.pippin("collect empty");
  const Call empty = here.pippin("list");
  CHECK(empty.exit_code == 0);
  CHECK(empty.out.empty());
  CHECK(empty.err ==
        "t.db: holds no sweep and no log yet; 'pippin run' or 'pippin collect' brings some\n");
  CHECK(nlohmann::json::parse(here.pippin("list --format json").out).at("campaigns").empty());
  const Call unknown = here.pippin("list gpt");
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, Contains("no sweep, campaign or tag is named 'gpt'"));
  CHECK_THAT(here.pippin("list --format html").err, Contains("known: terminal, csv, json"));
}

TEST_CASE("runs that are over and not read are told where tables lack them") {
  const Workplace here;
  here.write("s.yaml", test::replay_sweep("order: sequential\n"));
  CHECK(here.pippin("submit s.yaml").exit_code == 0);
  here.shell("until [ \"$(cat t.db.runs/replayed/outcomes/* | wc -l)\" = 12 ]; do sleep 0.1; done");
  const std::string words =
      "12 runs of replayed/1 are over and not read: 'pippin --db t.db collect' does";
  for (const char* table :
       {"list", "list replayed", "report replayed", "compare replayed replayed"}) {
    CAPTURE(table);
    CHECK_THAT(here.pippin(table).err, Contains(words));
  }
  CHECK(here.pippin("collect").exit_code == 0);
  CHECK_THAT(here.pippin("list").err, !Contains("not read"));
  // What a person has set aside stays so.
  CHECK(here.pippin("drop 1 --because x").exit_code == 0);
  CHECK(here.pippin("--yes drop 2 --forever").exit_code == 0);
  CHECK_THAT(here.pippin("list").err, !Contains("not read"));
  CHECK(here.pippin("--yes drop replayed/1 --forever").exit_code == 0);
  CHECK_THAT(here.pippin("list").err, !Contains("not read"));
}
