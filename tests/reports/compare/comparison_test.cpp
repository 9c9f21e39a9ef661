// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/comparison.h"

#include <cmath>
#include <set>
#include <sstream>

#include "core/base/error.h"
#include "reports/digest.h"
#include "tests/reports/samples.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

/// A point of one allocation for each mean, in ms; 20 steady lines each.
PointSamples measured(std::int64_t mbs, const std::vector<double>& means_ms,
                      const std::string& day = "2026-11-19", const std::string& job = "a") {
  PointSamples samples;
  samples.sweep = "gpt";
  samples.point = test::point_52b(mbs, 8);
  for (std::size_t i = 0; i < means_ms.size(); ++i) {
    std::vector<double> times;
    for (int line = 0; line < 20; ++line)
      times.push_back(means_ms[i] + (line % 2 == 0 ? 0.01 : -0.01));
    RunSamples run = test::run_of(job + std::to_string(i), times);
    run.day = day;
    run.digest = digest_of(run.iterations, {});
    samples.runs.push_back(run);
  }
  return samples;
}

Comparison compared(std::vector<PointSamples> base, std::vector<PointSamples> other) {
  return compare({"gpt/1", std::move(base)}, {"gpt/2", std::move(other)}, {});
}

std::string verdict(const ComparedRow& row) { return text_of(row.verdict); }

using Write = void (*)(const ComparisonTable&, std::ostream&);
std::string written(Write write, const Comparison& comparison, std::size_t width = 0) {
  std::ostringstream out;
  write({comparison, width}, out);
  return out.str();
}

const std::vector<double> kSteady{1000, 1010, 990, 1005, 995};

std::vector<double> times(std::vector<double> means, double factor) {
  for (double& mean : means) mean *= factor;
  return means;
}

}  // namespace

TEST_CASE("a side against itself finds nothing") {
  const auto same = compared({measured(1, kSteady)}, {measured(1, kSteady)});
  REQUIRE(same.rows.size() == 1);
  CHECK(same.rows[0].paired);
  CHECK(same.rows[0].estimate == 0);
  CHECK(verdict(same.rows[0]) == "equivalent");
  CHECK(same.rows[0].p == 1);
}

TEST_CASE("the one configuration that became slower is found") {
  std::vector<PointSamples> base, other;
  for (std::int64_t mbs = 1; mbs <= 4; ++mbs) {
    base.push_back(measured(mbs, kSteady));
    other.push_back(measured(mbs, times(kSteady, mbs == 3 ? 1.1 : 1), "2026-11-20", "b"));
  }
  const auto found = compared(base, other);
  REQUIRE(found.rows.size() == 4);
  CHECK(verdict(found.rows[2]) == "slower");
  CHECK(std::exp(found.rows[2].estimate) == Approx(1.1).epsilon(1e-4));
  for (const std::size_t i : {0u, 1u, 3u}) CHECK(verdict(found.rows[i]) == "equivalent");
  CHECK(found.common);
  CHECK(found.common->rows == 3);
  CHECK(std::string(text_of(found.common->verdict)) == "equivalent");
}

TEST_CASE("a shift of all rows stands apart, and the rows beside it") {
  std::vector<PointSamples> base, other;
  for (std::int64_t mbs = 1; mbs <= 5; ++mbs) {
    base.push_back(measured(mbs, kSteady));
    other.push_back(measured(mbs, times(kSteady, mbs == 2 ? 1.2 : 1.3), "2026-11-20", "b"));
  }
  const auto found = compared(base, other);
  REQUIRE(found.common);
  CHECK(std::exp(found.common->difference.estimate) == Approx(1.3).epsilon(1e-3));
  CHECK(std::string(text_of(found.common->verdict)) == "slower");
  CHECK(verdict(found.rows[1]) == "faster");
  CHECK(std::exp(found.rows[1].estimate) == Approx(1.2 / 1.3).epsilon(1e-3));
}

TEST_CASE("half of the rows slower makes none of the others faster") {
  std::vector<PointSamples> base, other;
  for (std::int64_t mbs = 1; mbs <= 6; ++mbs) {
    base.push_back(measured(mbs, kSteady));
    other.push_back(measured(mbs, times(kSteady, mbs % 2 == 0 ? 2 : 1), "2026-11-20", "b"));
  }
  const auto found = compared(base, other);
  CHECK_FALSE(found.common);
  for (std::size_t i = 0; i < 6; ++i)
    CHECK(verdict(found.rows[i]) == (i % 2 == 1 ? "slower" : "equivalent"));
}

