// SPDX-License-Identifier: Apache-2.0
#include "db/migrate.h"

#include <regex>

#include "core/base/error.h"
#include "tests/db/sample_runs.h"
#include "tests/db/sql.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;
using Catch::Contains;

namespace {

/// Without line breaks: ALTER TABLE adds a column on its neighbour's line.
std::string shape_of(db::Connection& connection) {
  const std::string sql =
      test::sql_text(connection,
                     "SELECT group_concat(sql, '; ') FROM (SELECT sql FROM sqlite_master "
                     "WHERE sql IS NOT NULL ORDER BY type, name)");
  const std::string line = std::regex_replace(sql, std::regex("\\s+"), " ");
  return std::regex_replace(line, std::regex(" ([,)])"), "$1");
}

/// A file of the first version, which goes through all other migrations.
void make_first_version(db::Connection& connection) {
  connection.run(std::string(migrations()[0].text));
  connection.run("PRAGMA application_id = 1885958256; PRAGMA user_version = 1");
}

std::vector<std::string> tables_of(db::Connection& connection) {
  std::vector<std::string> tables;
  db::Statement names =
      connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
  while (names.step()) tables.push_back(names.text(0));
  return tables;
}

/// All columns of all rows of a table, in its order.
std::vector<std::string> rows_of(db::Connection& connection, const std::string& table) {
  const std::string columns = test::sql_text(
      connection, fmt::format("SELECT group_concat('quote(' || name || ')', ' || '','' || ') "
                              "FROM pragma_table_info('{}')",
                              table));
  std::vector<std::string> texts;
  db::Statement rows = connection.prepare(fmt::format("SELECT {} FROM {}", columns, table));
  while (rows.step()) texts.push_back(rows.text(0));
  return texts;
}

}  // namespace

TEST_CASE("a new database has the tables and rows that the migrations make") {
  const test::TemporaryDirectory folder;
  db::Connection migrated(folder / "m.db", true), made(folder / "n.db", true);
  make_first_version(migrated);
  db::migrate(migrated);
  db::migrate(made);
  CHECK(shape_of(migrated) == shape_of(made));
  REQUIRE(tables_of(made).size() > 20);
  for (const auto& table : tables_of(made)) CHECK(rows_of(migrated, table) == rows_of(made, table));
  CHECK(rows_of(made, "places").size() == 1024);
  for (const char* pragma : {"PRAGMA application_id", "PRAGMA user_version"})
    CHECK(migrated.number(pragma) == made.number(pragma));
}

TEST_CASE("the program carries the schema that people read") {
  REQUIRE(schema().size() == 1);
  CHECK(read_input(test::source_directory() / "db/schema.sql") == schema().front().text);
}

TEST_CASE("a new database that cannot be made whole stays empty") {
  const test::TemporaryDirectory folder;
  db::Connection full(folder / "t.db", true);
  full.run("PRAGMA max_page_count = 20");
  CHECK_THROWS_AS(db::migrate(full), Error);
  CHECK(full.number("SELECT count(*) FROM sqlite_master") == 0);
  CHECK(full.number("PRAGMA user_version") == 0);
  full.run("PRAGMA max_page_count = 1000000");
  db::migrate(full);
  CHECK(rows_of(full, "places").size() == 1024);
}

TEST_CASE("the program carries every migration in its order") {
  const fs::path folder = test::source_directory() / "db/migrations";
  const auto names = disk().list(folder);
  REQUIRE(names.size() == migrations().size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK(names[i].substr(0, 5) == fmt::format("{:04}_", i + 1));
    CHECK(read_input(folder / names[i]) == migrations()[i].text);
  }
}

TEST_CASE("a file of every earlier version opens and keeps its rows") {
  for (std::size_t version = 1; version <= migrations().size(); ++version) {
    const test::TemporaryDirectory folder;
    {
      db::Connection old(folder / "t.db", true);
      for (std::size_t i = 0; i < version; ++i) old.run(std::string(migrations()[i].text));
      old.run(fmt::format("PRAGMA application_id = 1885958256; PRAGMA user_version = {}", version));
      old.run("INSERT INTO sweeps (name) VALUES ('kept')");
    }
    Database database(folder / "t.db", {false});
    test::add(database, "a", test::log_of(1, 2));
    db::Connection connection(folder / "t.db", false);
    CHECK(test::sql_text(connection, "SELECT name FROM sweeps") == "kept");
    CHECK(connection.number("PRAGMA user_version") ==
          static_cast<std::int64_t>(migrations().size()));
  }
}

