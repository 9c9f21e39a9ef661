// SPDX-License-Identifier: Apache-2.0
#include "db/batch.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "tests/db/sample_runs.h"
#include "tests/db/sql.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;
using test::log_of;

namespace {

/// All rows of all tables, without the times at which they were written.
std::string content_of(const fs::path& database) {
  db::Connection connection(database, false);
  std::string content;
  db::Statement columns = connection.prepare(
      "SELECT t.name, group_concat('quote(' || c.name || ')', '||'',''||') "
      "FROM sqlite_master AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table' "
      "AND c.name NOT IN ('collected_at', 'deleted_at') GROUP BY t.name ORDER BY t.name");
  while (columns.step()) {
    content += "\n" + columns.text(0) + "\n";
    db::Statement rows = connection.prepare(
        fmt::format("SELECT {} FROM {} ORDER BY 1", columns.text(1), columns.text(0)));
    while (rows.step()) content += rows.text(0) + "\n";
  }
  return content;
}

ForeignLog foreign(const std::string& path, const std::string& text) {
  // A short text is its own head; a long one must outlive the log.
  static std::vector<std::unique_ptr<const std::string>> texts;
  texts.push_back(std::make_unique<const std::string>(text));
  return {LogFile(path, *texts.back()), scrape(text)};
}

std::string of_argument(const std::string& name, const std::string& value) {
  return test::dump(test::argument(name, value));
}

/// Whatever one log can do to what is known of the others.
std::vector<ForeignLog> logs_of_all_kinds() {
  const std::string cut = of_argument("seq_length", "512"), whole = cut + test::row(1, 77);
  const std::string later = of_argument("note", "x") + test::row(1, 78);
  std::vector<ForeignLog> logs;
  for (const double shift : {0.0, 0.125, 0.25})
    logs.push_back(foreign(fmt::format("{}.out", shift), log_of(1, 20, shift)));
  logs.push_back(foreign("same.out", log_of(1, 20)));
  logs.push_back(foreign("0.125.out", log_of(1, 30, 0.125)));  // has grown
  logs.push_back(foreign("older.out", log_of(1, 10, 0.25)));   // an older copy
  logs.push_back(foreign("short.out", test::dump()));          // of which others begin so
  logs.push_back(foreign("begun.out", cut));
  logs.push_back(foreign("begun.out", whole + later));  // two launches
  logs.push_back(foreign("begun-too.out", of_argument("seq_length", "1024") + test::row(1, 79)));
  logs.push_back(foreign("a/0.0.out", log_of(1, 5, 0.375)));  // of a name that is taken
  logs.push_back(foreign("0.25.out", log_of(1, 2, 0.5)));     // another where one was
  return logs;
}

/// A log with a point that only it has, and the same log when its header was not whole.
ForeignLog with_params(const std::string& path, double shift, Count params) {
  ForeignLog log = foreign(path, log_of(1, 3, shift));
  log.runs.at(0).point.model.params = params;
  return log;
}

}  // namespace

TEST_CASE("logs stored in one step come to what they come to one by one") {
  const test::TemporaryDirectory folder;
  const auto logs = logs_of_all_kinds();
  {
    Database one_by_one(folder / "a.db"), at_once(folder / "b.db");
    std::vector<Added> added;
    for (const auto& log : logs) added.push_back(one_by_one.add_foreign_logs({log}).front());
    const auto sums = at_once.add_foreign_logs(logs);
    for (std::size_t i = 0; i < logs.size(); ++i) {
      CHECK(added[i].runs == sums[i].runs);
      CHECK(added[i].iterations == sums[i].iterations);
    }
    // And all again, forwards and backwards, once some were deleted for good.
    for (auto* database : {&one_by_one, &at_once})
      database->delete_forever({{database->runs_named("0.125").at(0).id}, {}, false});
    std::vector<ForeignLog> again = logs;
    again.insert(again.end(), logs.rbegin(), logs.rend());
    for (const auto& log : again) one_by_one.add_foreign_logs({log});
    at_once.add_foreign_logs(again);
  }
  CHECK(content_of(folder / "a.db") == content_of(folder / "b.db"));
  CHECK(test::sql_text(folder / "b.db", "SELECT count(*) FROM pragma_foreign_key_check") == "0");
}

TEST_CASE("a point is stored again where the log that it was of became another") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  ForeignLog young = foreign("a.out", log_of(1, 3)), grown = foreign("a.out", log_of(1, 5));
  ForeignLog other = foreign("b.out", log_of(1, 4, 0.25));
  young.runs.at(0).point.id = other.runs.at(0).point.id = "00000000000000aa";
  young.runs.at(0).point.axes = other.runs.at(0).point.axes = {{"x", value_of(1.0)}};
  grown.runs.at(0).point.id = "00000000000000bb";
  database.add_foreign_logs({young, grown, other});
  CHECK(test::sql_text(folder / "t.db",
                       "SELECT group_concat(runs.name || right.text) FROM runs "
                       "LEFT JOIN point_axes AS right USING (point) "
                       "WHERE right.name = 'x'") == "b1");
  CHECK(test::sql_text(folder / "t.db", "SELECT count(*) FROM points") == "2");
  CHECK(test::sql_text(folder / "t.db", "SELECT count(*) FROM pragma_foreign_key_check") == "0");
}

