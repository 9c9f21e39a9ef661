#include "reports/digest.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/units.h"
#include "reports/statistics/sample.h"
#include "reports/statistics/warmup.h"

namespace pippin {

namespace {

using Lines = std::vector<const Iteration*>;

/// The lines that measure a step of the batch size that the run ended with.
Lines lines_of_last_batch(const std::vector<Iteration>& all, RunDigest& digest) {
  for (const auto& line : all) {
    if (line.gbs) digest.gbs = line.gbs;  // a last line may be cut before it
  }
  Lines lines;
  for (const auto& line : all) {
    const bool unlike = line.gbs && line.gbs != digest.gbs;
    digest.batch_grew = digest.batch_grew || unlike;
    if (line.step_time_ms > 0 && !unlike) lines.push_back(&line);
  }
  return lines;
}

std::vector<double> times_of(const Lines& lines) {
  std::vector<double> times;
  times.reserve(lines.size());
  for (const Iteration* line : lines) times.push_back(line->step_time_ms);
  return times;
}

template <typename Condition>
void erase_where(Lines& lines, Condition condition) {
  lines.erase(std::remove_if(lines.begin(), lines.end(), condition), lines.end());
}

/// Without lines that cover one of the launch's first `warmup` iterations, and flagged ones.
Lines after_fixed_warmup(Lines lines, const Iteration& first, std::int64_t warmup) {
  const std::int64_t steady_from = first.number - first.interval + 1 + warmup;
  erase_where(lines, [&](const Iteration* line) {
    return line->number - line->interval + 1 < steady_from || line->flags != 0;
  });
  return lines;
}

Lines after_found_warmup(Lines lines, RunDigest& digest) {
  erase_where(lines, [](const Iteration* line) { return (line->flags & ~kFirst) != 0; });
  std::vector<double> seconds = times_of(lines);
  for (double& time : seconds) time /= kMsPerSecond;
  const Course course = course_of(seconds);
  digest.slowdown = course.kind == Course::Kind::kSlowdown && course.sure;
  digest.unsteady = course.kind == Course::Kind::kNoSteadyState && course.sure;
  lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(course.cut()));
  erase_where(lines, [](const Iteration* line) { return line->flags != 0; });
  return lines;
}

/// ln of how much longer the second half takes; 0 of a single line.
double trend_of(const Lines& lines) {
  if (lines.size() < 2) return 0;
  const std::vector<double> times = times_of(lines);
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  return std::log(mean_of({middle, times.end()}) / mean_of({times.begin(), middle}));
}

LineSummary summary_of(const Lines& lines) {
  LineSummary summary;
  if (lines.empty()) return summary;
  std::vector<double> times = times_of(lines);
  const auto n = static_cast<double>(times.size());
  summary.lines = static_cast<std::int64_t>(times.size());
  summary.mean_ms = mean_of(times);
  if (times.size() > 1) summary.sd_ms = std::sqrt(squares_of(times) / (n - 1));
  std::sort(times.begin(), times.end());
  summary.min_ms = times.front();
  summary.p25_ms = sorted_quantile(times, 0.25);
  summary.median_ms = sorted_quantile(times, 0.5);
  summary.p75_ms = sorted_quantile(times, 0.75);
  summary.p95_ms = sorted_quantile(times, 0.95);
  summary.p99_ms = sorted_quantile(times, 0.99);
  summary.max_ms = times.back();
  return summary;
}

}  // namespace

RunDigest digest_of(const std::vector<Iteration>& lines, std::optional<std::int64_t> warmup) {
  RunDigest digest;
  const Lines all = lines_of_last_batch(lines, digest);
  digest.all = summary_of(all);
  digest.flagged =
      std::any_of(all.begin(), all.end(), [](const auto* line) { return line->flags != 0; });
  if (all.empty()) return digest;
  const Lines clean =
      warmup ? after_fixed_warmup(all, lines.front(), *warmup) : after_found_warmup(all, digest);
  digest.clean = summary_of(clean);
  digest.trend = trend_of(clean);
  return digest;
}

}  // namespace pippin
