#include "reports/summarize.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

#include "harness/base/units.h"
#include "reports/statistics/interval.h"
#include "reports/statistics/warmup.h"
#include "sweeps/estimate/flops.h"

namespace pippin {

namespace {

/// What one point's mean is made of.
struct Sample {
  std::vector<RunMoments> runs;  ///< in seconds
  bool clean = true;
  std::int64_t slowdowns = 0, unsteady = 0;  ///< runs of such a course
  std::size_t left_out = 0;                  ///< runs whose lines are all unclean
};

Count gbs_of(const Iteration& line, const Point& point) {
  return line.gbs ? line.gbs : point.layout.gbs;
}

/// The batch size that the point's lines ended with; `mixed` where they had others before.
struct FinalBatch {
  Count gbs;
  bool mixed = false;
};

FinalBatch final_batch(const PointSamples& samples) {
  FinalBatch result{samples.point.layout.gbs};
  std::set<std::int64_t> seen;
  Count last;
  for (const auto& run : samples.runs) {
    for (const auto& line : run.iterations) {
      if (const Count gbs = gbs_of(line, samples.point)) seen.insert(*gbs);
    }
    if (run.iterations.empty()) continue;
    last = std::max(last, gbs_of(run.iterations.back(), samples.point));
  }
  if (last) result.gbs = last;
  result.mixed = seen.size() > 1;
  return result;
}

/// The lines of a run that measure a step of the final batch size.
std::vector<const Iteration*> lines_of(const RunSamples& run, const Point& point,
                                       const FinalBatch& batch) {
  std::vector<const Iteration*> lines;
  for (const auto& line : run.iterations) {
    const Count gbs = gbs_of(line, point);
    const bool unlike = batch.mixed && gbs && gbs != batch.gbs;
    if (line.step_time_ms > 0 && !unlike) lines.push_back(&line);
  }
  return lines;
}

std::vector<double> seconds_of(const std::vector<const Iteration*>& lines) {
  std::vector<double> seconds;
  seconds.reserve(lines.size());
  for (const Iteration* line : lines) seconds.push_back(line->step_time_ms / kMsPerSecond);
  return seconds;
}

/// Without lines that cover one of the run's first `warmup` iterations, and without flagged ones.
std::vector<const Iteration*> after_fixed_warmup(const std::vector<const Iteration*>& lines,
                                                 const RunSamples& run, std::int64_t warmup) {
  const Iteration& first = run.iterations.front();
  const std::int64_t steady_from = first.number - first.interval + 1 + warmup;
  std::vector<const Iteration*> kept;
  for (const Iteration* line : lines) {
    const bool warm = line->number - line->interval + 1 >= steady_from;
    if (warm && line->flags == 0) kept.push_back(line);
  }
  return kept;
}

/// Without flagged lines and what comes before the steady part. The search sees the first
/// iteration, which no mean holds.
std::vector<const Iteration*> after_found_warmup(std::vector<const Iteration*> lines,
                                                 Sample& sample) {
  const auto flagged = [](const Iteration* line) { return (line->flags & ~kFirst) != 0; };
  lines.erase(std::remove_if(lines.begin(), lines.end(), flagged), lines.end());
  const Course course = course_of(seconds_of(lines));
  sample.slowdowns += course.kind == Course::Kind::kSlowdown;
  sample.unsteady += course.kind == Course::Kind::kNoSteadyState;
  lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(course.cut()));
  const auto first = [](const Iteration* line) { return line->flags != 0; };
  lines.erase(std::remove_if(lines.begin(), lines.end(), first), lines.end());
  return lines;
}

void add_run(Sample& sample, const RunSamples& run, const std::vector<const Iteration*>& lines) {
  if (lines.empty()) return;
  sample.runs.push_back(moments_of(run.day, run.allocation, seconds_of(lines)));
  sample.clean = sample.clean && std::all_of(lines.begin(), lines.end(),
                                             [](const auto* line) { return line->flags == 0; });
}

Sample clean_sample(const PointSamples& samples, const FinalBatch& batch) {
  Sample result;
  for (const auto& run : samples.runs) {
    auto lines = lines_of(run, samples.point, batch);
    if (lines.empty()) continue;
    lines = samples.warmup ? after_fixed_warmup(lines, run, *samples.warmup)
                           : after_found_warmup(std::move(lines), result);
    result.left_out += lines.empty();
    add_run(result, run, lines);
  }
  return result;
}

Sample whole_sample(const PointSamples& samples, const FinalBatch& batch) {
  Sample result;
  for (const auto& run : samples.runs) {
    add_run(result, run, lines_of(run, samples.point, batch));
  }
  return result;
}

RunState state_of(const PointSamples& samples) {
  constexpr std::array kOrder{RunState::kOk,        RunState::kOom,       RunState::kFailed,
                              RunState::kTimeout,   RunState::kCancelled, RunState::kMissing,
                              RunState::kInfeasible};
  for (RunState state : kOrder) {
    for (const auto& run : samples.runs) {
      if (run.state == state) return state;
    }
  }
  return samples.planned;
}

std::optional<double> memory_gib(const PointSamples& samples) {
  std::optional<double> largest;
  for (const auto& run : samples.runs) largest = std::max(largest, run.memory_mib);
  if (largest) *largest /= kMibPerGib;
  return largest;
}

/// Whether the forward pass was recomputed; nothing where the runs disagree.
std::optional<bool> recomputed(const PointSamples& samples) {
  std::set<bool> answers;
  for (const auto& run : samples.runs) {
    if (!run.iterations.empty()) answers.insert(run.recompute == "full");
  }
  if (answers.size() != 1) return std::nullopt;
  return *answers.begin();
}

void add_rates(Summary& row, std::optional<bool> recompute) {
  const Count &gbs = row.point.layout.gbs, &gpus = row.point.layout.gpus;
  const double seconds = row.step_time_s->mean;
  if (gbs) row.samples_per_s = static_cast<double>(*gbs) / seconds;
  if (!gbs || !gpus || !recompute) return;
  const auto flops = iteration_flops(FlopsFormula::kParams, row.point.model, *gbs, *recompute);
  if (!flops) return;
  row.tflops = tflops_per_gpu(*flops, seconds, *gpus);
  row.flops_formula = text_of(FlopsFormula::kParams);
}

/// "oom in 1 of 3 runs", for each state that is not the row's own.
void remark_other_ends(Summary& row, const std::vector<RunSamples>& runs) {
  for (int i = 0; i <= static_cast<int>(RunState::kMissing); ++i) {
    const auto state = static_cast<RunState>(i);
    const auto count = std::count_if(runs.begin(), runs.end(),
                                     [&](const auto& run) { return run.state == state; });
    if (count == 0 || state == row.state) continue;
    row.remarks.push_back(fmt::format("{} in {} of {} runs", text_of(state), count, runs.size()));
  }
}

void add_counts(Summary& row, const std::vector<RunMoments>& runs) {
  const Nesting nesting = nest(runs);
  row.allocations = static_cast<std::int64_t>(nesting.allocations());
  row.runs = static_cast<std::int64_t>(nesting.runs.size());
  row.iterations = static_cast<std::int64_t>(nesting.iterations());
}

void add_means(Summary& row, const PointSamples& samples, Samples which) {
  const FinalBatch batch = final_batch(samples);
  Sample sample = which == Samples::kClean ? clean_sample(samples, batch) : Sample{};
  if (sample.runs.empty()) sample = whole_sample(samples, batch);
  if (sample.runs.empty()) return;
  row.point.layout.gbs = batch.gbs;
  if (batch.mixed) {
    row.remarks.push_back(
        fmt::format("the batch size changed: only lines of GBS {} are in the mean", *batch.gbs));
  }
  row.clean = sample.clean;
  row.step_time_s = interval_of(sample.runs);
  add_counts(row, sample.runs);
  row.slowdowns = sample.slowdowns;
  row.unsteady = sample.unsteady;
  if (sample.left_out > 0) {
    row.remarks.push_back(fmt::format("no clean line in {} of {} runs, which the mean leaves out",
                                      sample.left_out, sample.left_out + sample.runs.size()));
  }
  const auto recompute = recomputed(samples);
  if (!recompute) row.remarks.push_back("runs with and without recomputation: no TFLOPS");
  add_rates(row, recompute);
}

Summary summarize_point(const PointSamples& samples, Samples which) {
  Summary row;
  row.sweep = samples.sweep;
  row.point = samples.point;
  row.state = state_of(samples);
  row.reason = samples.reason;
  row.memory_gib = memory_gib(samples);
  add_means(row, samples, which);
  remark_other_ends(row, samples.runs);
  return row;
}

}  // namespace

std::vector<Summary> summarize(const std::vector<PointSamples>& points, Samples samples) {
  std::vector<Summary> rows;
  rows.reserve(points.size());
  for (const auto& point : points) rows.push_back(summarize_point(point, samples));
  return rows;
}

}  // namespace pippin
