// SPDX-License-Identifier: Apache-2.0
#include <random>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

#include "db/migrate.h"
#include "db/sqlite.h"
#include "harness/commands/steps/report_rows.h"
#include "reports/format.h"
#include "tests/db/sample_runs.h"
#include "tests/db/sql.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

// What a report keeps to be fast must never show: whatever was stored in whatever order, it says
// what it would say had it kept nothing.

using namespace pippin;

namespace {

Globals quiet() {
  Globals globals;
  globals.quiet = true;
  return globals;
}

template <typename Change>
Iterations changed(const Iterations& iterations, Change change) {
  std::vector<Iteration> lines = iterations.lines();
  for (auto& line : lines) change(line);
  return Iterations(lines);
}

/// What of a database is reported.
struct Question {
  SampleFilter filter;
  Summing summing;
};

std::string text_of(const std::optional<double>& number) {
  return number ? fmt::format("{}", *number) : "-";
}

/// All that a row holds, but for the axes: those stand in the formats.
std::string described(const Summary& row) {
  const Quantiles lines = row.lines_s.value_or(Quantiles{});
  const Interval time = row.step_time_s.value_or(Interval{});
  std::string allocations;
  for (const auto& mean : row.allocation_means)
    allocations += fmt::format("{} {} {};", mean.allocation, mean.day, mean.seconds);
  return fmt::format(
      "{}|{}|{}|{}|{}|{}|{}/{}/{}|{} {} {}|{} {} {} {} {} {}|{}|{} {} {} {}|{}|{} "
      "{}|{}|{}|{}|{}|{}|{} {} {}|{}|{}|{}\n",
      row.sweep, row.point.id, row.point.name, text_of(row.state), row.reason, row.run,
      row.allocations, row.runs, row.iterations, row.clean, row.slowdowns, row.unsteady, time.mean,
      text_of(time.low), text_of(time.high), text_of(time.sd), time.unit, time.remark,
      fmt::join(row.unit_means_s, " "), lines.min, lines.p25, lines.p75, lines.max,
      row.recompute.value_or("-"), text_of(row.mfu), text_of(row.hfu), text_of(row.memory_gib),
      row.started_at.value_or(-1), fmt::join(row.past_notes, ";"), fmt::join(row.remarks, ";"),
      text_of(time.df), text_of(time.sd_low), text_of(time.sd_high), allocations, row.campaign,
      row.day, row.allocation);
}

std::string report(Database& database, const Question& question) {
  Rating rating;
  rating.peak_tflops = {{"fp16", 125}};
  Report report;
  report.rows = report_rows(quiet(), database, question.filter, question.summing, rating);
  std::ostringstream text;
  for (const auto& row : report.rows) text << described(row);
  write_csv(report, text);
  write_markdown(report, text);
  report.width = 0;
  write_terminal(report, text);
  return text.str();
}

/// The same of a copy in which nothing is kept.
std::string report_afresh(const fs::path& path, const Question& question) {
  const test::TemporaryDirectory folder;
  const fs::path copy = folder / "copy.db";
  db::Connection(path, false).run(fmt::format("VACUUM INTO '{}'", copy.string()));
  db::Connection(copy, false).run("DELETE FROM run_digests; DELETE FROM point_summaries");
  Database database(copy);
  return report(database, question);
}

/// A laboratory that stores whatever comes to it, at random.
class Laboratory {
 public:
  Laboratory(const fs::path& path, unsigned seed) : path_(path), writer_(path), random_(seed) {
    if (seed % 2 == 0) writer_.sum_up_by(digester());
  }

  void do_something() {
    switch (number(0, 7)) {
      case 0:
        plan_campaign();
        break;
      case 1:
      case 2:
      case 3:
        run_a_point();
        break;
      case 4:
        read_new_log();
        break;
      case 5:
        read_grown_log();
        break;
      case 6:
        write_note();
        break;
      default:
        note_table();
    }
  }

  Question question() {
    Question question;
    if (number(0, 2) == 0) question.filter.sweep = sweep();
    if (question.filter.sweep && number(0, 1) == 0) question.filter.campaign = number(1, 2);
    if (number(0, 4) == 0) question.summing.by = static_cast<Rows>(number(1, 3));
    if (number(0, 4) == 0) question.summing.samples = Samples::kAll;
    return question;
  }

