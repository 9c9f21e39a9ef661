// SPDX-License-Identifier: Apache-2.0
#include "db/sqlite.h"
#include "tests/db/sample_runs.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;
using Kind = CampaignContents::Kind;

namespace {

std::int64_t runs_in(const CampaignContents& entry, RunState state) {
  return entry.runs.at(static_cast<std::size_t>(state));
}

CampaignRecord begun(const std::string& sweep, std::int64_t number, const std::string& started) {
  CampaignRecord campaign = test::campaign_of(number);
  campaign.sweep = sweep;
  campaign.started = started;
  return campaign;
}

/// "SWEEP/NUMBER", with "*" behind the newest of a sweep.
std::string order_of(const std::vector<CampaignContents>& contents) {
  std::string text;
  for (const auto& entry : contents)
    text += fmt::format("{}{}/{}{}", text.empty() ? "" : " ", entry.sweep, entry.number,
                        entry.newest ? "*" : "");
  return text;
}

}  // namespace

TEST_CASE("an empty database holds nothing") {
  const test::TemporaryDirectory folder;
  CHECK(Database(folder / "t.db").contents({}).empty());
}

TEST_CASE("the contents count points, runs by state and tags of each campaign") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  database.put_campaign(test::campaign_of());
  database.put_campaign(test::campaign_of(2));
  database.put_tag("good", {"gpt", 1});
  database.put_tag("best", {"gpt", 1});
  database.put_run(test::run_of("a", test::log_of(1, 3)));
  database.put_run(test::run_of("b", test::log_of(1, 3, 0.5)));
  RunRecord failed = test::run_of("c", "");
  failed.state = RunState::kOom;
  database.put_run(failed);
  test::add(database, "x.out", test::log_of(1, 4, 0.1));
  const auto contents = database.contents({});
  REQUIRE(contents.size() == 3);
  CHECK(contents[0].kind == Kind::kLogs);
  CHECK(contents[0].points == 1);
  CHECK(runs_in(contents[0], RunState::kOk) == 1);
  const CampaignContents& first = contents[1];
  CHECK(first.sweep == "gpt");
  CHECK(first.started == "2024-04-06T03:02:12Z");
  CHECK(first.cluster == "local");
  CHECK(first.points == 1);
  CHECK(first.infeasible == 1);
  CHECK(runs_in(first, RunState::kOk) == 2);
  CHECK(runs_in(first, RunState::kOom) == 1);
  CHECK(first.tags == std::vector<std::string>{"best", "good"});
  CHECK(first.last_run == 1712372532);
  CHECK_FALSE(first.newest);
  CHECK(contents[2].newest);
  CHECK_FALSE(contents[2].last_run);
  CHECK(database.contents({"gpt", 2}).size() == 1);
  CHECK(database.tags({}) ==
        std::map<std::string, std::vector<std::string>>{{"gpt/1", {"best", "good"}}});
  CHECK(database.tags({"gpt", 1}) == database.tags({}));
  CHECK(database.tags({"gpt", 2}).empty());
  CHECK(database.tags({"", {}}).empty());
  CHECK(database.contents({"", {}}).size() == 1);
}

TEST_CASE("the sweep begun last stands at the end, its campaigns by number") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  database.put_campaign(begun("old", 1, "2024-01-01T00:00:00Z"));
  database.put_campaign(begun("new", 1, "2023-01-01T00:00:00Z"));
  database.put_campaign(begun("new", 2, "2025-01-01T00:00:00Z"));
  NotedSweep noted{begun("noted", 1, "2026-01-01T00:00:00Z"), {}};
  database.put_noted({noted});
  CHECK(order_of(database.contents({})) == "noted/1 old/1* new/1 new/2*");
}

TEST_CASE("the contents of ten thousand campaigns are read without a query for each") {
  const test::TemporaryDirectory folder;
  Database{folder / "t.db"};
  db::Connection(folder / "t.db", false).run(R"(
    PRAGMA synchronous = OFF;
    INSERT INTO sweeps (name) VALUES ('s');
    INSERT INTO points (id, name, trainer) VALUES ('p', 'p', 'training');
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
    INSERT INTO campaigns (sweep, number, started)
      SELECT 1, i, datetime(1700000000 + i, 'unixepoch') FROM n;
    INSERT INTO campaign_points (campaign, position, point, state)
      SELECT id, 1, 'p', 'planned' FROM campaigns;
    INSERT INTO allocations (campaign, name) SELECT id, 'a' FROM campaigns;
    INSERT INTO runs (name, point, allocation, position, state, scraper_version)
      SELECT 'r', 'p', id, 1, 'ok', 1 FROM allocations;)");
  const auto contents = Database(folder / "t.db").contents({});
  REQUIRE(contents.size() == 10'000);
  CHECK(contents.back().number == 10'000);
  CHECK(contents.back().newest);
  for (const auto& entry : contents) REQUIRE(runs_in(entry, RunState::kOk) == 1);
}
