// SPDX-License-Identifier: Apache-2.0
#include "reports/digest.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "reports/summarize.h"
#include "tests/reports/samples.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

/// Times about 1 s with 10 % noise, the first flagged.
std::vector<Iteration> random_lines(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(1000, 100);
  std::vector<double> times;
  for (std::size_t i = 0; i < count; ++i) times.push_back(std::max(1.0, noise(random)));
  return test::lines_of(times);
}

/// Type 7, written down anew.
double quantile(const std::vector<double>& sorted, double p) {
  const double at = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(at));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - std::floor(at)) * (sorted[above] - sorted[below]);
}

void check_plainly(const LineSummary& summary, std::vector<double> times) {
  REQUIRE(summary.lines == static_cast<std::int64_t>(times.size()));
  double sum = 0, squares = 0;
  for (const double time : times) sum += time;
  const auto n = static_cast<double>(times.size());
  for (const double time : times) squares += (time - sum / n) * (time - sum / n);
  std::sort(times.begin(), times.end());
  CHECK(summary.mean_ms == Approx(sum / n));
  CHECK(summary.sd_ms == Approx(times.size() > 1 ? std::sqrt(squares / (n - 1)) : 0));
  CHECK(summary.min_ms == times.front());
  CHECK(summary.p25_ms == Approx(quantile(times, 0.25)));
  CHECK(summary.median_ms == Approx(quantile(times, 0.5)));
  CHECK(summary.p75_ms == Approx(quantile(times, 0.75)));
  CHECK(summary.p95_ms == Approx(quantile(times, 0.95)));
  CHECK(summary.p99_ms == Approx(quantile(times, 0.99)));
  CHECK(summary.max_ms == times.back());
}

std::vector<double> times_from(const std::vector<Iteration>& lines, std::size_t begin) {
  std::vector<double> times;
  for (std::size_t i = begin; i < lines.size(); ++i) times.push_back(lines[i].step_time_ms);
  return times;
}

void check_equal(const Interval& a, const Interval& b) {
  CHECK(a.mean == b.mean);
  CHECK(a.low == b.low);
  CHECK(a.high == b.high);
  CHECK(a.sd == b.sd);
  CHECK(a.unit == b.unit);
  CHECK(a.remark == b.remark);
}

void check_equal(const Summary& a, const Summary& b) {
  CHECK(a.state == b.state);
  CHECK(a.allocations == b.allocations);
  CHECK(a.runs == b.runs);
  CHECK(a.iterations == b.iterations);
  CHECK(a.clean == b.clean);
  CHECK(a.slowdowns == b.slowdowns);
  CHECK(a.unsteady == b.unsteady);
  CHECK(a.unit_means_s == b.unit_means_s);
  CHECK(a.point.layout == b.point.layout);
  CHECK(a.tflops == b.tflops);
  CHECK(a.remarks == b.remarks);
  REQUIRE(a.step_time_s.has_value() == b.step_time_s.has_value());
  if (!a.step_time_s) return;
  check_equal(*a.step_time_s, *b.step_time_s);
  CHECK(a.lines_s->min == b.lines_s->min);
  CHECK(a.lines_s->p25 == b.lines_s->p25);
  CHECK(a.lines_s->p75 == b.lines_s->p75);
  CHECK(a.lines_s->max == b.lines_s->max);
}

}  // namespace

TEST_CASE("a digest is what a plain computation gives") {
  for (const std::size_t count : {1u, 2u, 3u, 19u, 20u, 101u, 3000u}) {
    CAPTURE(count);
    const auto lines = random_lines(count, static_cast<unsigned>(count));
    const RunDigest digest = digest_of(lines, 1);
    check_plainly(digest.all, times_from(lines, 0));
    CHECK(digest.flagged);
    if (count > 1) {
      check_plainly(digest.clean, times_from(lines, 1));
    } else {
      CHECK(digest.clean.lines == 0);
    }
  }
}

TEST_CASE("a run without lines has an empty digest") {
  const RunDigest digest = digest_of(std::vector<Iteration>(), {});
  CHECK(digest.all.lines == 0);
  CHECK(digest.clean.lines == 0);
  CHECK_FALSE(digest.flagged);
  CHECK_FALSE(digest.gbs);
  CHECK_FALSE(digest.batch_grew);
  CHECK(digest_of(test::lines_of({0, 0}), {}).all.lines == 0);
}

