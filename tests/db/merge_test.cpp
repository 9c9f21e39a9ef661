// SPDX-License-Identifier: Apache-2.0
#include "core/base/error.h"
#include "core/base/text.h"
#include "db/migrate.h"
#include "tests/db/dying_disk.h"
#include "tests/db/sample_runs.h"
#include "tests/db/sql.h"

using namespace pippin;
using Catch::Contains;

namespace {

CampaignRecord begun(std::int64_t number, const std::string& started) {
  CampaignRecord campaign = test::campaign_of(number);
  campaign.started = started;
  return campaign;
}

/// A run of a campaign with a log of its own, begun at `at`.
RunRecord run(std::int64_t campaign, const std::string& name, std::int64_t at,
              const std::string& log) {
  RunRecord record = test::run_of(name, log);
  record.place.campaign = campaign;
  record.provenance.started_at = at;
  return record;
}

constexpr const char* kMonday = "2024-04-08T03:02:12Z";
constexpr const char* kTuesday = "2024-04-09T03:02:12Z";

/// Two databases, ours and theirs.
struct Two {
  Two() : ours_path(folder / "ours.db"), theirs_path(folder / "theirs.db"), ours(ours_path) {}
  /// Stores of `theirs` a campaign with two runs of logs that are kept in files, a noted sweep, a
  /// log from elsewhere, a canary, a tag, notes and drops.
  void fill_theirs() {
    Database theirs(theirs_path);
    theirs.put_campaign(begun(1, kMonday));
    for (const char* name : {"a", "b"}) {
      const std::string log = test::log_of(1, 5, name[0]);
      RunRecord record = run(1, name, 1'712'545'332 + name[0], log);
      record.file = LogFile{std::string("runs/") + name + "/log", log};
      CanaryReading canary{name[0] - 'a' + 1, 1'712'545'000, {}, CanaryFigures{}};
      canary.figures->ranks = 4;
      canary.figures->all_reduce.push_back({1024, 1, 2, 3, 4});
      canary.figures->pairs.push_back({"n1", "n2", 10, 1024, 5});
      record.canary_before = canary;
      theirs.put_run(record);
    }
    NotedSweep noted{begun(1, kTuesday), {}};
    noted.campaign.sweep = "gpt2.md";
    RunRecord row = test::run_of("line 3", test::log_of(1, 2, 0.5));
    row.place.sweep = "gpt2.md";
    noted.runs.push_back({row, "old node"});
    theirs.put_noted({noted});
    test::add(theirs, "x.out", test::log_of(1, 4, 0.25));
    theirs.put_tag("good", {"gpt", 1});
    theirs.put_note({1}, "slow");
    theirs.drop({{2}, {}, false}, "disturbed");
  }
  std::int64_t number(const std::string& sql) const {
    return db::Connection(ours_path, false).number(sql);
  }
  std::string text(const std::string& sql) const { return test::sql_text(ours_path, sql); }

  test::TemporaryDirectory folder;
  fs::path ours_path, theirs_path;
  Database ours;
};

}  // namespace

TEST_CASE("a database that is merged into an empty one is there with all it has") {
  Two two;
  two.fill_theirs();
  const Merged merged = two.ours.merge(two.theirs_path, {});
  CHECK(merged.campaigns == 2);
  CHECK(merged.runs == 4);
  CHECK(merged.iterations == 5 + 5 + 2 + 4);
  CHECK(merged.renumbered.empty());
  CHECK(test::dump_of(two.ours_path) == test::dump_of(two.theirs_path));
  CHECK(two.number("SELECT count(*) FROM canary_pairs") == 2);
  CHECK(two.number("SELECT count(*) FROM pragma_foreign_key_check") == 0);
}

TEST_CASE("a database merged twice, or with a copy of itself, adds nothing") {
  Two two;
  two.fill_theirs();
  two.ours.merge(two.theirs_path, {});
  const std::string before = test::dump_of(two.ours_path);
  fs::copy_file(two.ours_path, two.folder / "copy.db");
  for (const fs::path& other : {two.theirs_path, two.ours_path, two.folder / "copy.db"}) {
    const Merged merged = two.ours.merge(other, {});
    CAPTURE(other);
    CHECK(merged.campaigns + merged.runs + merged.grown + merged.iterations == 0);
    CHECK(test::dump_of(two.ours_path) == before);
  }
}

TEST_CASE("a campaign of another origin gets the next free number, once") {
  Two two;
  two.fill_theirs();
  two.ours.put_campaign(begun(1, kTuesday));
  two.ours.put_campaign(begun(2, kTuesday));
  two.ours.put_run(run(1, "a", 5, test::log_of(1, 3)));
  const Merged merged = two.ours.merge(two.theirs_path, {{"gpt", 3}});
  REQUIRE(merged.renumbered.size() == 1);
  CHECK(text_of(merged.renumbered[0].first) == "gpt/1");
  CHECK(text_of(merged.renumbered[0].second) == "gpt/4");
  CHECK(two.text("SELECT started FROM campaigns WHERE number = 4") == kMonday);
  CHECK(two.number("SELECT count(*) FROM runs JOIN allocations AS a ON a.id = allocation "
                   "JOIN campaigns AS c ON c.id = a.campaign WHERE c.number = 4") == 2);
  CHECK(two.ours.merge(two.theirs_path, {{"gpt", 4}}).renumbered.empty());
  CHECK(two.number("SELECT count(*) FROM campaigns") == 4);
}

TEST_CASE("campaigns of one name that were begun in the same second are two") {
  Two two;
  two.fill_theirs();
  two.ours.put_campaign(begun(1, kMonday));
  two.ours.put_run(run(1, "a", 5, test::log_of(1, 3)));
  CHECK(two.ours.merge(two.theirs_path, {}).renumbered.size() == 1);
  CHECK(two.number("SELECT count(*) FROM runs WHERE name = 'a'") == 2);
}

TEST_CASE("of a campaign that is in both the runs are joined, the later attempt counts") {
  Two two;
  const std::string log = test::log_of(1, 3);
  for (const bool is_ours : {true, false}) {
    Database database(is_ours ? two.ours_path : two.theirs_path);
    CampaignRecord campaign = begun(1, kMonday);
    if (!is_ours) campaign.points.push_back({test::point_named("52b-tp1", 1), false, ""});
    database.put_campaign(campaign);
    database.put_run(run(1, "a", 5, log));
    RunRecord retried = run(1, "b", is_ours ? 6 : 7, test::log_of(1, is_ours ? 2 : 4));
    retried.attempt = is_ours ? 1 : 2;
    database.put_run(retried);
    if (!is_ours) database.put_run(run(1, "c", 8, test::log_of(1, 6)));
  }
  const Merged merged = two.ours.merge(two.theirs_path, {});
  CHECK(merged.campaigns == 0);
  CHECK(merged.runs == 1);
  CHECK(merged.grown == 1);
  CHECK(two.number("SELECT count(*) FROM runs") == 3);
  CHECK(two.number("SELECT count(*) FROM iterations JOIN runs ON id = run WHERE name = 'b'") == 4);
  CHECK(two.number("SELECT started_at FROM runs WHERE name = 'b'") == 7);
  CHECK(two.number("SELECT count(*) FROM campaign_points") == 3);
  const std::string before = test::dump_of(two.ours_path);
  two.ours.merge(two.theirs_path, {});
  CHECK(test::dump_of(two.ours_path) == before);
}

TEST_CASE(
    "a log is known by its content, an older copy too, and one that has grown adds its lines") {
  Two two;
  const auto log = [](int rows, double shift) { return test::log_of(1, rows, shift); };
  test::add(two.ours, "same.out", log(4, 0.1));
  test::add(two.ours, "grows.out", log(4, 0.2));
  test::add(two.ours, "long.out", log(9, 0.3));
  test::add(two.ours, "x.out", log(4, 0.4));
  two.ours.put_note({two.ours.runs_named("grows")[0].id}, "mine");
  two.ours.drop({{two.ours.runs_named("grows")[0].id}, {}, false}, "disturbed");
  {
    Database theirs(two.theirs_path);
    test::add(theirs, "elsewhere/named_otherwise.out", log(4, 0.1));
    test::add(theirs, "elsewhere/g.out", log(4, 0.2) + test::row(5, 105.2) + log(2, 0.7));
    test::add(theirs, "elsewhere/l.out", log(3, 0.3));
    test::add(theirs, "elsewhere/x.out", log(4, 0.5) + log(2, 0.6));
  }
  const Merged merged = two.ours.merge(two.theirs_path, {});
  CHECK(merged.runs == 3);
  CHECK(merged.grown == 1);
  CHECK(two.number("SELECT count(*) FROM runs") == 7);
  CHECK(two.number("SELECT count(*) FROM logs") == 5);
  CHECK(two.number("SELECT count(*) FROM iterations JOIN runs ON id = run "
                   "WHERE name = 'grows'") == 5);
  CHECK(two.number("SELECT count(*) FROM runs WHERE name = 'grows-2'") == 1);
  CHECK(two.number("SELECT count(*) FROM dropped_runs") == 2);
  CHECK(two.text("SELECT text FROM notes JOIN runs ON runs.id = run WHERE name = 'grows'") ==
        "mine");
  CHECK(two.number("SELECT count(DISTINCT name) FROM runs WHERE name LIKE 'x%'") == 3);
  CHECK(two.number("SELECT count(*) FROM runs WHERE name LIKE 'x-________-2'") == 1);
  const std::string before = test::dump_of(two.ours_path);
  CHECK(two.ours.merge(two.theirs_path, {}).grown == 0);
  CHECK(test::dump_of(two.ours_path) == before);
}

TEST_CASE("a log from elsewhere gives way to the campaign it is of") {
  Two two;
  two.fill_theirs();
  test::add(two.ours, "copy.out", test::log_of(1, 5, 'a'));
  two.ours.put_note({1}, "mine");
  two.ours.merge(two.theirs_path, {});
  CHECK(two.ours.runs_named("copy").empty());
  CHECK(two.number("SELECT count(*) FROM runs WHERE name = 'a'") == 1);
  CHECK(two.number("SELECT count(*) FROM notes WHERE text = 'mine'") == 1);
}

TEST_CASE("notes of both are kept in the order of their times, tags and drops come along") {
  Two two;
  two.fill_theirs();
  fs::copy_file(two.theirs_path, two.folder / "copy.db");
  Database copy(two.folder / "copy.db");
  copy.put_note({2}, "ours");
  copy.put_tag("mine", {"gpt", 1});
  db::Connection(two.theirs_path, false)
      .run("INSERT INTO notes (run, text, written_at) VALUES (2, 'early', 7)");
  Database(two.theirs_path).drop({{1}, {}, false}, "too slow");
  copy.merge(two.theirs_path, {});
  db::Connection connection(two.folder / "copy.db", false);
  CHECK(test::sql_text(connection,
                       "SELECT group_concat(text) FROM (SELECT text FROM notes "
                       "WHERE run = 2 ORDER BY id)") == "early,ours");
  CHECK(test::sql_text(connection, "SELECT group_concat(name) FROM tags") == "good,mine");
  CHECK(test::sql_text(connection, "SELECT reason FROM dropped_runs WHERE run = 1") == "too slow");
}

TEST_CASE("a tag that is another campaign's here stays, and is told of") {
  Two two;
  two.fill_theirs();
  two.ours.put_campaign(begun(1, kTuesday));
  two.ours.put_tag("good", {"gpt", 1});
  const Merged merged = two.ours.merge(two.theirs_path, {});
  CHECK(merged.tags_left == std::vector<std::string>{"good"});
  CHECK(two.ours.selection("good")->campaign == 1);
}

TEST_CASE("what a merged database knows more of a model is kept") {
  const auto tell = [](const fs::path& path, const std::string& figures) {
    test::sql_text(path, "UPDATE points SET (style, params, token_weights) = (" + figures + ")");
  };
  for (const auto& [ours, theirs, both] : std::vector<std::array<const char*, 3>>{
           {"'gpt2', 5, NULL", "'gpt2', 6, 7", "gpt2 6 7"},
           {"'gpt2', 5, 8", "'gpt2', 6, NULL", "gpt2 5 8"},
           {"'gpt2', NULL, NULL", "'gpt2', 6, NULL", "gpt2 6 -"},
           {"'gpt2', 5, NULL", "'gpt2', NULL, NULL", "gpt2 5 -"},
           {"'gpt2', 5, NULL", "'moe', 6, 7", "moe 6 7"},        // ours was planned
           {"'gpt2', 5, NULL", "'moe', NULL, NULL", "moe - -"},  // and what it is nobody said
           {"'moe', 5, 8", "'gpt2', 6, NULL", "moe 5 8"}}) {
    Two two;
    test::add(two.ours, "a.out", test::log_of(1, 4));
    tell(two.ours_path, ours);
    {
      Database other(two.theirs_path);
      test::add(other, "b.out", test::log_of(1, 5, 0.25));
    }
    tell(two.theirs_path, theirs);
    two.ours.merge(two.theirs_path, {});
    CHECK(test::sql_text(two.ours_path,
                         "SELECT group_concat(style || ' ' || coalesce(params, '-') || ' ' || "
                         "coalesce(token_weights, '-')) FROM points") == both);
  }
}

TEST_CASE("what was deleted here for good is not merged again") {
  Two two;
  two.fill_theirs();
  two.ours.merge(two.theirs_path, {});
  two.ours.delete_forever({{1, 4}, {}, false});
  CHECK(two.ours.merge(two.theirs_path, {}).runs == 0);
  two.ours.delete_forever({{}, {{"gpt", 1}}, false});
  const Merged merged = two.ours.merge(two.theirs_path, {});
  CHECK(merged.campaigns + merged.runs == 0);
  CHECK(merged.left_out == 3);
}

TEST_CASE("results noted by hand are not mixed with others of their name") {
  Two two;
  two.fill_theirs();
  CampaignRecord measured = begun(1, kTuesday);
  measured.sweep = "gpt2.md";
  two.ours.put_campaign(measured);
  CHECK_THROWS_WITH(two.ours.merge(two.theirs_path, {}),
                    Contains("'gpt2.md' is noted by hand in one") && Contains("rename"));
  Two other;
  other.fill_theirs();
  NotedSweep noted{measured, {}};
  noted.campaign.started = kMonday;
  other.ours.put_noted({noted});
  CHECK_THROWS_WITH(other.ours.merge(other.theirs_path, {}), Contains("and not the same"));
  CHECK(other.number("SELECT count(*) FROM campaigns") == 1);
}

TEST_CASE("tables of the network come along once") {
  Two two;
  {
    Database theirs(two.theirs_path);
    CanaryFigures figures;
    figures.pairs.push_back({"n1", "n2", 10, 1024, 5});
    theirs.add_network_tables({"net.txt", "the table"}, 1'712'545'000, {figures});
  }
  for (int i = 0; i < 2; ++i) {
    two.ours.merge(two.theirs_path, {});
    CHECK(two.ours.evidence({}).collected.size() == 1);
    CHECK(two.number("SELECT count(*) FROM canary_pairs") == 1);
  }
}

TEST_CASE("digests are carried along, and rows of reports are made anew") {
  Two two;
  two.fill_theirs();
  two.ours.put_campaign(begun(1, kMonday));
  {
    Database theirs(two.theirs_path);
    theirs.put_digests({{1, RunDigest{}}}, 1, theirs.moment());
  }
  Summary row;
  row.sweep = "gpt";
  row.point = test::point_named("52b-tp2", 2);
  two.ours.put_rows({"gpt", {}}, {row}, 1, two.ours.moment());
  two.ours.merge(two.theirs_path, {});
  CHECK(two.number("SELECT count(*) FROM run_digests") == 1);
  CHECK(two.number("SELECT count(*) FROM point_summaries") == 0);
}

TEST_CASE("a database of every earlier version is merged and left as it was, read-only too") {
  for (std::size_t version = 1; version <= migrations().size(); ++version) {
    Two two;
    {
      db::Connection old(two.theirs_path, true);
      for (std::size_t i = 0; i < version; ++i) old.run(std::string(migrations()[i].text));
      old.run(fmt::format("PRAGMA application_id = 1885958256; PRAGMA user_version = {}", version));
      old.run(
          "INSERT INTO sweeps (name) VALUES ('kept');"
          "INSERT INTO campaigns (sweep, number, started) VALUES (1, 1, 'once')");
    }
    fs::permissions(two.theirs_path, fs::perms::owner_read);
    const std::string before = *disk().read(two.theirs_path);
    CHECK(two.ours.merge(two.theirs_path, {}).campaigns == 1);
    CHECK(two.text("SELECT name FROM sweeps") == "kept");
    CHECK(*disk().read(two.theirs_path) == before);
    for (const auto& name : disk().list(two.folder.path())) CHECK_THAT(name, !Contains("merging"));
  }
}

TEST_CASE("what is no database of this or an earlier pippin is not merged") {
  Two two;
  two.ours.put_campaign(begun(1, kMonday));
  const std::string before = test::dump_of(two.ours_path);
  CHECK_THROWS_WITH(two.ours.merge(two.folder / "none.db", {}), Contains("no such database"));
  disk().write(two.folder / "text.db", "no database at all, but a text that is long enough");
  CHECK_THROWS_WITH(two.ours.merge(two.folder / "text.db", {}), Contains("is no database"));
  db::Connection(two.folder / "foreign.db", true).run("CREATE TABLE t (x)");
  CHECK_THROWS_WITH(two.ours.merge(two.folder / "foreign.db", {}),
                    Contains("is no database of pippin's"));
  Database{two.theirs_path};
  db::Connection(two.theirs_path, false).run("PRAGMA user_version = 99");
  CHECK_THROWS_WITH(two.ours.merge(two.theirs_path, {}), Contains("version 99"));
  CHECK(test::dump_of(two.ours_path) == before);
}

TEST_CASE("a kill at any step of a merge leaves before or after") {
  Two two;
  two.fill_theirs();
  two.ours.put_campaign(begun(1, kTuesday));
  two.ours.put_run(run(1, "a", 5, test::log_of(1, 3)));
  db::Connection(two.ours_path, false).run("PRAGMA wal_checkpoint(TRUNCATE)");
  db::Connection(two.theirs_path, false).run("PRAGMA wal_checkpoint(TRUNCATE)");
  test::check_kills(two.ours_path,
                    [&](Database& database) { database.merge(two.theirs_path, {}); });
}

TEST_CASE("a state that no run can have is not merged, and a person cannot write one") {
  Two two;
  two.fill_theirs();
  const std::string before = test::dump_of(two.ours_path);
  const char* const change = "UPDATE runs SET state = 'fine' WHERE name = 'a'";
  CHECK_THROWS_AS(db::Connection(two.theirs_path, false).run(change), Error);
  db::Connection(two.theirs_path, false)
      .run(std::string("PRAGMA ignore_check_constraints = ON; ") + change);
  CHECK_THROWS_AS(two.ours.merge(two.theirs_path, {}), Error);
  CHECK(test::dump_of(two.ours_path) == before);
}