TEST_CASE("a file that cannot come to the newest version stays at its own") {
  constexpr std::size_t kRows = 13;
  const test::TemporaryDirectory folder;
  db::Connection old(folder / "t.db", true);
  for (std::size_t i = 0; i < kRows; ++i) old.run(std::string(migrations()[i].text));
  old.run("PRAGMA application_id = 1885958256; PRAGMA user_version = 13; DROP VIEW run_overview");
  CHECK_THROWS_AS(db::migrate(old), Error);  // the step to 15 drops that view
  CHECK(old.number("PRAGMA user_version") == 13);
  CHECK(old.number("SELECT count(*) FROM sqlite_master WHERE name = 'iteration_blocks'") == 0);
}

TEST_CASE("a database of a newer version is refused and left alone") {
  const test::TemporaryDirectory folder;
  Database{folder / "t.db"};
  db::Connection(folder / "t.db", false).run("PRAGMA user_version = 99");
  try {
    Database database(folder / "t.db");
    FAIL("it was opened");
  } catch (const Error& error) {
    CHECK(error.exit_code() == ExitCode::kBadInput);
    CHECK_THAT(error.what(), Contains("version 99") &&
                                 Contains(fmt::format("up to {}", migrations().size())) &&
                                 Contains("newer pippin"));
  }
  CHECK(db::Connection(folder / "t.db", false).number("PRAGMA user_version") == 99);
}

TEST_CASE("every table is strict and every reference holds") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  test::add(database, "a", test::log_of(1, 2));
  db::Connection connection(folder / "t.db", false);
  CHECK(connection.number("SELECT count(*) FROM pragma_table_list WHERE type = 'table' "
                          "AND schema = 'main' AND name NOT LIKE 'sqlite%' AND NOT strict") == 0);
  CHECK(connection.number("SELECT count(*) FROM pragma_foreign_key_check") == 0);
}

TEST_CASE("a database of version 15 finds its logs by their heads, short and long") {
  constexpr std::size_t kBefore = 15;
  const test::TemporaryDirectory folder;
  const std::string header = test::dump(), filler(6000, 'x');
  {
    db::Connection old(folder / "t.db", true);
    for (std::size_t i = 0; i < kBefore; ++i) old.run(std::string(migrations()[i].text));
    old.run("PRAGMA application_id = 1885958256; PRAGMA user_version = 15");
    db::Statement log = old.prepare(
        "INSERT INTO logs (path, size_bytes, content_hash, head_hash, head, collected_at) "
        "VALUES (?, ?, ?, ?, ?, 0)");
    old.run(
        "INSERT INTO points (id, name, trainer) VALUES ('p', 'p', 'megatron');"
        "INSERT INTO allocations (name) VALUES ('a'), ('b')");
    std::int64_t id = 0;
    for (const auto& text : {header, header + filler}) {
      const LogFile file("/gone", text);
      log.run("/gone", file.size_bytes(), file.content_hash(), file.head_hash(),
              db::Bytes{file.head()});
      ++id;
      old.prepare(
             "INSERT INTO runs (name, point, allocation, position, state, log, "
             "scraper_version) SELECT name, 'p', id, 1, 'failed', id, 1 FROM allocations WHERE id "
             "= ?")
          .run(id);
    }
  }
  Database database(folder / "t.db");
  CHECK(test::add(database, "long.out", header + filler + test::row(1, 5)).logs == 0);
  CHECK(test::add(database, "short.out", header + test::row(1, 5)).logs == 0);
  CHECK(test::runs_in(database) == 2);
}

TEST_CASE("a report's row goes with whatever changes its runs") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  test::add(database, "a", test::log_of(1, 2));
  db::Connection connection(folder / "t.db", false);
  connection.run(
      "INSERT INTO points (id, name, trainer) VALUES ('other', 'o', 'x');"
      "INSERT INTO allocations (name) VALUES ('o')");
  for (const char* change :
       {"INSERT INTO runs (name, point, allocation, position, state, scraper_version) "
        "SELECT 'n', point, allocation, 2, 'ok', 1 FROM runs",
        "UPDATE runs SET state = 'failed' WHERE name = 'n'",
        "UPDATE runs SET point = 'other' WHERE name = 'n'",
        "UPDATE runs SET point = (SELECT id FROM points WHERE id <> 'other') WHERE name = 'n'",
        "INSERT OR REPLACE INTO run_digests (run, version, batch_grew, flagged, slowdown, "
        "unsteady, clean_lines, lines) SELECT 1, 1, 0, 0, 0, 0, 0, 0; DELETE FROM run_digests",
        "DELETE FROM runs WHERE name = 'n'"}) {
    CAPTURE(change);
    connection.run(
        "INSERT OR REPLACE INTO point_summaries (sweep, campaign, point, version, "
        "state, allocations, runs, lines, clean, slowdowns, unsteady, noted, axes, "
        "place) SELECT '', 0, id, 1, 'ok', 1, 1, 1, 1, 0, 0, 0, '', 1 FROM points");
    connection.run(change);
    CHECK(connection.number("SELECT count(*) FROM point_summaries WHERE point <> 'other'") == 0);
  }
}
