// SPDX-License-Identifier: Apache-2.0
#include "core/base/error.h"
#include "core/base/text.h"
#include "tests/db/dying_disk.h"
#include "tests/db/sample_runs.h"
#include "tests/db/sql.h"

using namespace pippin;
using Catch::Contains;

namespace {

const char* const kWhy = "somebody else was on the node";

/// Two campaigns of a sweep with runs, and a log from elsewhere; runs are numbered from 1.
struct Filled {
  Filled() : path(folder / "t.db"), database(path) {
    for (const std::int64_t number : {1, 2}) {
      database.put_campaign(test::campaign_of(number));
      for (const char* name : {"a", "b"}) database.put_run(run(number, name));
    }
    test::add(database, "x.out", log());
  }
  static RunRecord run(std::int64_t campaign, const std::string& name) {
    const std::string text = test::log_of(1, 3, static_cast<double>(campaign) + name[0]);
    RunRecord record = test::run_of(name, text);
    record.place.campaign = campaign;
    return record;
  }
  static std::string log() { return test::log_of(1, 4, 0.25); }
  /// "a1 b1": the runs that results count, with their campaigns; x: the log from elsewhere.
  std::string counted(const SampleFilter& filter = {}) {
    std::set<std::string> runs;
    for (const auto& point : database.samples(filter)) {
      for (const auto& one : point.runs)
        runs.insert(one.run + (one.campaign > 0 ? std::to_string(one.campaign) : ""));
    }
    return join({runs.begin(), runs.end()}, " ");
  }
  std::int64_t number(const std::string& sql) { return db::Connection(path, false).number(sql); }

  test::TemporaryDirectory folder;
  fs::path path;
  Database database;
};

}  // namespace

TEST_CASE("a dropped run is counted by no result until it is taken back") {
  Filled here;
  CHECK(here.counted() == "a1 a2 b1 b2 x");
  here.database.drop({{1}, {}, false}, kWhy);
  CHECK(here.counted() == "a2 b1 b2 x");
  SampleFilter dropped;
  dropped.dropped = true;
  CHECK(here.counted(dropped) == "a1");
  CHECK(here.database.samples(dropped)[0].runs[0].notes.back() == std::string("dropped: ") + kWhy);
  const auto reasons = here.database.dropped({"gpt", 1});
  REQUIRE(reasons.size() == 1);
  CHECK(reasons[0].reason == kWhy);
  CHECK(reasons[0].runs == 1);
  CHECK(here.database.dropped({"gpt", 2}).empty());
  CHECK(here.number("SELECT count(*) FROM samples WHERE run = 1") == 0);
  CHECK(here.number("SELECT count(*) FROM run_overview WHERE dropped IS NOT NULL") == 1);
  CHECK(here.database.evidence({}).runs.size() == 3);
  CHECK(here.database.take_back({{1}, {}, false}) == 1);
  CHECK(here.database.take_back({{1}, {}, false}) == 0);
  CHECK(here.counted() == "a1 a2 b1 b2 x");
}

TEST_CASE("a dropped campaign sets aside the runs it gets later, and is the newest no more") {
  Filled here;
  here.database.drop({{}, {{"gpt", 2}}, false}, kWhy);
  here.database.put_run(Filled::run(2, "c"));
  CHECK(here.counted() == "a1 b1 x");
  CHECK(here.counted({"gpt", 2}).empty());
  CHECK(here.database.campaigns({}).back().number == 1);
  CHECK(here.database.dropped({})[0].runs == 3);
  CHECK(here.database.set_aside({"gpt", 2}).campaign_reason == std::optional(std::string(kWhy)));
  CHECK(here.database.take_back({{}, {{"gpt", 2}}, false}) == 1);
  CHECK(here.counted() == "a1 a2 b1 b2 c2 x");
}

TEST_CASE("a point of which all runs are dropped says so, from sums that are kept, too") {
  Filled here;
  const auto keep = [&] {
    const std::int64_t moment = here.database.moment();
    std::vector<Summary> rows;
    for (const auto& point : here.database.samples({"gpt", 1})) {
      Summary& row = rows.emplace_back();
      row.sweep = point.sweep;
      row.point = point.point;
      row.state = point.runs.empty() ? point.planned : RunState::kOk;
    }
    here.database.put_rows({"gpt", 1}, rows, 1, moment);
  };
  keep();
  CHECK(here.database.rows({{"gpt", 1}, {}}, 1).complete);
  here.database.drop({{1, 2}, {}, false}, kWhy);
  CHECK_FALSE(here.database.rows({{"gpt", 1}, {}}, 1).complete);
  CHECK(here.database.samples({"gpt", 1})[0].reason == std::string("dropped: ") + kWhy);
  keep();
  const StoredRows kept = here.database.rows({{"gpt", 1}, {}}, 1);
  CHECK(kept.complete);
  CHECK(kept.rows[0].reason == std::string("dropped: ") + kWhy);
}

