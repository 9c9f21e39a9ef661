// SPDX-License-Identifier: Apache-2.0
#include "db/sqlite.h"
#include "tests/db/sample_runs.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

constexpr std::int64_t kVersion = 7;

/// A row in which every measure has a value of its own.
Summary full_row(const Point& point, const std::string& sweep) {
  Summary row;
  row.sweep = sweep;
  row.point = point;
  row.state = RunState::kOom;
  row.allocations = 2;
  row.runs = 3;
  row.iterations = 4;
  row.clean = false;
  row.slowdowns = 5;
  row.unsteady = 6;
  row.noted = true;
  row.step_time_s = Interval{1.5, 1.25, 1.75, 0.5, "day", "of two days", 3.5, 0.25, 0.75};
  row.allocation_means = {{"gpt/job 1", "2026-11-19", 1.125}, {"gpt/job 2", "", 1.375}};
  row.unit_means_s = {1.125, 1.375};
  row.lines_s = Quantiles{0.5, 0.75, 2.5, 2.75};
  row.recompute = "full";
  row.memory_gib = 9.5;
  row.started_at = 1712372532;
  row.remarks = {"one", "two"};
  row.point.layout.gbs = 99;
  return row;
}

void check_measures(const Summary& row) {
  CHECK(row.state == RunState::kOom);
  CHECK(row.allocations == 2);
  CHECK(row.runs == 3);
  CHECK(row.iterations == 4);
  CHECK_FALSE(row.clean);
  CHECK(row.slowdowns == 5);
  CHECK(row.unsteady == 6);
  CHECK(row.noted);
  REQUIRE(row.step_time_s);
  CHECK(row.step_time_s->mean == 1.5);
  CHECK(row.step_time_s->low == 1.25);
  CHECK(row.step_time_s->high == 1.75);
  CHECK(row.step_time_s->sd == 0.5);
  CHECK(row.step_time_s->unit == "day");
  CHECK(row.step_time_s->remark == "of two days");
  CHECK(row.step_time_s->df == 3.5);
  CHECK(row.step_time_s->sd_low == 0.25);
  CHECK(row.step_time_s->sd_high == 0.75);
  REQUIRE(row.allocation_means.size() == 2);
  CHECK(row.allocation_means[0].allocation == "gpt/job 1");
  CHECK(row.allocation_means[0].day == "2026-11-19");
  CHECK(row.allocation_means[0].seconds == 1.125);
  CHECK(row.allocation_means[1].day.empty());
  CHECK(row.unit_means_s == std::vector<double>{1.125, 1.375});
  REQUIRE(row.lines_s);
  CHECK(row.lines_s->min == 0.5);
  CHECK(row.lines_s->p25 == 0.75);
  CHECK(row.lines_s->p75 == 2.5);
  CHECK(row.lines_s->max == 2.75);
  CHECK(row.recompute == "full");
  CHECK(row.memory_gib == 9.5);
  CHECK(row.started_at == 1712372532);
  CHECK(row.remarks == std::vector<std::string>{"one", "two"});
  CHECK(row.point.layout.gbs == 99);
}

struct Stored {
  test::TemporaryDirectory folder;
  Database database{folder / "t.db"};

  StoredRows rows(const RowFilter& filter = {}) { return database.rows(filter, kVersion); }
  void put(const std::vector<Summary>& rows) {
    database.put_rows({}, rows, kVersion, database.moment());
  }
};

std::vector<std::string> axes_of(const Summary& row) {
  std::vector<std::string> names;
  for (const auto& axis : row.point.axes) names.push_back(axis.first + "=" + axis.second.text);
  return names;
}

}  // namespace

TEST_CASE("a row that was stored comes back whole, and says that all are there") {
  Stored stored;
  auto campaign = test::campaign_of();
  campaign.accelerator = "h100";
  campaign.peak_tflops = {{"bf16", 989}};
  stored.database.put_campaign(campaign);
  Summary infeasible;
  infeasible.sweep = "gpt";
  infeasible.point = campaign.points[1].point;
  infeasible.state = RunState::kInfeasible;
  CHECK_FALSE(stored.rows().complete);
  stored.put({full_row(campaign.points[0].point, "gpt"), infeasible});
  const StoredRows found = stored.rows();
  CHECK(found.complete);
  REQUIRE(found.rows.size() == 2);
  check_measures(found.rows[0]);
  CHECK(found.rows[0].sweep == "gpt");
  CHECK(found.rows[0].point.name == "52b-tp2");
  CHECK(found.rows[0].peak_tflops == PeakTflops{{"bf16", 989}});
  CHECK(axes_of(found.rows[0]) == std::vector<std::string>{"zero=1", "offload=none"});
  CHECK(found.rows[1].state == RunState::kInfeasible);
  CHECK(found.rows[1].reason == "where: 4 % tp == 0");
  CHECK_FALSE(found.rows[1].step_time_s);
  CHECK_FALSE(found.rows[1].lines_s);
  CHECK_FALSE(found.rows[1].recompute);
  CHECK_FALSE(found.rows[1].memory_gib);
  CHECK_FALSE(found.rows[1].started_at);
  CHECK(found.rows[1].remarks.empty());
  CHECK(found.rows[1].clean);
}

