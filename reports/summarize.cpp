#include "reports/summarize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "core/base/text.h"
#include "core/base/units.h"
#include "reports/digest.h"
#include "reports/statistics/interval.h"
#include "reports/values.h"

namespace pippin {

namespace {

/// What one row's mean is made of.
struct Sample {
  std::vector<RunMoments> runs;  ///< in seconds
  std::vector<LineSummary> lines;
  bool clean = true;
  std::int64_t slowdowns = 0, unsteady = 0;  ///< runs of such a course
  std::size_t left_out = 0;                  ///< runs whose lines are all unclean
};

bool is_noted(const PointSamples& point) { return point.point.trainer == kNotedTrainer; }

/// The batch size that the row's lines ended with; `mixed` where they had others before.
struct FinalBatch {
  Count gbs;
  bool mixed = false;
};

RunDigest digest_of_run(const RunSamples& run, const PointSamples& point) {
  return run.digest ? *run.digest
                    : digest_of(run.iterations, run.warmup ? run.warmup : point.warmup);
}

/// The runs that one row stands for, each with its digest.
struct RowRuns {
  const PointSamples* point;
  std::vector<const RunSamples*> runs;
  std::vector<RunDigest> digests;
};

FinalBatch final_batch(const RowRuns& row) {
  FinalBatch result;
  std::set<Count> seen;
  for (const auto& digest : row.digests) {
    if (digest.all.lines == 0) continue;
    seen.insert(digest.gbs);
    result.gbs = std::max(result.gbs, digest.gbs);
    result.mixed = result.mixed || digest.batch_grew;
  }
  seen.erase(std::nullopt);
  result.mixed = result.mixed || seen.size() > 1;
  if (!result.gbs) result.gbs = row.point->point.layout.gbs;
  return result;
}

RunMoments moments_of(const RunSamples& run, const LineSummary& lines) {
  const double sd = lines.sd_ms / kMsPerSecond;
  RunMoments moments;
  moments.day = run.day;
  moments.allocation = run.allocation;
  moments.n = static_cast<std::size_t>(lines.lines);
  moments.mean = lines.mean_ms / kMsPerSecond;
  moments.squares = sd * sd * static_cast<double>(lines.lines - 1);
  return moments;
}

void add_run(Sample& sample, const RunSamples& run, const LineSummary& lines) {
  sample.runs.push_back(moments_of(run, lines));
  sample.lines.push_back(lines);
}

/// Only runs that ended with the batch size at hand, or do not say theirs.
bool is_of(const RunDigest& digest, const FinalBatch& batch) {
  return digest.all.lines > 0 && (!batch.mixed || !digest.gbs || digest.gbs == batch.gbs);
}

Sample clean_sample(const RowRuns& row, const FinalBatch& batch) {
  Sample result;
  for (std::size_t i = 0; i < row.runs.size(); ++i) {
    const RunDigest& digest = row.digests[i];
    if (!is_of(digest, batch)) continue;
    result.slowdowns += digest.slowdown;
    result.unsteady += digest.unsteady;
    result.left_out += digest.clean.lines == 0;
    if (digest.clean.lines > 0) add_run(result, *row.runs[i], digest.clean);
  }
  return result;
}

Sample whole_sample(const RowRuns& row, const FinalBatch& batch) {
  Sample result;
  for (std::size_t i = 0; i < row.runs.size(); ++i) {
    const RunDigest& digest = row.digests[i];
    if (!is_of(digest, batch)) continue;
    result.clean = result.clean && !digest.flagged;
    add_run(result, *row.runs[i], digest.all);
  }
  return result;
}

RunState state_of(const RowRuns& row) {
  constexpr std::array kOrder{RunState::kOk,        RunState::kOom,       RunState::kFailed,
                              RunState::kTimeout,   RunState::kCancelled, RunState::kMissing,
                              RunState::kInfeasible};
  for (RunState state : kOrder) {
    for (const auto* run : row.runs) {
      if (run->state == state) return state;
    }
  }
  return row.point->planned;
}

std::optional<double> memory_gib(const RowRuns& row) {
  std::optional<double> largest;
  for (const auto* run : row.runs) largest = std::max(largest, run->memory_mib);
  if (largest) *largest /= kMibPerGib;
  return largest;
}

/// What the runs with lines say of recomputation; nothing where they disagree.
std::optional<std::string> recompute_of(const RowRuns& row) {
  std::set<std::string> answers;
  for (std::size_t i = 0; i < row.runs.size(); ++i) {
    if (row.digests[i].all.lines > 0) answers.insert(row.runs[i]->recompute);
  }
  if (answers.size() == 1) return *answers.begin();
  const bool all_partial = !answers.empty() && answers.count("full") == 0;
  return all_partial ? std::optional<std::string>("") : std::nullopt;
}

/// "oom in 1 of 3 runs", for each state that is not the row's own.
void remark_other_ends(Summary& row, const std::vector<const RunSamples*>& runs) {
  for (int i = 0; i <= static_cast<int>(RunState::kMissing); ++i) {
    const auto state = static_cast<RunState>(i);
    const auto count = std::count_if(runs.begin(), runs.end(),
                                     [&](const auto* run) { return run->state == state; });
    if (count == 0 || state == row.state) continue;
    row.remarks.push_back(fmt::format("{} in {} of {} runs", text_of(state), count, runs.size()));
  }
}

/// A table in which a point failed must not send its reader to the logs for the why.
void remark_why(Summary& row, const std::vector<const RunSamples*>& runs) {
  if (row.state == RunState::kOk) return;
  for (const auto* run : runs) {
    if (run->state != row.state || run->evidence.empty()) continue;
    row.remarks.push_back(fmt::format("{}: {}", text_of(row.state), printable(run->evidence)));
    return;
  }
}

void add_counts(Summary& row, const Sample& sample) {
  const Nesting nesting = nest(sample.runs);
  row.allocations = static_cast<std::int64_t>(nesting.allocations());
  row.runs = static_cast<std::int64_t>(nesting.runs.size());
  row.iterations = static_cast<std::int64_t>(nesting.iterations());
  row.unit_means_s = nesting.allocations() > 1 ? allocation_means(nesting) : run_means(nesting);
  row.slowdowns = sample.slowdowns;
  row.unsteady = sample.unsteady;
  row.clean = sample.clean;
}

/// Over all runs: the lowest and highest line, and the quarters where they reach furthest.
Quantiles quantiles_of(const std::vector<LineSummary>& runs) {
  Quantiles all{runs[0].min_ms, runs[0].p25_ms, runs[0].p75_ms, runs[0].max_ms};
  for (const auto& run : runs) {
    all.min = std::min(all.min, run.min_ms);
    all.p25 = std::min(all.p25, run.p25_ms);
    all.p75 = std::max(all.p75, run.p75_ms);
    all.max = std::max(all.max, run.max_ms);
  }
  for (double* value : {&all.min, &all.p25, &all.p75, &all.max}) *value /= kMsPerSecond;
  return all;
}

/// Nobody knows how many iterations and launches stand behind a figure in somebody's notes.
Interval noted_interval(const Sample& sample) {
  Interval interval;
  double sum = 0;
  for (const auto& run : sample.runs) sum += run.mean;
  interval.mean = sum / static_cast<double>(sample.runs.size());
  interval.unit = "run";
  interval.remark = "noted by hand";
  return interval;
}

void remark_batch(Summary& row, const FinalBatch& batch) {
  row.point.layout.gbs = batch.gbs;
  if (!batch.mixed) return;
  row.remarks.push_back(
      fmt::format("the batch size changed: only lines of GBS {} are in the mean", *batch.gbs));
}

Sample sample_of(const RowRuns& row, const FinalBatch& batch, Samples samples) {
  Sample sample = samples == Samples::kClean ? clean_sample(row, batch) : Sample{};
  return sample.runs.empty() ? whole_sample(row, batch) : sample;
}

void add_means(Summary& row, const RowRuns& of, const Summing& summing) {
  const FinalBatch batch = final_batch(of);
  const Sample sample = sample_of(of, batch, summing.samples);
  if (sample.runs.empty()) return;
  remark_batch(row, batch);
  row.noted = is_noted(*of.point);
  Interval time = row.noted ? noted_interval(sample) : interval_of(sample.runs);
  if (!(time.mean > 0) || !std::isfinite(time.mean)) return;
  for (auto* value : {&time.low, &time.high, &time.sd}) *value = finite(*value);
  row.step_time_s = time;
  add_counts(row, sample);
  row.clean = row.clean || row.noted;
  row.lines_s = quantiles_of(sample.lines);
  if (sample.left_out > 0) {
    row.remarks.push_back(fmt::format("no clean line in {} of {} runs, which the mean leaves out",
                                      sample.left_out, sample.left_out + sample.runs.size()));
  }
  row.recompute = recompute_of(of);
  if (!row.recompute) row.remarks.push_back("runs with and without recomputation: no TFLOPS");
}

Summary summarize_row(const RowRuns& of, const Summing& summing) {
  Summary row;
  row.sweep = of.point->sweep;
  row.point = of.point->point;
  row.state = state_of(of);
  row.reason = of.point->reason;
  row.peak_tflops = of.point->peak_tflops;
  row.memory_gib = memory_gib(of);
  for (const auto* run : of.runs) {
    if (run->started_at && (!row.started_at || *run->started_at < *row.started_at))
      row.started_at = run->started_at;
  }
  for (const auto* run : of.runs) add_notes(row, run->notes);
  add_means(row, of, summing);
  remark_why(row, of.runs);
  remark_other_ends(row, of.runs);
  return row;
}

RowRuns runs_between(const PointSamples& point, std::size_t begin, std::size_t end) {
  RowRuns rows{&point, {}, {}};
  for (std::size_t i = begin; i < end; ++i) {
    rows.runs.push_back(&point.runs[i]);
    rows.digests.push_back(digest_of_run(point.runs[i], point));
  }
  return rows;
}

/// A row of one run, or of a point without any.
struct RowPlace {
  const PointSamples* point;
  std::size_t begin, end;  ///< of its runs
};

/// By point. Figures that somebody noted stand as they were noted: their document may come back to
/// a point.
std::vector<RowPlace> places_of_runs(const std::vector<PointSamples>& points) {
  std::vector<RowPlace> places;
  for (const auto& point : points) {
    if (point.runs.empty()) places.push_back({&point, 0, 0});
    for (std::size_t i = 0; i < point.runs.size(); ++i) places.push_back({&point, i, i + 1});
  }
  const auto id = [](const RowPlace& place) {
    return place.begin < place.end ? place.point->runs[place.begin].id : 0;
  };
  for (auto begin = places.begin(); begin != places.end();) {
    const auto end = std::find_if(begin, places.end(), [&](const RowPlace& place) {
      return place.point->sweep != begin->point->sweep || !is_noted(*place.point);
    });
    std::stable_sort(begin, end, [&](const auto& a, const auto& b) { return id(a) < id(b); });
    begin = end == begin ? std::next(begin) : end;
  }
  return places;
}

Summary summarize_run(const RowPlace& place, const Summing& summing) {
  Summary row = summarize_row(runs_between(*place.point, place.begin, place.end), summing);
  if (place.begin < place.end) row.run = place.point->runs[place.begin].run;
  return row;
}

}  // namespace

std::vector<Summary> sum_up(const std::vector<PointSamples>& points, const Summing& summing) {
  std::vector<Summary> rows;
  rows.reserve(points.size());
  if (summing.by_run) {
    for (const auto& place : places_of_runs(points)) rows.push_back(summarize_run(place, summing));
    return rows;
  }
  for (const auto& point : points)
    rows.push_back(summarize_row(runs_between(point, 0, point.runs.size()), summing));
  return rows;
}

std::vector<RunMoments> counted_runs(const PointSamples& point, Samples samples) {
  const RowRuns row = runs_between(point, 0, point.runs.size());
  return sample_of(row, final_batch(row), samples).runs;
}

}  // namespace pippin
