// SPDX-License-Identifier: Apache-2.0
#include "db/sqlite.h"
#include "tests/db/sample_runs.h"
#include "tests/db/sql.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;
using test::campaign_of;
using test::log_of;
using test::run_of;

TEST_CASE("a campaign comes back as it was planned") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  database.put_campaign(campaign_of());
  database.put_campaign(campaign_of());
  const auto samples = database.samples({"gpt", 1});
  REQUIRE(samples.size() == 2);
  CHECK(samples[0].sweep == "gpt");
  CHECK(samples[0].planned == RunState::kNotRun);
  CHECK(samples[0].runs.empty());
  CHECK(samples[1].planned == RunState::kInfeasible);
  CHECK(samples[1].reason == "where: 4 % tp == 0");
  const Point expected = test::point_named("52b-tp2", 2);
  CHECK(samples[0].point.id == expected.id);
  CHECK(samples[0].point.model == expected.model);
  CHECK(samples[0].point.layout == expected.layout);
  CHECK(samples[0].point.axes == expected.axes);
  CHECK(samples[0].point.trainer == "replay");
  database.put_run(run_of("a", log_of(1, 4)));
  CHECK(database.samples()[0].runs.at(0).warmup == 2);
}

TEST_CASE("a run of a campaign is stored once however often it is put") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  database.put_campaign(campaign_of());
  const std::string log = log_of(1, 20);
  RunRecord run = run_of("52b-tp2-a1", log);
  run.file = LogFile{"runs/52b-tp2-a1/log", log};
  const Added first = database.put_run(run);
  CHECK(first.runs == 1);
  CHECK(first.logs == 1);
  CHECK(first.iterations == 20);
  const Added again = database.put_run(run);
  CHECK(again.runs + again.logs + again.iterations == 0);
  const auto samples = database.samples();
  REQUIRE(samples[0].runs.size() == 1);
  const RunSamples& stored = samples[0].runs[0];
  CHECK(stored.run == "52b-tp2-a1");
  CHECK(stored.allocation == "gpt-a1");
  CHECK(stored.day == "2024-04-06");
  CHECK(stored.state == RunState::kOk);
  const auto lines = database.lines_of(stored.id);
  CHECK(lines.size() == 20);
  CHECK(lines[0].flags == kFirst);
  CHECK(lines[1].step_time_ms == 102);
  CHECK(lines[1].gbs == 8);
}

TEST_CASE("a run that goes on is extended and its state replaced") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  database.put_campaign(campaign_of());
  RunRecord run = run_of("r", log_of(1, 5));
  run.state = RunState::kMissing;
  database.put_run(run);
  run = run_of("r", log_of(1, 20));
  run.state = RunState::kTimeout;
  CHECK(database.put_run(run).iterations == 15);
  const auto samples = database.samples();
  REQUIRE(samples[0].runs.size() == 1);
  CHECK(samples[0].runs[0].state == RunState::kTimeout);
  CHECK(database.lines_of(samples[0].runs[0].id).size() == 20);
}

TEST_CASE("runs with equal logs are runs of their own") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  database.put_campaign(campaign_of());
  const std::string log = log_of(1, 5);
  for (const char* name : {"r1", "r2"}) {
    RunRecord run = run_of(name, log);
    run.file = LogFile{name, log};
    CHECK(database.put_run(run).runs == 1);
  }
  const auto runs = database.samples()[0].runs;
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].allocation == runs[1].allocation);
}

TEST_CASE("another attempt at a run replaces what the first has left") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  database.put_campaign(campaign_of());
  const std::string log = log_of(1, 5);
  for (const char* name : {"r1", "r2"}) {
    RunRecord run = run_of(name, log);
    run.file = LogFile{name, log};
    database.put_run(run);
  }
  RunRecord second = run_of("r1", log_of(1, 7), 2);
  database.put_run(second);
  const auto runs = database.samples()[0].runs;
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].allocation != runs[1].allocation);
  db::Connection connection(folder / "t.db", false);
  CHECK(connection.number("SELECT count(*) FROM iterations") == 12);
  CHECK(connection.number("SELECT count(*) FROM logs") == 1);
}

TEST_CASE("a campaign's log is not collected a second time as a foreign one") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  database.put_campaign(campaign_of());
  const std::string half = log_of(1, 10), whole = log_of(1, 20);
  CHECK(test::add(database, "r/log", half).runs == 1);
  RunRecord run = run_of("r", whole);
  run.file = LogFile{"r/log", whole};
  database.put_run(run);
  CHECK(test::runs_in(database) == 1);
  CHECK(test::add(database, "copy", whole).runs == 0);
  CHECK(test::add(database, "r/log", whole + test::row(21, 5)).runs == 0);
  CHECK(database.samples({"", {}}).empty());
}

TEST_CASE("a run without a log and a point without a run are kept") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  database.put_campaign(campaign_of());
  RunRecord run = run_of("r", "");
  run.state = RunState::kFailed;
  run.evidence = "sbatch: error: invalid account";
  run.exit_code = 1;
  database.put_run(run);
  const auto samples = database.samples();
  REQUIRE(samples[0].runs.size() == 1);
  CHECK(samples[0].runs[0].state == RunState::kFailed);
  db::Connection connection(folder / "t.db", false);
  CHECK(test::sql_text(connection, "SELECT evidence FROM run_overview") == run.evidence);
  CHECK(test::sql_text(connection, "SELECT seed FROM campaigns") == "18446744073709551615");
}

TEST_CASE("a later campaign shares points and keeps runs apart") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  database.put_campaign(campaign_of(1));
  database.put_campaign(campaign_of(2));
  database.put_run(run_of("r", log_of(1, 5)));
  RunRecord later = run_of("r", log_of(1, 5));
  later.place.campaign = 2;
  database.put_run(later);
  CHECK(database.samples({"gpt", {}})[0].runs.size() == 2);
  CHECK(database.samples({"gpt", 1})[0].runs.size() == 1);
  const auto both = database.samples({"gpt", {}})[0].runs;
  CHECK(both[0].allocation != both[1].allocation);
  CHECK(database.samples({"other", {}}).empty());
}