TEST_CASE("rows are the same from iterations and from digests alone") {
  std::vector<PointSamples> points = test::sweep_samples();
  for (auto& samples : test::foreign_samples()) points.push_back(std::move(samples));
  PointSamples noisy;
  noisy.point = test::point_52b(4, 128);
  for (unsigned i = 0; i < 6; ++i) {
    noisy.runs.push_back(test::run_of("a" + std::to_string(i / 2), {1}));
    noisy.runs.back().iterations = random_lines(30 + 17 * i, i);
    noisy.runs.back().iterations[i].flags |= kAfterSave;
  }
  points.push_back(noisy);
  points.back().warmup = 5;
  points.push_back(noisy);
  for (const Rows by : {Rows::kPoint, Rows::kDay, Rows::kAllocation, Rows::kRun}) {
    for (const Samples which : {Samples::kClean, Samples::kAll}) {
      auto digested = points;
      for (auto& point : digested) {
        for (auto& run : point.runs) {
          run.digest = digest_of(run.iterations, point.warmup);
          run.iterations.clear();
        }
      }
      const auto rows = test::summarize(points, {which, by});
      const auto same = test::summarize(digested, {which, by});
      REQUIRE(rows.size() == same.size());
      for (std::size_t i = 0; i < rows.size(); ++i) check_equal(rows[i], same[i]);
    }
  }
}

TEST_CASE("where the batch size grows only lines of the last one count") {
  auto lines = test::lines_of({900, 200, 500, 1000, 1020});
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].gbs = i < 3 ? 256 : 512;
  const RunDigest digest = digest_of(lines, {});
  CHECK(digest.gbs == 512);
  CHECK(digest.batch_grew);
  check_plainly(digest.all, {1000, 1020});
  check_plainly(digest.clean, {1000, 1020});
  CHECK_FALSE(digest.flagged);
}

TEST_CASE("a last line that was cut before its batch size is one of the last batch") {
  auto lines = test::lines_of({900, 1000, 1020, 1040});
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) lines[i].gbs = 512;
  const RunDigest digest = digest_of(lines, 1);
  CHECK(digest.gbs == 512);
  CHECK_FALSE(digest.batch_grew);
  check_plainly(digest.clean, {1000, 1020, 1040});
  PointSamples samples;
  samples.runs = {test::run_of("a", {1})};
  samples.runs[0].iterations = lines;
  const Summary row = test::summarize({samples}, {}).at(0);
  CHECK(row.iterations == 3);
  CHECK(row.point.layout.gbs == 512);
  CHECK(row.remarks.empty());
}

TEST_CASE("a fixed warm-up counts from the launch's first iteration also by interval means") {
  auto lines = test::lines_of({9000, 2000, 1000, 1100});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i].number = 5000 + 10 * static_cast<std::int64_t>(i + 1);
    lines[i].interval = 10;
    lines[i].flags = 0;
  }
  check_plainly(digest_of(lines, 0).clean, {9000, 2000, 1000, 1100});
  check_plainly(digest_of(lines, 10).clean, {2000, 1000, 1100});
  check_plainly(digest_of(lines, 11).clean, {1000, 1100});  // a line that covers some of it goes
  CHECK(digest_of(lines, 1000).clean.lines == 0);
  CHECK(digest_of(lines, 1000).all.lines == 4);
}

TEST_CASE("a warm-up is found and a slowdown is told") {
  std::vector<double> times(40, 1000);
  for (std::size_t i = 0; i < 8; ++i) times[i] = 1500;
  const RunDigest warm = digest_of(test::lines_of(times), {});
  CHECK(warm.clean.lines == 32);
  CHECK(warm.clean.mean_ms == 1000);
  CHECK_FALSE(warm.slowdown);
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = i < 20 ? 1000 : 1200;
  const RunDigest slow = digest_of(test::lines_of(times), {});
  CHECK(slow.clean.lines == 39);
  CHECK(slow.slowdown);
  // A fixed warm-up asks for no course.
  CHECK_FALSE(digest_of(test::lines_of(times), 1).slowdown);
}

TEST_CASE("as many lines are said to be in the mean as the digest counts, whatever they are") {
  std::mt19937 random(7);
  for (unsigned seed = 0; seed < 200; ++seed) {
    auto lines = random_lines(random() % 60, seed);
    for (auto& line : lines) {
      if (random() % 4 == 0) line.flags |= 1u << (random() % 8);
      if (random() % 20 == 0) line.step_time_ms = 0;
      if (seed % 3 == 0) line.gbs = line.number < 10 ? 16 : 32;
    }
    const std::optional<std::int64_t> warmup =
        seed % 2 == 0 ? std::optional<std::int64_t>(random() % 5) : std::nullopt;
    const RunDigest digest = digest_of(lines, warmup);
    const auto left_out = left_out_of(lines, warmup);
    REQUIRE(left_out.size() == lines.size());
    std::vector<double> kept;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (left_out[i] == LeftOut::kNo) kept.push_back(lines[i].step_time_ms);
      CHECK((left_out[i] == LeftOut::kNoTime) == (lines[i].step_time_ms <= 0));
      if (left_out[i] == LeftOut::kFlagged) CHECK(lines[i].flags != 0);
      if (left_out[i] == LeftOut::kWarmup) CHECK(lines[i].flags == 0);
    }
    CAPTURE(seed);
    REQUIRE(static_cast<std::int64_t>(kept.size()) == digest.clean.lines);
    if (kept.empty()) continue;
    CHECK(*std::min_element(kept.begin(), kept.end()) == digest.clean.min_ms);
    CHECK(*std::max_element(kept.begin(), kept.end()) == digest.clean.max_ms);
  }
}