TEST_CASE("an open row says what could be found, and what would decide it") {
  const std::vector<double> noisy{1000, 1100, 900, 1050, 950};
  const auto found =
      compared({measured(1, noisy)}, {measured(1, times(noisy, 1.05), "2026-11-20", "b")});
  const ComparedRow& row = found.rows.at(0);
  CHECK(verdict(row) == "undetermined");
  REQUIRE(row.minimum_detectable);
  CHECK(*row.minimum_detectable > 1.1);
  REQUIRE(row.more_allocations);
  CHECK(*row.more_allocations > 5);
  CHECK(row.unit == "allocation");
  CHECK_FALSE(row.paired);
}

TEST_CASE("one allocation of a side has a ratio, no interval and a reason") {
  const auto found = compared({measured(1, {1000})}, {measured(1, {1100, 1101}, "x", "b")});
  const ComparedRow& row = found.rows.at(0);
  CHECK_FALSE(row.difference);
  CHECK(std::exp(row.estimate) == Approx(1.1005).epsilon(1e-4));
  CHECK(verdict(row) == "undetermined");
  CHECK_FALSE(row.more_allocations);
  CHECK(row.remarks.at(0) == "one allocation of gpt/1: no interval");
}

TEST_CASE("from three days a side on, days are what was repeated") {
  PointSamples base = measured(1, kSteady, "2026-11-01"),
               other = measured(1, kSteady, "2026-11-11");
  for (std::size_t i = 0; i < 5; ++i) {
    base.runs[i].allocation += "/before";
    base.runs[i].day = "2026-11-0" + std::to_string(i / 2 + 1);
    other.runs[i].day = "2026-11-1" + std::to_string(i / 2 + 1);
  }
  const auto found = compared({base}, {other});
  CHECK(found.rows.at(0).unit == "day");
  CHECK(found.rows[0].difference->df < 5);
  CHECK(found.rows[0].remarks.empty());
  for (const std::size_t i : {2u, 3u}) base.runs[i].digest->clean.mean_ms *= 1.3;
  const auto open = compared({base}, {other}).rows.at(0);
  REQUIRE(open.more_allocations);
  // Of days there are three a side, and 5 allocations would be taken for more than is known.
  CHECK(*open.more_allocations ==
        *MoreAllocations(Judgement{}).of(*open.difference, {3, 3, false}, 0.05));
  base.runs[4].day = base.runs[0].day;  // two days
  CHECK(compared({base}, {other}).rows.at(0).unit == "allocation");
  CHECK(compared({base}, {other}).rows.at(0).remarks.at(0) == "these days only");
}

TEST_CASE("runs that failed do not count, and are told of") {
  PointSamples base = measured(1, kSteady), other = measured(1, kSteady, "2026-11-20", "b");
  other.runs[0].state = RunState::kOom;
  other.runs[0].evidence = "CUDA out of memory";
  const auto found = compared({base}, {other});
  CHECK(found.rows.at(0).other.allocations == 4);
  CHECK(found.rows[0].remarks.back() ==
        "1 of 5 runs of gpt/2 do not count (oom: CUDA out of memory)");
  for (auto& run : other.runs) run.state = RunState::kTimeout;
  const auto gone = compared({base}, {other});
  CHECK(gone.rows.empty());
  REQUIRE(gone.only_base.size() == 1);
  CHECK(gone.only_base[0].reason == "gpt/2: timeout: CUDA out of memory");
}