  int number(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }

 private:
  static constexpr int kPoints = 4;
  const fs::path path_;
  Database writer_;
  std::mt19937 random_;
  std::vector<std::string> logs_;
  std::set<std::pair<std::string, int>> campaigns_;
  int scraper_ = 0;

  std::string sweep() { return number(0, 1) == 0 ? "gpt" : "llama"; }
  std::string name() { return fmt::format("point{}", number(1, kPoints)); }

  static Point point(const std::string& name) {
    Point point = test::point_named(name, name.back() - '0');
    point.model.params = 1'000'000;
    point.model.seq = 32;
    return point;
  }

  std::string lines(int first, int last) {
    std::string text;
    for (int i = first; i <= last; ++i)
      text += test::row(i, number(900, 1100) / 10.0 + (number(0, 9) == 0 ? 50 : 0),
                        number(0, 9) == 0 ? 1 : 0);
    return text;
  }

  void plan_campaign() {
    CampaignRecord campaign = test::campaign_of(number(1, 2));
    campaign.sweep = sweep();
    campaign.warmup = number(0, 2) == 0 ? std::nullopt : std::optional<std::int64_t>(number(0, 8));
    campaign.points.clear();
    if (number(0, 1) == 0) campaign.peak_tflops = {{"fp16", number(1, 2) * 100.0}};
    for (int i = 1; i <= kPoints; ++i) {
      const bool infeasible = number(0, 2) == 0;
      campaign.points.push_back({point(fmt::format("point{}", i)), infeasible,
                                 infeasible ? fmt::format("why {}", number(1, 9)) : ""});
    }
    std::shuffle(campaign.points.begin(), campaign.points.end(), random_);
    writer_.put_campaign(campaign);
    campaigns_.emplace(campaign.sweep, campaign.number);
  }

  void run_a_point() {
    if (campaigns_.empty()) return;
    const auto& [sweep, campaign] =
        *std::next(campaigns_.begin(), number(0, static_cast<int>(campaigns_.size()) - 1));
    const std::string text = number(0, 3) == 0   ? any_log()
                             : number(0, 5) == 0 ? test::dump()
                                                 : test::dump() + lines(1, number(1, 30));
    const std::string wanted = name();
    RunRecord run = test::run_of(fmt::format("{}-r{}", wanted, number(1, 3)), text, number(1, 2));
    run.place = {sweep, campaign, fmt::format("job{}", number(1, 3)), number(1, 3), 1, 1};
    run.point_id = point(wanted).id;
    if (!text.empty()) run.file = LogFile{fmt::format("{}.log", run.name), text};
    run.provenance.started_at = 1712372532 + 86400 * number(0, 3);
    if (!run.log || run.log->iterations.empty()) {
      run.state = std::vector{RunState::kMissing, RunState::kOom, RunState::kFailed,
                              RunState::kTimeout}[static_cast<std::size_t>(number(0, 3))];
      run.evidence = fmt::format("line {}\nand more", number(1, 9));
    }
    writer_.put_run(run);
    if (!text.empty() && number(0, 1) == 0) logs_.push_back(text);
  }

  /// Empty where none was read yet.
  std::string any_log() {
    if (logs_.empty()) return "";
    return logs_[static_cast<std::size_t>(number(0, static_cast<int>(logs_.size()) - 1))];
  }

  void read(const std::string& text, const std::string& name) {
    auto runs = scrape(text);
    for (auto& run : runs) {
      run.point.model.params = 1'000'000;
      run.scraper_version += scraper_;
      if (scraper_ > 0)
        run.iterations =
            changed(run.iterations, [&](Iteration& line) { line.step_time_ms += scraper_; });
    }
    writer_.add_foreign_log({name, text}, runs);
  }

  void read_new_log() {
    const std::string more =
        number(0, 1) == 0
            ? test::argument("checkpoint_activations", number(0, 1) == 0 ? "True" : "False")
            : test::argument("bias_gelu_fusion", number(0, 1) == 0 ? "True" : "False");
    logs_.push_back(test::dump(more) + lines(1, number(0, 20)));
    read(logs_.back(), fmt::format("log{}.out", logs_.size()));
  }