TEST_CASE("rows of another version, sweep or moment are none") {
  Stored stored;
  stored.database.put_campaign(test::campaign_of());
  const Point point = test::campaign_of().points[0].point;
  const auto moment = stored.database.moment();
  Database(stored.folder / "t.db").put_campaign(test::campaign_of(2));
  stored.database.put_rows({}, {full_row(point, "gpt")}, kVersion, moment);
  CHECK_FALSE(stored.rows().rows.at(0).step_time_s);
  stored.put({full_row(point, "gpt")});
  CHECK(stored.rows().rows.at(0).step_time_s);
  CHECK_FALSE(stored.database.rows({}, kVersion + 1).rows.at(0).step_time_s);
  CHECK(stored.rows({{"gpt", {}}}).rows.size() == 2);
  CHECK(stored.rows({{"other", {}}}).rows.empty());
  CHECK(stored.rows({{"", {}}}).rows.empty());
}

TEST_CASE("who wants all rows or none is told that some are missing") {
  Stored stored;
  const auto campaign = test::campaign_of();
  stored.database.put_campaign(campaign);
  test::add(stored.database, "a.out", test::log_of(1, 3));
  const Point foreign = stored.database.samples({"", {}}).at(0).point;
  const std::vector<Summary> rows{full_row(campaign.points[0].point, "gpt"),
                                  full_row(campaign.points[1].point, "gpt"), full_row(foreign, "")};
  RowFilter filter;
  filter.all_or_none = true;
  for (const auto& [gone, left] :
       std::vector<std::pair<std::string, std::size_t>>{{"false", 3},
                                                        {"sweep = ''", 2},
                                                        {"sweep = 'gpt'", 3},
                                                        {"sweep = 'gpt' AND place = 2", 3},
                                                        {"true", 2}}) {
    CAPTURE(gone);
    stored.put(rows);
    db::Connection(stored.folder / "t.db", false).run("DELETE FROM point_summaries WHERE " + gone);
    CHECK(stored.rows(filter).complete == (gone == "false"));
    CHECK(stored.rows().complete == (gone == "false"));
    CHECK(stored.rows().rows.size() == left);
  }
  CHECK(stored.rows({{"", {}}, {}, true}).complete == false);
}

TEST_CASE("a point of several campaigns is one row, as its newest campaign has it") {
  Stored stored;
  auto first = test::campaign_of(), second = test::campaign_of(2);
  first.peak_tflops = {{"bf16", 1}};
  second.points[0].infeasible = true;
  second.points[0].reason = "later";
  stored.database.put_campaign(first);
  stored.database.put_campaign(second);
  const auto rows = stored.rows().rows;
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].state == RunState::kInfeasible);
  CHECK(rows[0].reason == "later");
  CHECK(rows[0].peak_tflops == PeakTflops{{"bf16", 1}});  // the newer one does not know it
}

TEST_CASE("a plan's change forgets the rows of what was planned") {
  Stored stored;
  stored.database.put_campaign(test::campaign_of());
  Summary missing;
  missing.sweep = "gpt";
  missing.point = test::campaign_of().points[0].point;
  Summary infeasible = missing;
  infeasible.point = test::campaign_of().points[1].point;
  infeasible.state = RunState::kInfeasible;
  stored.put({missing, infeasible});
  CHECK(stored.rows().complete);
  stored.database.put_campaign(test::campaign_of());
  CHECK_FALSE(stored.rows().complete);
}