TEST_CASE("what neither side measured is told with both reasons") {
  const auto failed = [](std::int64_t dp, const std::string& day, RunState state) {
    PointSamples samples = measured(dp, kSteady, day, "b");
    for (auto& run : samples.runs) run.state = state;
    return samples;
  };
  const auto found = compared({failed(1, "2026-11-19", RunState::kOom), measured(2, kSteady),
                               failed(4, "2026-11-19", RunState::kFailed)},
                              {failed(1, "2026-11-20", RunState::kTimeout), measured(2, kSteady),
                               failed(8, "2026-11-20", RunState::kFailed)});
  CHECK(found.rows.size() == 1);
  CHECK(found.only_base.empty());
  CHECK(found.only_other.empty());
  REQUIRE(found.on_neither.size() == 3);
  CHECK(found.on_neither[0].point == measured(1, kSteady).point.name);
  CHECK(found.on_neither[0].reason == "gpt/1: oom; gpt/2: timeout");
  CHECK(found.on_neither[1].reason == "gpt/2: failed");
  CHECK(found.on_neither[2].reason == "gpt/1: failed");
  CHECK_THAT(comparison_remarks(found).back(), Catch::StartsWith("measured on neither side: "));
}

TEST_CASE("what one side alone has is listed") {
  const auto found = compared({measured(1, kSteady), measured(2, kSteady)},
                              {measured(2, kSteady), measured(4, kSteady)});
  CHECK(found.rows.size() == 1);
  REQUIRE(found.only_base.size() == 1);
  CHECK(found.only_base[0].point == measured(1, kSteady).point.name);
  REQUIRE(found.only_other.size() == 1);
  CHECK(found.only_other[0].point == measured(4, kSteady).point.name);
  CHECK(compared({}, {}).rows.empty());
}

TEST_CASE("a configuration that was edited is found by its name, and said to be another") {
  PointSamples base = measured(1, kSteady), other = measured(1, kSteady);
  other.point.trainer = "python train.py --new";
  other.point.id = point_id(other.point);
  PointSamples more = measured(2, kSteady);
  const auto found = compared({base, more}, {other, more});
  REQUIRE(found.rows.size() == 2);
  CHECK(found.rows[0].remarks.back() == "matched by name: command differs");
}

TEST_CASE("two points are compared whatever they are, by sequences and GPUs") {
  const auto found = compared({measured(1, kSteady)}, {measured(2, times(kSteady, 2))});
  REQUIRE(found.rows.size() == 1);
  CHECK(found.rows[0].estimate == Approx(0).margin(1e-6));
  CHECK(found.rows[0].remarks.back() ==
        "the ratio is of GPU time a sequence, as their steps do unlike work");
  CHECK_THAT(comparison_remarks(found).front(),
             Catch::Contains("ratio: GPU time a sequence of gpt/2 by that of gpt/1"));
}

TEST_CASE("every format says the verdict, and CSV and JSON what it rests on") {
  std::vector<PointSamples> base, other;
  for (std::int64_t mbs = 1; mbs <= 4; ++mbs) {
    base.push_back(measured(mbs, kSteady));
    other.push_back(measured(mbs, times(kSteady, mbs == 3 ? 1.1 : 1), "2026-11-20", "b"));
  }
  base.push_back(measured(8, kSteady));
  const auto found = compared(base, other);
  const std::string terminal = written(write_comparison_terminal, found);
  UNSCOPED_INFO(terminal);
  CHECK(terminal.find("1.100×  1.100 – 1.100  slower") != std::string::npos);
  CHECK(terminal.find("common to 3 of 4 rows: 1.000× (0.989 – 1.012), equivalent") !=
        std::string::npos);
  CHECK(terminal.find("\nthese days only\n") != std::string::npos);
  CHECK(terminal.find("only in gpt/1: 52b-tp4-pp16-dp1-mbs8-gas8\n") != std::string::npos);
  CHECK(written(write_comparison_markdown, found).find("| slower ") != std::string::npos);
  const std::string csv = written(write_comparison_csv, found);
  CHECK(csv.find("point,point_id,base_step_time_s") == 0);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 5);
  const std::string json = written(write_comparison_json, found);
  CHECK(json.find("\"verdict\": \"slower\"") != std::string::npos);
  CHECK(json.find("\"only_base\": [\n  \"52b-tp4-pp16-dp1-mbs8-gas8\"\n ]") != std::string::npos);
  CHECK(written(write_comparison_terminal, compared({}, {})) ==
        "no point was measured on both sides\n\n");
}

TEST_CASE("a format that is not there is named with its nearest") {
  CHECK_THROWS_WITH(
      comparison_format_named("jsn"),
      "unknown format 'jsn', did you mean 'json'? (known: terminal, markdown, csv, json, html)");
}
