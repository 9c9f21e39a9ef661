// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "db/migrate.h"
#include "tests/db/sample_runs.h"
#include "tests/db/sql.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

std::string nodes_in(const fs::path& database) {
  return test::sql_text(database,
                        "SELECT group_concat(run || ':' || name, ' ') FROM (SELECT run, name FROM "
                        "run_nodes JOIN nodes ON nodes.id = node ORDER BY run, name)");
}

RunRecord run_on(const std::string& nodes, std::int64_t attempt = 1) {
  RunRecord run = test::run_of("r", test::log_of(1, 3), attempt);
  run.provenance.node_list = nodes;
  return run;
}

}  // namespace

TEST_CASE("a run's nodes are rows, and follow what is known of it") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  database.put_campaign(test::campaign_of());
  database.put_run(run_on("n[01-02],gpu7"));
  CHECK(nodes_in(folder / "t.db") == "1:gpu7 1:n01 1:n02");
  database.put_run(run_on("n[02-03]"));
  CHECK(nodes_in(folder / "t.db") == "1:n02 1:n03");
  database.put_run(run_on("(null)"));
  CHECK(nodes_in(folder / "t.db") == "");
}

TEST_CASE("another attempt at a run takes the place of the first one's nodes") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  database.put_campaign(test::campaign_of());
  database.put_run(run_on("n1"));
  database.put_run(run_on("n2", 2));
  CHECK(nodes_in(folder / "t.db").substr(2) == "n2");
  db::Connection connection(folder / "t.db", false);
  CHECK(connection.number("SELECT count(*) FROM run_nodes") == 1);
  CHECK(connection.number("SELECT count(*) FROM pragma_foreign_key_check") == 0);
}

TEST_CASE("an older file's lists of nodes become rows when it is opened") {
  const test::TemporaryDirectory folder;
  {
    db::Connection old(folder / "t.db", true);
    for (std::size_t i = 0; i < 5; ++i) old.run(std::string(migrations()[i].text));
    old.run("PRAGMA application_id = 1885958256; PRAGMA user_version = 5");
    old.run(
        "INSERT INTO points (id, name, trainer) VALUES ('p', 'p', 't');"
        "INSERT INTO allocations (id, name, attempt, number) VALUES (1, 'a', 1, 1);"
        "INSERT INTO runs (id, name, point, allocation, repeat, position, state, node_list, "
        "scraper_version) VALUES (1, 'r', 'p', 1, 1, 1, 'ok', 'n[1-2]', 0),"
        "(2, 's', 'p', 1, 1, 2, 'ok', NULL, 0), (3, 'u', 'p', 1, 1, 3, 'ok', 'n[1-', 0)");
  }
  Database{folder / "t.db"};
  CHECK(nodes_in(folder / "t.db") == "1:n1 1:n2");
}

TEST_CASE("a foreign log's nodes and slowest ranks are rows until another reading of it") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  const std::string text = test::log_of(1, 3);
  LogRun run = scrape(text).at(0);
  run.nodes = {{"n1", "0-1"}, {"n2", ""}};
  run.slowest_ranks = {{1, "n1", 3, 20, 18}};
  database.add_foreign_log({"a.log", text}, {run, run});
  CHECK(nodes_in(folder / "t.db") == "1:n1 1:n2 2:n1 2:n2");
  const auto evidence = database.evidence({});
  REQUIRE(evidence.runs.size() == 2);
  REQUIRE(evidence.runs[0].slowest_ranks.size() == 1);
  CHECK(evidence.runs[0].slowest_ranks[0].computing_ms == 20);
  run.nodes = {{"n3", ""}};
  run.slowest_ranks.clear();
  const std::string grown = test::log_of(1, 4);
  database.add_foreign_log({"a.log", grown}, {run});
  CHECK(nodes_in(folder / "t.db") == "1:n3");
  db::Connection connection(folder / "t.db", false);
  CHECK(connection.number("SELECT count(*) FROM slowest_ranks") == 0);
  CHECK(connection.number("SELECT count(*) FROM pragma_foreign_key_check") == 0);
}

TEST_CASE("a run whose scheduler is silent is where its log says") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  database.put_campaign(test::campaign_of());
  RunRecord run = run_on("");
  run.log->nodes = {{"n4", "0-3"}};
  database.put_run(run);
  CHECK(nodes_in(folder / "t.db") == "1:n4");
  run.provenance.node_list = "n[4-5]";
  database.put_run(run);
  CHECK(nodes_in(folder / "t.db") == "1:n4 1:n5");
  CHECK(test::sql_text(folder / "t.db", "SELECT group_concat(ranks) FROM run_nodes") == "0-3");
}
