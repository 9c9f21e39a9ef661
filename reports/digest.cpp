// SPDX-License-Identifier: Apache-2.0
#include "reports/digest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/base/units.h"
#include "reports/statistics/sample.h"
#include "reports/statistics/warmup.h"

namespace pippin {

namespace {

/// Lines of a run, in their order.
struct Lines {
  std::vector<double> times_ms;
  std::vector<unsigned> flags;          ///< IterationFlag and kInWarmup
  std::vector<std::int64_t> intervals;  ///< iterations that they stand for

  void reserve(std::size_t lines) {
    times_ms.reserve(lines);
    flags.reserve(lines);
    intervals.reserve(lines);
  }
  void add(const Iteration& line, unsigned line_flags) {
    times_ms.push_back(line.step_time_ms);
    flags.push_back(line_flags);
    intervals.push_back(line.interval);
  }
};

constexpr unsigned kInWarmup =
    1u << 31;  // one of the first iterations that were asked to be left out

/// The batch of a line, where it can be one: lines may come from elsewhere.
std::optional<std::int64_t> batch_of(const Iteration& line) {
  return line.gbs && is_batch(*line.gbs) ? line.gbs : std::nullopt;
}

/// Whether a line is of another batch size than the last ones.
bool is_unlike(const Iteration& line, const RunDigest& digest) {
  return batch_of(line) && line.gbs != digest.gbs;
}

EachLine each_of(const std::vector<Iteration>& lines) {
  return [&lines](const auto& take) {
    for (const auto& line : lines) take(line);
  };
}

/// The lines that measure a step of the batch size that the run ended with.
Lines lines_of_last_batch(const EachLine& each_line, std::optional<std::int64_t> warmup,
                          RunDigest& digest) {
  std::optional<std::int64_t> steady_from;
  std::size_t count = 0;
  each_line([&](const Iteration& line) {
    ++count;
    if (const auto batch = batch_of(line)) digest.gbs = batch;  // a last line may be cut before it
    if (!steady_from) steady_from = line.number - line.interval + 1 + warmup.value_or(0);
  });
  Lines lines;
  lines.reserve(count);
  each_line([&](const Iteration& line) {
    const bool unlike = is_unlike(line, digest);
    digest.batch_grew = digest.batch_grew || unlike;
    if (line.step_time_ms <= 0 || unlike) return;
    const bool in_warmup = warmup && line.number - line.interval + 1 < *steady_from;
    lines.add(line, line.flags | (in_warmup ? kInWarmup : 0));
  });
  return lines;
}

/// Places in Lines.
using Places = std::vector<std::size_t>;

/// Without lines that cover one of the launch's first iterations, and flagged ones.
Places after_fixed_warmup(const Lines& lines) {
  Places places;
  places.reserve(lines.flags.size());
  for (std::size_t i = 0; i < lines.flags.size(); ++i) {
    if (lines.flags[i] == 0) places.push_back(i);
  }
  return places;
}

Places after_found_warmup(const Lines& all, RunDigest& digest) {
  std::vector<double> seconds;
  seconds.reserve(all.times_ms.size());
  for (std::size_t i = 0; i < all.flags.size(); ++i) {
    if ((all.flags[i] & ~kFirst) == 0) seconds.push_back(all.times_ms[i] / kMsPerSecond);
  }
  const Course course = course_of(seconds);
  digest.slowdown = course.kind == Course::Kind::kSlowdown && course.sure;
  digest.unsteady = course.kind == Course::Kind::kNoSteadyState && course.sure;
  Places places;
  places.reserve(seconds.size());
  std::size_t seen = 0;
  for (std::size_t i = 0; i < all.flags.size(); ++i) {
    if ((all.flags[i] & ~kFirst) != 0) continue;
    if (seen++ >= course.cut() && all.flags[i] == 0) places.push_back(i);
  }
  return places;
}

constexpr unsigned kMeanFlags = kIntervalMean | kMovingMean | kWholeRun;

LineTimes times_of(unsigned flags) {
  if ((flags & kWholeRun) != 0) return LineTimes::kWholeRuns;
  if ((flags & kMovingMean) != 0) return LineTimes::kMovingMeans;
  return (flags & kIntervalMean) != 0 ? LineTimes::kMeans : LineTimes::kSteps;
}

/// Lines that are clean but for being means.
Places clean_means(const Lines& lines) {
  Places places;
  for (std::size_t i = 0; i < lines.flags.size(); ++i) {
    if (lines.flags[i] != 0 && (lines.flags[i] & ~kMeanFlags) == 0) places.push_back(i);
  }
  return places;
}

std::vector<double> times_at(const Places& places, const Lines& lines) {
  std::vector<double> times;
  times.reserve(places.size());
  for (const std::size_t place : places) times.push_back(lines.times_ms[place]);
  return times;
}

/// ln of how much longer the second half takes; 0 of a single line.
double trend_of(const std::vector<double>& times) {
  if (times.size() < 2) return 0;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  return std::log(mean_of({middle, times.end()}) / mean_of({times.begin(), middle}));
}

LineSummary summary_of(std::vector<double> times) {
  LineSummary summary;
  if (times.empty()) return summary;
  const auto n = static_cast<double>(times.size());
  summary.lines = static_cast<std::int64_t>(times.size());
  summary.mean_ms = mean_of(times);
  if (times.size() > 1) summary.sd_ms = std::sqrt(squares_of(times) / (n - 1));
  constexpr std::array kShares{0.25, 0.5, 0.75, 0.95, 0.99};
  order_for_quantiles(times, kShares);
  summary.min_ms = times.front();
  summary.p25_ms = sorted_quantile(times, 0.25);
  summary.median_ms = sorted_quantile(times, 0.5);
  summary.p75_ms = sorted_quantile(times, 0.75);
  summary.p95_ms = sorted_quantile(times, 0.95);
  summary.p99_ms = sorted_quantile(times, 0.99);
  summary.max_ms = times.back();
  return summary;
}

void sum_up_means(const Lines& lines, const Places& places, RunDigest& digest) {
  double sum = 0, iterations = 0;
  for (const std::size_t i : places) {
    const auto weight = static_cast<double>(lines.intervals[i]);
    sum += weight * lines.times_ms[i];
    iterations += weight;
    digest.times = std::max(digest.times, times_of(lines.flags[i]));
  }
  digest.clean = summary_of(times_at(places, lines));
  digest.clean.sd_ms = 0;
  if (digest.clean.lines > 0) digest.clean.mean_ms = sum / iterations;
}

/// What of `all` is in the mean.
Places sum_up_clean(const Lines& all, std::optional<std::int64_t> warmup, RunDigest& digest) {
  Places places = warmup ? after_fixed_warmup(all) : after_found_warmup(all, digest);
  const std::vector<double> clean = times_at(places, all);
  digest.trend = trend_of(clean);
  digest.clean = summary_of(clean);
  if (!places.empty()) return places;
  places = clean_means(all);
  sum_up_means(all, places, digest);
  return places;
}

}  // namespace

RunDigest digest_of(const EachLine& each_line, std::optional<std::int64_t> warmup) {
  RunDigest digest;
  const Lines all = lines_of_last_batch(each_line, warmup, digest);
  digest.all = summary_of(all.times_ms);
  digest.flagged = std::any_of(all.flags.begin(), all.flags.end(),
                               [](unsigned flags) { return (flags & ~kInWarmup) != 0; });
  if (!all.times_ms.empty()) sum_up_clean(all, warmup, digest);
  return digest;
}

std::vector<LeftOut> left_out_of(const std::vector<Iteration>& lines,
                                 std::optional<std::int64_t> warmup) {
  RunDigest digest;
  const Lines all = lines_of_last_batch(each_of(lines), warmup, digest);
  std::vector<LeftOut> left_out(lines.size(), LeftOut::kNoTime);
  Places at;  // of those in `all`
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].step_time_ms <= 0) continue;
    if (is_unlike(lines[i], digest)) {
      left_out[i] = LeftOut::kOtherBatch;
      continue;
    }
    left_out[i] = lines[i].flags != 0 ? LeftOut::kFlagged : LeftOut::kWarmup;
    at.push_back(i);
  }
  if (at.empty()) return left_out;
  for (const std::size_t place : sum_up_clean(all, warmup, digest))
    left_out[at[place]] = LeftOut::kNo;
  return left_out;
}

RunDigest digest_of(const std::vector<Iteration>& lines, std::optional<std::int64_t> warmup) {
  return digest_of(each_of(lines), warmup);
}

}  // namespace pippin
