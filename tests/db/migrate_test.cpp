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

}  // namespace

TEST_CASE("schema.sql is what the migrations make") {
  const test::TemporaryDirectory folder;
  db::Connection migrated(folder / "m.db", true), written(folder / "w.db", true);
  db::migrate(migrated);
  written.run(read_input(test::source_directory() / "db/schema.sql"));
  CHECK(shape_of(migrated) == shape_of(written));
  CHECK_FALSE(shape_of(migrated).empty());
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
