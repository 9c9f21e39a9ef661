// SPDX-License-Identifier: Apache-2.0
// Files that a stranger has made, or that are damaged.
#include "core/base/error.h"
#include "core/base/random.h"
#include "db/sqlite.h"
#include "tests/db/sample_runs.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;
using Catch::Contains;

namespace {

/// A database with a campaign and a run, changed by SQL of a stranger's.
struct Stranger {
  test::TemporaryDirectory folder;
  fs::path path = folder / "t.db";

  Stranger() {
    Database database(path);
    database.put_campaign(test::campaign_of());
    database.put_run(test::run_of("a", test::log_of(1, 5)));
  }
  void change(const std::string& sql) const { db::Connection(path, false).run(sql); }
};

/// The runs of the point that can run.
std::vector<RunSamples> runs_in(Database& database) {
  for (const auto& point : database.samples({"gpt", 1}))
    if (point.point.name == "52b-tp2") return point.runs;
  return {};
}

constexpr const char* kEndless =
    "WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n) SELECT x FROM n";

}  // namespace

TEST_CASE("a trigger, a view or a virtual table of a stranger's in the place of ours is refused") {
  const std::pair<std::string, const char*> cases[] = {
      {std::string("CREATE TRIGGER evil AFTER INSERT ON runs BEGIN INSERT INTO nodes (name) ") +
           kEndless + "; END",
       "its trigger 'evil' is not pippin's"},
      {std::string("DROP VIEW iterations; CREATE VIEW iterations AS ") + kEndless,
       "its view 'iterations' is not pippin's"},
      {std::string("CREATE TRIGGER \"RUNS\" INSTEAD OF DELETE ON samples BEGIN ") + kEndless +
           "; END",
       "its trigger 'RUNS' is not pippin's"},
      {"DROP TABLE tags; CREATE VIRTUAL TABLE tags USING fts5(name, campaign)",
       "its table 'tags' is not pippin's"},
  };
  for (const auto& [sql, refusal] : cases) {
    CAPTURE(sql);
    const Stranger stranger;
    stranger.change(sql);
    CHECK_THROWS_WITH(Database(stranger.path), Contains("t.db: ") && Contains(refusal));
    Database ours(stranger.folder / "ours.db");
    CHECK_THROWS_WITH(ours.merge(stranger.path, {}), Contains("t.db: ") && Contains(refusal));
  }
}

TEST_CASE("what people add beside our tables stays theirs, and does no harm") {
  const Stranger stranger;
  stranger.change(std::string("CREATE VIEW mine AS ") + kEndless +
                  "; CREATE TABLE own (x); CREATE INDEX by_evidence ON runs (evidence);"
                  "CREATE TRIGGER own_added AFTER INSERT ON own BEGIN " +
                  kEndless + "; END");
  Database database(stranger.path);
  database.put_run(test::run_of("b", test::log_of(1, 5, 1)));
  CHECK(runs_in(database).size() == 2);
}

TEST_CASE("a version that no database has is refused") {
  for (const char* version : {"-1", "-2147483648", "2147483647"}) {
    const Stranger stranger;
    stranger.change(std::string("PRAGMA user_version = ") + version);
    CHECK_THROWS_WITH(Database(stranger.path),
                      Contains("t.db: ") && Contains(std::string("version ") + version));
  }
}

TEST_CASE("a statement that goes on for far longer than its file can need is ended") {
  const Stranger stranger;
  db::Connection connection(stranger.path, false);
  CHECK_THROWS_WITH(connection.number(std::string("SELECT count(*) FROM (") + kEndless + ")"),
                    Contains("t.db: is damaged, or made so that reading it never ends"));
  CHECK(connection.number("SELECT count(*) FROM runs") == 1);
}

TEST_CASE("rows that name nothing, words that none of ours are and odd numbers harm no others") {
  const Stranger stranger;
  stranger.change(
      "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON;"
      "INSERT INTO points (id, name, trainer, gpus, mbs, tp) "
      "VALUES ('odd', 'odd', 'replay', 0, -5, 9223372036854775807);"
      "INSERT INTO campaign_points (campaign, position, point, state) VALUES (1, 7, 'odd', 'odd');"
      "INSERT INTO campaign_points (campaign, position, point, state) VALUES (1, 8, 'gone', 'x');"
      "INSERT INTO point_axes (point, position, name, text) VALUES ('gone', 1, 'a', 'b');"
      "UPDATE runs SET state = 'splendid', started_at = 100000000000000000, "
      "ended_at = -9223372036854775808;");
  Database database(stranger.path);
  REQUIRE(runs_in(database).size() == 1);
  CHECK(runs_in(database)[0].state == RunState::kFailed);
  CHECK(runs_in(database)[0].day == "@100000000000000000");
  const auto contents = database.contents({});
  CHECK(contents.size() == 1);
  database.put_run(test::run_of("b", test::log_of(1, 5, 1)));
  CHECK(runs_in(database).size() == 2);
}

TEST_CASE("bytes of a file that are changed at random never end the process") {
  const Stranger stranger;
  const std::string whole = *disk().read(stranger.path);
  Random random(4711);
  int read = 0;
  for (int i = 0; i < 150; ++i) {
    std::string damaged = whole;
    for (int j = 0; j < 20; ++j)
      damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
    disk().write(stranger.folder / "damaged.db", damaged);
    try {
      Database database(stranger.folder / "damaged.db");
      database.contents({});
      database.samples({"gpt", 1});
      ++read;
    } catch (const Error& error) {
      CHECK_THAT(error.what(), Contains("damaged.db"));
    }
  }
  CHECK(read > 0);
}