TEST_CASE("a drop stays with its run, whatever is collected of it") {
  Filled here;
  here.database.drop({{1, 5}, {}, false}, kWhy);
  here.database.put_run(Filled::run(1, "a"));
  RunRecord again = Filled::run(1, "a");
  again.attempt = 2;
  here.database.put_run(again);
  test::add(here.database, "x.out", Filled::log());
  CHECK(here.counted() == "a2 b1 b2");
  test::add(here.database, "elsewhere/y.out", Filled::log() + test::row(5, 120));
  CHECK(here.counted() == "a2 b1 b2");
  CHECK(here.number("SELECT count(*) FROM iterations WHERE run = 5") == 5);
  test::add(here.database, "y.out", Filled::log() + test::row(5, 120) + test::log_of(1, 2));
  CHECK(here.counted() == "a2 b1 b2");
  CHECK(here.number("SELECT count(*) FROM dropped_runs") ==
        here.number("SELECT count(*) FROM runs WHERE name LIKE 'x%'") + 1);
}

TEST_CASE("a drop of a noted row stays when its document is read again") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  const auto read = [&] {
    NotedSweep noted{test::campaign_of(), {}};
    for (const char* name : {"line 3", "line 4"})
      noted.runs.push_back({test::run_of(name, test::log_of(1, 3)), "old node"});
    database.put_noted({noted});
  };
  read();
  database.drop({{database.runs_named("line 4")[0].id}, {}, false}, kWhy);
  read();
  const auto points = database.samples();
  REQUIRE(points[0].runs.size() == 1);
  CHECK(points[0].runs[0].run == "line 3");
}

TEST_CASE("what is deleted for good is not added again until it is named") {
  Filled here;
  CHECK(here.database.delete_forever({{1, 5}, {}, false}) == 2);
  CHECK(here.number("SELECT count(*) FROM runs") == 3);
  CHECK(here.number("SELECT count(*) FROM iterations WHERE run IN (1, 5)") == 0);
  CHECK(here.number("SELECT count(*) FROM logs") == 0);
  CHECK(test::add(here.database, "x.out", Filled::log()).runs == 0);
  CHECK(test::add(here.database, "z.out", Filled::log() + test::row(5, 120)).runs == 0);
  CHECK(here.database.put_run(Filled::run(1, "a")).runs == 0);
  CHECK(here.counted() == "a2 b1 b2");
  CHECK(here.database.set_aside({"gpt", 1}).runs == std::set<std::string>{"a"});
  const std::string log = Filled::log();
  here.database.forgive(LogFile("a.out", log));
  CHECK(test::add(here.database, "x.out", Filled::log()).runs == 1);
  here.database.forgive({"gpt", 1}, "a");
  CHECK(here.database.put_run(Filled::run(1, "a")).runs == 1);
  CHECK(here.counted() == "a1 a2 b1 b2 x");
}

TEST_CASE("a campaign that is deleted for good leaves nothing, and its number stays taken") {
  Filled here;
  here.database.put_tag("good", {"gpt", 2});
  CHECK(here.database.delete_forever({{}, {{"gpt", 2}}, false}) == 2);
  CHECK(here.counted() == "a1 b1 x");
  CHECK(here.number("SELECT count(*) FROM campaigns") == 1);
  CHECK(here.number("SELECT count(*) FROM tags") == 0);
  CHECK(here.database.newest_number("gpt") == 2);
  here.database.put_campaign(test::campaign_of(2));
  CHECK(here.database.put_run(Filled::run(2, "a")).runs == 0);
  CHECK(here.number("SELECT count(*) FROM campaigns") == 1);
  CHECK(here.database.delete_forever({{}, {{"gpt", 1}}, true}) == 3);
  CHECK(here.database.contents({}).empty());
  for (const char* table : {"sweeps", "points", "point_axes", "allocations", "run_nodes"})
    CHECK(here.number(fmt::format("SELECT count(*) FROM {}", table)) == 0);
}

TEST_CASE("of a log with several runs one alone cannot be deleted") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  test::add(database, "x.out", test::log_of(1, 3) + test::log_of(1, 3));
  const auto runs = database.runs_named("x-2");
  REQUIRE(runs.size() == 1);
  CHECK_THROWS_WITH(database.delete_forever({{runs[0].id}, {}, false}),
                    Contains("'x-2' is of the same log as 'x'"));
  CHECK(test::runs_in(database) == 2);
}

TEST_CASE("a kill at any step of a drop, of its end or of a deletion leaves before or after") {
  Filled here;
  here.database.drop({{2}, {}, false}, kWhy);
  db::Connection(here.path, false).run("PRAGMA wal_checkpoint(TRUNCATE)");
  const Chosen some{{1, 5}, {{"gpt", 2}}, false};
  test::check_kills(here.path, [&](Database& database) { database.drop(some, kWhy); });
  test::check_kills(here.path, [&](Database& database) { database.take_back({{2}, {}, false}); });
  test::check_kills(here.path, [&](Database& database) { database.delete_forever(some); });
}
