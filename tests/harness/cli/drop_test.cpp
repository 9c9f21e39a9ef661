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

const std::string kRun = "tiny-tp1-pp1-dp16-mbs1-gas1-e5f403e8-a1";

/// A sweep that has run: 4 points, 3 allocations of each.
struct Used : Workplace {
  Used() {
    write("s.yaml", test::replay_sweep(""));
    pippin("run s.yaml --quiet");
  }
  std::string runs() const { return sql("SELECT count(*) FROM runs"); }
  nlohmann::json row(const std::string& options = "") const {
    const Call call = pippin("report --format json --columns point,state,runs " + options);
    return nlohmann::json::parse(call.out).at("rows").at(0);
  }
};

}  // namespace

TEST_CASE("drop wants a reason, a name that exists, and one thing at a time") {
  const Used here;
  const std::vector<std::pair<std::string, std::string>> cases{
      {"drop " + kRun, "say why: --because"},
      {"drop " + kRun + " --because ' '", "say why: --because"},
      {"drop nothing --because x", "no run, campaign, sweep or tag is named 'nothing'"},
      {"drop replayd --because x", "did you mean 'replayed'?"},
      {"drop --undo " + kRun, "not dropped by that name"},
      {"drop --undo --forever " + kRun, "name one of them"},
      {"drop --forever " + kRun + " </dev/null", "nothing was deleted; say --yes"},
      {"drop --because x", "NAME is required"},
  };
  for (const auto& [words, message] : cases) {
    const Call call = here.pippin(words);
    CAPTURE(words, call.err);
    CHECK(call.exit_code == 2);
    CHECK_THAT(call.err, Contains(message));
    CHECK(split(trim(call.err), '\n').size() == 1);
  }
  CHECK(here.sql("SELECT count(*) FROM runs") == "12");
  CHECK(here.sql("SELECT count(*) FROM dropped_runs") == "0");
}

TEST_CASE("a run's name that another sweep's files have, too, needs its sweep") {
  const Used here;
  // As of a sweep that was submitted and not collected yet.
  here.shell("cp -r t.db.runs/replayed t.db.runs/other");
  for (const std::string& words : {"drop " + kRun + " --because x", "note " + kRun + " x"}) {
    const Call call = here.pippin(words);
    CAPTURE(words, call.err);
    CHECK(call.exit_code == 2);
    CHECK_THAT(call.err, Contains("' is a run of replayed and of other, whose newest runs may not "
                                  "be read yet; say replayed/" +
                                  kRun));
  }
  CHECK(here.pippin("drop replayed/" + kRun + " --because x").exit_code == 0);
  CHECK(here.sql("SELECT count(*) FROM dropped_runs") == "1");
  CHECK(here.pippin("drop --undo replayed/1/" + kRun).exit_code == 0);
  CHECK(here.sql("SELECT count(*) FROM dropped_runs") == "0");
}

TEST_CASE("a dropped run leaves the table, which says so, and comes back") {
  const Used here;
  CHECK(here.row().at("runs") == 3);
  const Call drop = here.pippin("drop 1 --because 'node r7i2n0 was broken'");
  CHECK(drop.exit_code == 0);
  CHECK(drop.err ==
        "1: dropped, node r7i2n0 was broken; 'pippin --db t.db drop --undo 1' takes it back\n");
  const Call report = here.pippin("report");
  CHECK_THAT(report.out, Contains("1 run is dropped: node r7i2n0 was broken; 'pippin report "
                                  "--dropped' shows them"));
  CHECK_THAT(here.pippin("report --format markdown").out, Contains("- 1 run is dropped: "));
  CHECK_THAT(here.pippin("report --format json").out, Contains("1 run is dropped: "));
  CHECK(here.sql("SELECT sum(runs) FROM point_summaries WHERE campaign = 1") == "11");
  const Call dropped = here.pippin("report --dropped");
  CHECK_THAT(dropped.out, Contains("dropped: node r7i2n0 was broken"));
  CHECK_THAT(dropped.out, !Contains("run is dropped"));
  const auto list = nlohmann::json::parse(here.pippin("list --format json").out);
  CHECK(list.at("campaigns").at(0).at("runs_ok") == 11);
  CHECK(list.at("campaigns").at(0).at("runs_dropped") == 1);
  CHECK(list.at("campaigns").at(0).at("dropped_because") == "node r7i2n0 was broken");
  CHECK_THAT(here.pippin("list").out, Contains("dropped  because") && Contains("node r7i2n0"));
  CHECK_THAT(here.pippin("noise").out, Contains("1 run is dropped: node r7i2n0 was broken."));
  CHECK_THAT(here.pippin("noise --format html").out, Contains("1 run is dropped: node r7i2n0"));
  const Call compared = here.pippin("compare replayed replayed");
  CHECK_THAT(compared.out, Contains("replayed/1: 1 run is dropped: node r7i2n0 was broken"));
  CHECK(compared.err.empty());
  CHECK_THAT(here.pippin("compare today replayed").out,
             Contains("in the whole database 1 run is dropped: node r7i2n0 was broken"));
  here.pippin("collect --quiet");
  CHECK_THAT(here.pippin("run s.yaml").out, Contains("1 run is dropped"));
  CHECK(here.runs() == "12");
  CHECK(here.pippin("drop --undo 1").exit_code == 0);
  CHECK_THAT(here.pippin("report").out, !Contains("dropped"));
  CHECK(here.row().at("runs") == 3);
}