  void read_grown_log() {
    if (logs_.empty()) return;
    std::string& log =
        logs_[static_cast<std::size_t>(number(0, static_cast<int>(logs_.size()) - 1))];
    if (number(0, 3) == 0) ++scraper_;  // a better one, that reads other figures
    if (number(0, 2) == 0) log += test::dump();
    if (number(0, 2) > 0) log += lines(number(1, 30), number(20, 40));
    read(log, "grown.out");
  }

  void write_note() {
    const auto runs = db::Connection(path_, false).number("SELECT count(*) FROM runs");
    if (runs == 0) return;
    const auto run = db::Connection(path_, false)
                         .number(fmt::format("SELECT id FROM runs ORDER BY id LIMIT 1 OFFSET {}",
                                             number(0, static_cast<int>(runs) - 1)));
    writer_.put_note({run}, number(0, 3) == 0 ? "" : fmt::format("note {}", number(1, 5)));
  }

  void note_table() {
    CampaignRecord campaign = test::campaign_of();
    campaign.sweep = "noted";
    campaign.points.clear();
    std::vector<NotedRecord> runs;
    for (int i = 1; i <= number(1, 4); ++i) {
      Point noted = point(name());
      noted.trainer = "noted";
      noted.id = point_id(noted);
      NotedRecord& record = runs.emplace_back();
      record.run = test::run_of(fmt::format("n.md:{}", i), test::dump() + lines(1, 1));
      record.run.place = {"noted", 1, record.run.name, i, 1, i};
      record.run.point_id = noted.id;
      record.run.log->point = noted;
      record.note = number(0, 1) == 0 ? "" : "05-26";
      const auto same = [&](const auto& planned) { return planned.point.id == noted.id; };
      if (std::none_of(campaign.points.begin(), campaign.points.end(), same))
        campaign.points.push_back({noted, false, ""});
    }
    writer_.put_noted({{campaign, runs}});
  }
};

}  // namespace

TEST_CASE("what is kept of runs never shows in a report") {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const test::TemporaryDirectory folder;
    const fs::path path = folder / "t.db";
    Laboratory laboratory(path, seed);
    Database reader(path);
    for (int step = 1; step <= 40; ++step) {
      laboratory.do_something();
      if (laboratory.number(0, 2) == 0) continue;
      const Question question = laboratory.question();
      CAPTURE(seed, step, question.filter.sweep.value_or("all"),
              question.filter.campaign.value_or(0), static_cast<int>(question.summing.by));
      const std::string afresh = report_afresh(path, question);
      REQUIRE(report(reader, question) == afresh);
      REQUIRE(report(reader, question) == afresh);
    }
    db::Connection connection(path, false);
    CHECK(connection.number("SELECT count(*) FROM pragma_foreign_key_check") == 0);
  }
}

TEST_CASE("each campaign's runs leave out the warm-up of their own") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  for (const std::int64_t number : {1, 2}) {
    CampaignRecord campaign = test::campaign_of(number);
    campaign.warmup = number == 1 ? 2 : 8;
    database.put_campaign(campaign);
    RunRecord run = test::run_of("a", test::log_of(1, 10, 0.1 * static_cast<double>(number)));
    run.place.campaign = number;
    database.put_run(run);
    const auto rows = report_rows(quiet(), database, {"gpt", {}}, {}, {});
    CHECK(rows.at(0).iterations == (number == 1 ? 8 : 8 + 2));
  }
  for (const Question& question : {Question{{"gpt", 1}, {}}, Question{{"gpt", 2}, {}}, Question{}})
    CHECK(report(database, question) == report_afresh(folder / "t.db", question));
}