TEST_CASE("the first count of a point's parameters is kept wherever it comes") {
  using Counts = std::vector<Count>;
  for (const auto& [counts, kept] : std::vector<std::pair<Counts, std::string>>{
           {{std::nullopt, 5, 6, std::nullopt}, "5"}, {{7, std::nullopt, 8}, "7"}}) {
    const test::TemporaryDirectory folder;
    Database alone(folder / "a.db"), together(folder / "t.db");
    std::vector<ForeignLog> logs;
    for (const Count& count : counts) {
      const double shift = 0.125 * static_cast<double>(logs.size());
      logs.push_back(with_params(fmt::format("{}.out", logs.size()), shift, count));
      alone.add_foreign_logs({logs.back()});
    }
    together.add_foreign_logs(logs);
    for (const char* file : {"a.db", "t.db"})
      CHECK(test::sql_text(folder / file, "SELECT group_concat(params) FROM points") == kept);
  }
}

TEST_CASE("of models that say their work the one read last counts") {
  const test::TemporaryDirectory folder;
  Database alone(folder / "a.db"), together(folder / "t.db");
  std::vector<ForeignLog> logs;
  for (const std::int64_t figure : {4, 7, 7, 6}) {
    logs.push_back(with_params(fmt::format("{}.out", logs.size()),
                               0.125 * static_cast<double>(logs.size()), figure));
    Model& model = logs.back().runs.at(0).point.model;
    model.token_weights = model.attention_widths = figure;
    alone.add_foreign_logs({logs.back()});
  }
  together.add_foreign_logs(logs);
  for (const char* file : {"a.db", "t.db"})
    CHECK(test::sql_text(folder / file,
                         "SELECT group_concat(params || ' ' || token_weights) "
                         "FROM points") == "6 6");
}

TEST_CASE("runs of one step share nodes, some of them known before") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  std::vector<ForeignLog> logs;
  for (int i = 0; i < 3; ++i) {
    logs.push_back(foreign(fmt::format("{}.out", i), log_of(1, 2, 0.125 * i)));
    logs.back().runs.at(0).nodes = {{"n1", "0-3"}, {fmt::format("m{}", i), ""}};
  }
  database.add_foreign_logs({logs[0]});
  database.add_foreign_logs({logs[1], logs[2]});
  CHECK(test::sql_text(folder / "t.db",
                       "SELECT group_concat(run || name || coalesce(ranks, ''), ' ') FROM (SELECT "
                       "* FROM run_nodes JOIN nodes ON nodes.id = node ORDER BY run, name)") ==
        "1m0 1n10-3 2m1 2n10-3 3m2 3n10-3");
  CHECK(test::sql_text(folder / "t.db", "SELECT count(*) FROM nodes") == "4");
}

TEST_CASE("a batch refuses a campaign that is not stored") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  database.put_campaign(test::campaign_of());
  db::Connection connection(folder / "t.db", false);
  db::Batch batch(connection);
  CHECK(batch.campaign_of({"gpt", 1, "", 1, 1, 1}).id == 1);
  CHECK_THROWS_AS(batch.campaign_of({"gpt", 2, "", 1, 1, 1}), std::logic_error);
  CHECK(batch.campaign_of({"gpt", 1, "", 1, 1, 1}).id == 1);
}

namespace {

/// Sums up so that each field of each line counts, as does the order, and the warm-up.
Digester digester_of_all_fields() {
  return {1, [](const EachLine& each_line, const std::optional<std::int64_t>& warmup) {
            RunDigest digest;
            double sum = static_cast<double>(warmup.value_or(-1));
            each_line([&](const Iteration& line) {
              ++digest.all.lines;
              for (const double field :
                   {static_cast<double>(line.number), line.step_time_ms,
                    static_cast<double>(line.interval), static_cast<double>(line.flags),
                    static_cast<double>(line.gbs.value_or(-1))})
                sum = sum * 0.75 + field;
            });
            digest.all.mean_ms = sum;
            digest.gbs = warmup;
            return digest;
          }};
}

/// How lines were summed up, and how they are when they are read again.
std::pair<std::string, std::string> digests_in(const fs::path& file, Database& database) {
  const char* const rows =
      "SELECT group_concat(run || ':' || lines || ':' || printf('%!.17g', mean_ms) || ':' || "
      "coalesce(gbs, '-'), ' ') FROM (SELECT * FROM run_digests ORDER BY run)";
  const std::string stored = test::sql_text(file, rows);
  db::Connection(file, false).run("DELETE FROM run_digests");
  database.digested_samples({}, digester_of_all_fields());
  return {stored, test::sql_text(file, rows)};
}

}  // namespace

TEST_CASE("lines are summed up as they are stored to what they come to when read again") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  database.sum_up_by(digester_of_all_fields());
  auto logs = logs_of_all_kinds();
  logs.push_back(foreign("long.out", log_of(1, 2500, 0.7)));  // many blocks, then open lines
  std::string uneven = test::dump();
  for (int i = 1; i < 300; ++i) uneven += test::row(2 * i, 1e5 / i, i % 7 == 0 ? 1 : 0);
  logs.push_back(foreign("uneven.out", uneven));
  database.add_foreign_logs(logs);
  const auto [stored, again] = digests_in(folder / "t.db", database);
  CHECK(stored == again);
  CHECK(std::count(stored.begin(), stored.end(), ' ') > 5);
}

TEST_CASE("runs of a campaign are summed up with its warm-up") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  database.sum_up_by(digester_of_all_fields());
  database.put_campaign(test::campaign_of());
  database.put_run(test::run_of("r", log_of(1, 3)));
  database.put_run(test::run_of("r", log_of(1, 5)));
  const auto [stored, again] = digests_in(folder / "t.db", database);
  CHECK(stored == again);
  CHECK(stored.starts_with("1:5:"));
  CHECK(stored.ends_with(":2"));
}