TEST_CASE("a dropped campaign is not the newest, is not continued, and its sweep can be dropped") {
  const Used here;
  here.pippin("run s.yaml --again --quiet");
  here.pippin("tag replayed/2 late");
  CHECK(here.pippin("drop late --because 'wrong image'").exit_code == 0);
  CHECK_THAT(here.pippin("report").out, !Contains("newest of"));
  CHECK_THAT(here.pippin("report late").out, Contains("12 runs are dropped: wrong image"));
  const Call compare = here.pippin("compare replayed/1 replayed/2");
  CHECK(compare.exit_code == 2);
  CHECK_THAT(compare.err, Contains("'replayed/2' has no runs"));
  const Call run = here.pippin("run s.yaml");
  CHECK(run.exit_code == 2);
  CHECK_THAT(run.err, Contains("campaign 2 of it is dropped (wrong image)") &&
                          Contains("drop --undo replayed/2") && Contains("--again"));
  CHECK(here.pippin("run s.yaml --again --quiet").exit_code == 0);
  CHECK(here.sql("SELECT group_concat(number) FROM campaigns") == "1,2,3");
  CHECK(here.pippin("drop replayed --because test").exit_code == 0);
  CHECK_THAT(here.pippin("report").out, Contains("no points") && Contains("36 runs are dropped"));
  CHECK(here.pippin("drop --undo replayed").exit_code == 0);
  CHECK_THAT(here.pippin("report").out, Contains("newest of 3 campaigns"));
}

TEST_CASE("jobs that go on though their sweep is dropped are told of") {
  const Workplace here;
  here.write("s.yaml", "sweep: s\ncommand: 'sleep 1000; echo {a}'\ngrid: {a: [1, 2]}\n");
  here.pippin("submit s.yaml");
  here.pippin("collect");
  CHECK_THAT(here.pippin("drop s --because x").err,
             Contains("s/1: 2 runs still under way; 'pippin --db t.db cancel s/1' ends them"));
  CHECK(here.pippin("cancel s/1").exit_code == 0);
  CHECK(here.pippin("drop --undo s").exit_code == 0);
  CHECK(here.pippin("drop s --because x").err.find("under way") == std::string::npos);
}

TEST_CASE("run does not measure a dropped run again by itself") {
  const Workplace here;
  here.write("s.yaml",
             "sweep: replayed\ncluster: local\ncommand: \"test -e go{tp}{pp}\"\n"
             "grid: {tp: [1, 2], pp: [1, 2]}\nrepeats: {allocations: 3, runs: 1}\n");
  CHECK(here.pippin("run s.yaml --quiet").exit_code == 1);
  CHECK(here.sql("SELECT count(*) FROM runs WHERE state = 'failed'") == "12");
  const std::string run = here.sql("SELECT name FROM runs LIMIT 1");
  here.pippin("drop " + run + " --because test");
  here.pippin("run s.yaml --quiet --retry-failed");
  CHECK(here.shell("ls -d t.db.runs/replayed/" + run + "/*-* | wc -l").out == "1\n");
  CHECK(here.shell("ls -d t.db.runs/replayed/*-a?/*-* | wc -l").out == "23\n");
}

TEST_CASE("what is deleted for ever comes back only by its own file") {
  const Used here;
  const std::string log =
      std::string(trim(here.shell("ls t.db.runs/replayed/" + kRun + "/*/log").out));
  here.shell("cp '" + log + "' elsewhere.out; mkdir logs; cp elsewhere.out logs");
  const Call deleted = here.pippin("drop --forever --yes " + kRun);
  CAPTURE(deleted.err);
  CHECK(deleted.exit_code == 0);
  CHECK_THAT(deleted.err, Contains("1 run deleted"));
  CHECK(here.runs() == "11");
  CHECK(here.shell("test -e '" + log + "'").exit_code == 0);
  here.pippin("collect --quiet");
  here.pippin("collect --quiet t.db.runs");
  here.pippin("collect --quiet logs");
  here.pippin("run s.yaml --quiet --retry-failed");
  CHECK(here.runs() == "11");
  here.pippin("collect --quiet '" + log + "'");
  CHECK(here.runs() == "12");
  CHECK(here.pippin("drop --forever --yes replayed/1").exit_code == 0);
  CHECK(here.runs() == "0");
  here.pippin("collect --quiet");
  CHECK(here.sql("SELECT count(*) FROM campaigns") == "0");
  const Call run = here.pippin("run s.yaml");
  CHECK(run.exit_code == 2);
  CHECK_THAT(run.err, Contains("campaign 1 of it was deleted from t.db; --again begins another"));
  here.pippin("collect --quiet elsewhere.out");
  CHECK(here.runs() == "1");
  here.pippin("collect --quiet t.db.runs/replayed/campaign-1.json");
  CHECK(here.runs() == "12");
}