TEST_CASE("a run that another process reads anew while it is summed up is not kept as it was") {
  const test::TemporaryDirectory folder;
  Database reader(folder / "t.db"), collector(folder / "t.db");
  const std::string log = test::log_of(1, 20);
  test::add(collector, "a.out", log);
  const std::int64_t moment = reader.moment();
  const auto points = reader.samples();
  const auto id = points.at(0).runs.at(0).id;
  const auto old_lines = reader.lines_of(id);
  auto better = scrape(log);
  better[0].scraper_version += 1;
  better[0].iterations = changed(better[0].iterations,  // as many lines
                                 [](Iteration& line) { line.step_time_ms *= 2; });
  collector.add_foreign_log({"a.out", log}, better);
  RunDigest stale;
  stale.clean = stale.all = {20, 110, 1, 100, 105, 110, 115, 119, 120, 120};
  reader.put_digests({{id, stale}}, kSummaryVersion, moment);
  reader.put_rows({}, sum_up(points, {}), kSummaryVersion, moment);
  CHECK(db::Connection(folder / "t.db", false).number("SELECT count(*) FROM run_digests") == 0);
  CHECK(report(reader, {}) == report_afresh(folder / "t.db", {}));
}

TEST_CASE("the number type of a log counts for its MFU however often it is reported") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  for (const char* name : {"a.out", "b.out"}) {
    const std::string log = test::log_of(1, 20, name[0]);
    auto runs = scrape(log);
    runs[0].point.model.params = 1'000'000;
    database.add_foreign_log({name, log}, runs);
  }
  Rating rating;
  rating.peak_tflops = {{"fp16", 125}};
  for (int time = 1; time <= 2; ++time) {
    const auto rows = report_rows(quiet(), database, {}, {}, rating);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].mfu.has_value());
  }
}

TEST_CASE("a point of which one run was set aside is not said to be") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  database.put_campaign(test::campaign_of());
  RunRecord other = test::run_of("a", test::log_of(1, 20, 0.5));
  database.put_run(other);
  other.name += "-r2";
  other.place.repeat = 2;
  other.log->iterations =
      changed(other.log->iterations, [](Iteration& line) { ++line.step_time_ms; });
  database.put_run(other);
  database.drop({{1}, {}, false}, "bad node");
  for (int time = 1; time <= 2; ++time) {
    const Summary row = report_rows(quiet(), database, {}, {}, {}).at(0);
    CHECK(row.runs == 1);
    CHECK(row.reason.empty());
  }
  database.drop({{2}, {}, false}, "bad node");
  for (int time = 1; time <= 2; ++time)
    CHECK(report_rows(quiet(), database, {}, {}, {}).at(0).reason == "dropped: bad node");
}

TEST_CASE("a plan that changes shows in a report at once") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  CampaignRecord campaign = test::campaign_of();
  for (const RunState state : {RunState::kInfeasible, RunState::kNotRun, RunState::kInfeasible}) {
    campaign.points[1].infeasible = state == RunState::kInfeasible;
    database.put_campaign(campaign);
    for (int time = 1; time <= 2; ++time)
      CHECK(report_rows(quiet(), database, {}, {}, {}).at(1).state == state);
  }
  RunRecord lost = test::run_of("a", "");
  lost.point_id = campaign.points[1].point.id;
  lost.state = RunState::kMissing;
  database.put_run(lost);
  for (int time = 1; time <= 2; ++time)
    CHECK(report_rows(quiet(), database, {}, {}, {}).at(1).state == RunState::kMissing);
}

TEST_CASE("a report prints though the disk is full") {
  const test::TemporaryDirectory folder;
  const fs::path path = folder / "t.db";
  {
    Database database(path);
    for (int i = 0; i < 40; ++i)
      test::add(database, fmt::format("{}.out", i), test::log_of(1, 20, i));
  }
  OpenDatabase full;
  full.most_pages = db::Connection(path, false).number("PRAGMA page_count");
  Database database(path, full);
  const std::string text = report(database, {});
  CHECK(db::Connection(path, false).number("SELECT count(*) FROM run_digests") == 0);
  CHECK(text == report_afresh(path, {}));
  CHECK(report(database, {}) == text);
}