TEST_CASE("foreign rows have the axes that differ and those that are asked for, in their order") {
  Stored stored;
  std::vector<Summary> rows;
  for (const char* fusion : {"True", "False"}) {
    const std::string log =
        test::dump(test::argument("bias_gelu_fusion", fusion)) + test::row(1, 100);
    test::add(stored.database, std::string(fusion) + ".out", log);
    rows.push_back(full_row(scrape(log).at(0).point, ""));
  }
  stored.put({rows[1], rows[0]});
  auto found = stored.rows();
  CHECK(found.complete);
  REQUIRE(found.rows.size() == 2);
  check_measures(found.rows[0]);
  CHECK(axes_of(found.rows[0]) == std::vector<std::string>{"bias_gelu_fusion=False"});
  CHECK(axes_of(found.rows[1]) == std::vector<std::string>{"bias_gelu_fusion=True"});
  CHECK(found.rows[0].point.name != found.rows[1].point.name);
  found = stored.rows({{}, {"fp16"}});
  CHECK(axes_of(found.rows[0]).size() == 2);
}

TEST_CASE("notes of a point are those of its runs, of each the newest") {
  Stored stored;
  stored.database.put_campaign(test::campaign_of());
  for (const std::string name : {"r1", "r2", "r3"}) {
    auto run = test::run_of(name, "");
    run.place.position = name[1] - '0';
    stored.database.put_run(run);
  }
  const auto note = [&](const std::string& run, const std::string& text) {
    stored.database.put_note({stored.database.runs_named(run).at(0).id}, text);
  };
  note("r1", "old");
  note("r1", "slow");
  note("r2", "slow");
  note("r3", "gone");
  note("r3", "");
  const auto rows = stored.rows().rows;
  CHECK(rows.at(0).notes == std::vector<std::string>{"slow"});
  CHECK(rows.at(0).past_notes == std::vector<std::string>{"old", "slow", "slow", "gone", ""});
  const auto samples = stored.database.samples();
  const auto& runs = samples.at(0).runs;
  REQUIRE(runs.size() == 3);
  CHECK(runs[0].notes == std::vector<std::string>{"old", "slow"});
  CHECK(runs[2].notes == std::vector<std::string>{"gone", ""});
}

TEST_CASE("digests are stored by version and made where they are missing") {
  Stored stored;
  test::add(stored.database, "a.out", test::log_of(1, 4));
  int made = 0;
  const auto digester = [&](std::int64_t version) {
    return Digester{version, [&](const EachLine& each_line, const auto& warmup) {
                      ++made;
                      int lines = 0;
                      each_line([&](const Iteration&) { ++lines; });
                      CHECK(lines == 4);
                      CHECK_FALSE(warmup);
                      RunDigest digest;
                      digest.clean = {3, 1, 2, 3, 4, 5, 6, 7, 8, 9};
                      digest.all = {4, 11, 12, 13, 14, 15, 16, 17, 18, 19};
                      digest.flagged = digest.unsteady = true;
                      digest.gbs = 8;
                      return digest;
                    }};
  };
  for (int i = 0; i < 2; ++i) {
    const auto found = stored.database.digested_samples({}, digester(1));
    CHECK(found.trouble.empty());
    const RunDigest digest = found.points.at(0).runs.at(0).digest.value();
    const LineSummary &clean = digest.clean, &all = digest.all;
    CHECK(clean.lines == 3);
    CHECK(std::vector<double>{clean.mean_ms, clean.sd_ms, clean.min_ms, clean.p25_ms,
                              clean.median_ms, clean.p75_ms, clean.p95_ms, clean.p99_ms,
                              clean.max_ms} == std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9});
    CHECK(all.lines == 4);
    CHECK(std::vector<double>{all.mean_ms, all.sd_ms, all.min_ms, all.p25_ms, all.median_ms,
                              all.p75_ms, all.p95_ms, all.p99_ms, all.max_ms} ==
          std::vector<double>{11, 12, 13, 14, 15, 16, 17, 18, 19});
    CHECK(digest.flagged);
    CHECK_FALSE(digest.slowdown);
    CHECK(digest.unsteady);
    CHECK_FALSE(digest.batch_grew);
    CHECK(digest.gbs == 8);
    CHECK(made == 1);
  }
  stored.database.digested_samples({}, digester(2));
  CHECK(made == 2);
  // What is known does not hide what is not.
  test::add(stored.database, "b.out", test::log_of(1, 4, 0.5));
  CHECK(stored.database.digested_samples({}, digester(2)).points.at(0).runs.at(1).digest);
  CHECK(made == 3);
  CHECK_FALSE(stored.database.samples({}, 1).at(0).runs.at(0).digest);
  CHECK(stored.database.samples({}, 2).at(0).runs.at(0).digest);
}