TEST_CASE("who may only read a database gets the same report") {
  const test::TemporaryDirectory folder;
  const fs::path path = folder / "t.db";
  {
    Database database(path);
    database.put_campaign(test::campaign_of());
    database.put_run(test::run_of("a", test::log_of(1, 20)));
    test::add(database, "b.out", test::log_of(1, 12, 0.5));
  }
  const std::string expected = report_afresh(path, {});
  fs::permissions(path, fs::perms(0444));
  fs::permissions(folder.path(), fs::perms(0555));
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    constexpr uid_t kNobody = 65534;  // root may write whatever the permissions say
    if (::geteuid() == 0 && ::setuid(kNobody) != 0) ::_exit(1);
    try {
      Database database(path, {false});
      ::_exit(report(database, {}) == expected && report(database, {}) == expected ? 0 : 2);
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}\n", error.what());
      ::_exit(3);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  fs::permissions(folder.path(), fs::perms::owner_all);
  CHECK(WEXITSTATUS(status) == 0);
}

namespace {

/// Those that a table of an older database has.
std::string columns_of(db::Connection& connection, const std::string& table) {
  return test::sql_text(
      connection,
      fmt::format("SELECT group_concat(name) FROM pragma_table_info('{}', 'main')", table));
}

}  // namespace

TEST_CASE("a database from before sums were kept is reported like a new one") {
  const test::TemporaryDirectory folder;
  const fs::path path = folder / "new.db", old_path = folder / "old.db";
  {
    Database database(path);
    database.put_campaign(test::campaign_of());
    database.put_run(test::run_of("a", test::log_of(1, 20)));
    test::add(database, "b.out", test::log_of(1, 12, 0.5));
  }
  {
    db::Connection old(old_path, true);
    for (std::size_t i = 0; i < 2; ++i) old.run(std::string(migrations()[i].text));
    old.run("PRAGMA application_id = 1885958256; PRAGMA user_version = 2");
    old.run(fmt::format("ATTACH '{}' AS new", path.string()));
    for (const char* table :
         {"sweeps", "campaigns", "points", "point_axes", "campaign_points", "allocations", "logs",
          "runs", "iterations", "rank_memory", "arguments"})
      old.run(fmt::format("INSERT INTO main.{0} ({1}) SELECT {1} FROM new.{0}", table,
                          columns_of(old, table)));
    // What an old file does not know.
    old.run("UPDATE new.runs SET planned_iterations = NULL");
  }
  Database now(path), migrated(old_path);
  const std::string expected = report(now, {});
  CHECK(report(migrated, {}) == expected);
  CHECK(report(migrated, {}) == expected);
  migrated.put_note({1}, "still noted");
  CHECK(report(migrated, {}) != expected);
}

TEST_CASE("reports and a collector that write at once leave nothing stale") {
  const test::TemporaryDirectory folder;
  const fs::path path = folder / "t.db";
  Database(path).campaigns({});  // so that it is there
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    try {
      Laboratory laboratory(path, 99);
      for (int step = 0; step < 150; ++step) laboratory.do_something();
      ::_exit(0);
    } catch (const std::exception& error) {
      fmt::print(stderr, "collector: {}\n", error.what());
      ::_exit(1);
    }
  }
  Database reader(path);
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    report(reader, {});
    report(reader, {{"gpt", 1}, {}});
  }
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  const std::string afresh = report_afresh(path, {});
  CHECK(report(reader, {}) == afresh);
  CHECK(report(reader, {}) == afresh);
}

TEST_CASE("points without runs and runs without lines are rows of a report") {
  const test::TemporaryDirectory folder;
  Database database(folder / "t.db");
  CHECK(report_rows(quiet(), database, {}, {}, {}).empty());
  CampaignRecord campaign = test::campaign_of();
  campaign.sweep = "empty";
  campaign.points.clear();
  database.put_campaign(campaign);
  CHECK(report_rows(quiet(), database, {"empty", {}}, {}, {}).empty());
  for (const char* sweep : {"gpt", "llama"}) {
    campaign = test::campaign_of();
    campaign.sweep = sweep;
    database.put_campaign(campaign);
  }
  database.put_run(test::run_of("a", test::dump()));
  for (int time = 1; time <= 2; ++time) {
    const auto rows = report_rows(quiet(), database, {}, {}, {});
    REQUIRE(rows.size() == 4);
    CHECK(rows[0].state == RunState::kOk);
    CHECK_FALSE(rows[0].step_time_s);
    CHECK(rows[1].reason == "where: 4 % tp == 0");
    CHECK(rows[2].state == RunState::kNotRun);
  }
  CHECK(report(database, {}) == report_afresh(folder / "t.db", {}));
}
