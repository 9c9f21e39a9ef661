// SPDX-License-Identifier: Apache-2.0
#include "reports/summarize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "reports/digest.h"
#include "reports/remarks.h"
#include "reports/row_units.h"
#include "reports/statistics/difference.h"
#include "reports/statistics/interval.h"
#include "reports/statistics/sample.h"
#include "reports/values.h"

namespace pippin {

namespace {

/// What one row's mean is made of.
struct Sample {
  std::vector<RunMoments> runs;  ///< in seconds
  std::vector<LineSummary> lines;
  bool clean = true;
  LineTimes times = LineTimes::kSteps;       ///< the least telling of its runs
  std::int64_t slowdowns = 0, unsteady = 0;  ///< runs of such a course
  std::size_t left_out = 0;                  ///< runs whose lines are all unclean
  std::vector<double> trends;                ///< of the runs
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
  Count seen;
  for (const auto& digest : row.digests) {
    if (digest.all.lines == 0) continue;
    if (!seen) seen = digest.gbs;
    result.mixed = result.mixed || (digest.gbs && digest.gbs != seen);
    result.gbs = std::max(result.gbs, digest.gbs);
    result.mixed = result.mixed || digest.batch_grew;
  }
  if (!result.gbs) result.gbs = row.point->point.layout.gbs;
  return result;
}

/// Of lines that are means only their mean is known.
RunMoments moments_of(const RunSamples& run, const LineSummary& lines, LineTimes times) {
  const std::int64_t n = times == LineTimes::kSteps ? lines.lines : 1;
  const double sd = lines.sd_ms / kMsPerSecond;
  RunMoments moments;
  moments.day = run.day;
  moments.allocation = run.allocation;
  moments.started_at = run.started_at;
  moments.resolution = run.resolution_ms.value_or(0) / kMsPerSecond;
  moments.n = static_cast<std::size_t>(n);
  moments.mean = lines.mean_ms / kMsPerSecond;
  moments.squares = sd * sd * static_cast<double>(n - 1);
  return moments;
}

void add_run(Sample& sample, const RunSamples& run, const LineSummary& lines, LineTimes times) {
  sample.runs.push_back(moments_of(run, lines, times));
  sample.lines.push_back(lines);
  sample.times = std::max(sample.times, times);
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
    if (digest.clean.lines == 0) continue;
    add_run(result, *row.runs[i], digest.clean, digest.times);
    result.trends.push_back(digest.trend);
  }
  return result;
}

Sample whole_sample(const RowRuns& row, const FinalBatch& batch) {
  Sample result;
  for (std::size_t i = 0; i < row.runs.size(); ++i) {
    const RunDigest& digest = row.digests[i];
    if (!is_of(digest, batch)) continue;
    result.clean = result.clean && !digest.flagged;
    add_run(result, *row.runs[i], digest.all, LineTimes::kSteps);
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
  const std::string* first = nullptr;
  bool alike = true, any_full = false;
  for (std::size_t i = 0; i < row.runs.size(); ++i) {
    if (row.digests[i].all.lines == 0) continue;
    const std::string& answer = row.runs[i]->recompute;
    if (!first) first = &answer;
    alike = alike && answer == *first;
    any_full = any_full || answer == "full";
  }
  if (first && alike) return *first;
  return first && !any_full ? std::optional<std::string>("") : std::nullopt;
}

/// "oom in 1 of 3 runs, which the mean leaves out", for each state that is not the row's own.
void remark_other_ends(Summary& row, const RowRuns& of) {
  const auto& runs = of.runs;
  for (int i = 0; i <= static_cast<int>(RunState::kMissing); ++i) {
    const auto state = static_cast<RunState>(i);
    const auto count = std::count_if(runs.begin(), runs.end(),
                                     [&](const auto* run) { return run->state == state; });
    if (count == 0 || state == row.state) continue;
    bool has_lines = false;
    for (std::size_t run = 0; run < runs.size(); ++run)
      has_lines = has_lines || (runs[run]->state == state && of.digests[run].all.lines > 0);
    const bool left_out = has_lines && row.state == RunState::kOk && !counts_beside_ok(state);
    row.remarks.push_back(fmt::format("{} in {} of {} runs{}", text_of(state), count, runs.size(),
                                      left_out ? ", which the mean leaves out" : ""));
  }
}

/// A table in which a point failed must not send its reader to the logs for the why.
std::string reason_of(RunState state, const std::vector<const RunSamples*>& runs) {
  if (state == RunState::kOk) return "";
  for (const auto* run : runs) {
    if (run->state == state && !run->evidence.empty()) return run->evidence;
  }
  return "";
}

bool is_cut_short(const RunSamples& run) {
  return run.state == RunState::kOk && run.last_iteration && run.planned_iterations &&
         *run.last_iteration < *run.planned_iterations;
}

/// Runs that ended as if all were well, and without a word on why so early.
void remark_short_runs(Summary& row, const std::vector<const RunSamples*>& runs) {
  const auto first =
      std::find_if(runs.begin(), runs.end(), [](const auto* run) { return is_cut_short(*run); });
  if (first == runs.end()) return;
  const auto count =
      std::count_if(first, runs.end(), [](const auto* run) { return is_cut_short(*run); });
  const std::string came =
      fmt::format("{} of {} iterations", *(*first)->last_iteration, *(*first)->planned_iterations);
  row.remarks.push_back(runs.size() == 1 ? fmt::format("{}: {}", kEndedEarly, came)
                                         : fmt::format("{}: {} of {} runs, the first after {}",
                                                       kEndedEarly, count, runs.size(), came));
}

/// A run that has diverged still has a speed, which need not be that of one that learns.
void remark_nan(Summary& row, const std::vector<const RunSamples*>& runs) {
  std::int64_t count = 0;
  Count from;
  for (const auto* run : runs) {
    if (!run->nan_from) continue;
    ++count;
    from = from ? std::min(from, run->nan_from) : run->nan_from;
  }
  if (count == 0) return;
  const std::string when = fmt::format("the loss is no number from iteration {} on", *from);
  row.remarks.push_back(
      runs.size() == 1 ? when : fmt::format("{} in {} of {} runs", when, count, runs.size()));
}

/// Several runs that all take another pace on their way: a warm-up that was not seen, or heat.
void remark_trend(Summary& row, const std::vector<double>& trends) {
  constexpr double kMatters = 0.01, kChance = 0.01;
  constexpr std::size_t kFew = 3;
  if (trends.size() < kFew) return;
  const auto trend = paired_difference(trends);
  if (std::abs(trend->estimate) < kMatters || !(trend->p() < kChance)) return;
  constexpr double kPercent = 100;
  row.remarks.push_back(fmt::format(
      "within a run, times {} by {:.1f} % from one half to the next{}",
      trend->estimate < 0 ? "fall" : "rise", kPercent * std::abs(std::expm1(trend->estimate)),
      trend->estimate < 0 ? ": a longer warm-up may be in the mean" : ""));
}

void add_counts(Summary& row, const Sample& sample) {
  const Nesting nesting = nest(sample.runs);
  row.allocation_means = allocation_means_of(sample.runs);
  for (auto& mean : row.allocation_means) mean.allocation = row.sweep + "/" + mean.allocation;
  row.allocations = static_cast<std::int64_t>(nesting.allocations());
  row.runs = static_cast<std::int64_t>(nesting.runs.size());
  row.iterations = 0;
  for (const auto& lines : sample.lines) row.iterations += lines.lines;
  row.unit_means_s = nesting.allocations() > 1 ? allocation_means(nesting) : run_means(nesting);
  row.slowdowns = sample.slowdowns;
  row.unsteady = sample.unsteady;
  row.clean = sample.clean;
}

/// Over all runs: the lowest and highest line, and the quarters where they reach furthest.
Quantiles quantiles_of(const std::vector<LineSummary>& runs) {
  Quantiles all{runs[0].min_ms, runs[0].p25_ms, runs[0].p75_ms, runs[0].max_ms, 0, 0};
  std::vector<double> medians;
  medians.reserve(runs.size());
  for (const auto& run : runs) {
    all.min = std::min(all.min, run.min_ms);
    all.p25 = std::min(all.p25, run.p25_ms);
    all.p75 = std::max(all.p75, run.p75_ms);
    all.max = std::max(all.max, run.max_ms);
    all.p99 = std::max(all.p99, run.p99_ms);
    medians.push_back(run.median_ms);
  }
  all.median = quantile_of(std::move(medians), 0.5);
  for (double* value : {&all.min, &all.p25, &all.p75, &all.max, &all.median, &all.p99})
    *value /= kMsPerSecond;
  return all;
}

/// Why a row has no spread of single steps.
void remark_means(Summary& row, LineTimes times) {
  const char* const what[] = {
      "", "its lines are means of several steps, which say nothing of how single ones spread",
      "its lines are moving means, which say nothing of how single steps spread",
      "its time is that of whole runs over their steps, with start-up, evaluation and saving"};
  if (times != LineTimes::kSteps) row.remarks.emplace_back(what[static_cast<std::size_t>(times)]);
}

/// Nobody knows how many iterations and launches stand behind a figure in somebody's notes.
/// Of several figures that were noted, their standard deviation; of a single one its own "±".
Interval noted_interval(const Sample& sample, const RowRuns& of) {
  std::vector<double> means;
  means.reserve(sample.runs.size());
  for (const auto& run : sample.runs) means.push_back(run.mean);
  Interval interval;
  interval.mean = mean_of(means);
  interval.unit = "run";
  interval.remark = "noted by hand";
  if (means.size() > 1) {
    interval.sd = std::sqrt(squares_of(means) / static_cast<double>(means.size() - 1));
    interval.remark += ", in brackets how often and from where to where";
  } else if (of.runs.size() == 1 && of.runs[0]->noted_spread_ms) {
    interval.sd = *of.runs[0]->noted_spread_ms / kMsPerSecond;
    interval.remark += ", in brackets the notes' own spread";
  }
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
  Interval time = row.noted ? noted_interval(sample, of) : interval_of(sample.runs);
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
  remark_means(row, sample.times);
  remark_trend(row, sample.trends);
  row.recompute = recompute_of(of);
  if (!row.recompute) row.remarks.push_back("runs with and without recomputation: no TFLOPS");
}

/// Of a row that is ok, the runs that count beside those that are.
RowRuns counted_of(const RowRuns& of, RunState state) {
  if (state != RunState::kOk) return of;
  RowRuns counted{of.point, {}, {}};
  for (std::size_t i = 0; i < of.runs.size(); ++i) {
    if (!counts_beside_ok(of.runs[i]->state)) continue;
    counted.runs.push_back(of.runs[i]);
    counted.digests.push_back(of.digests[i]);
  }
  return counted;
}

Summary summarize_row(const RowRuns& of, const Summing& summing) {
  Summary row;
  row.sweep = of.point->sweep;
  row.point = of.point->point;
  row.state = state_of(of);
  row.reason = of.point->reason;
  row.left = of.point->left;
  row.peak_tflops = of.point->peak_tflops;
  row.memory_gib = memory_gib(of);
  for (const auto* run : of.runs) {
    if (run->started_at && (!row.started_at || *run->started_at < *row.started_at))
      row.started_at = run->started_at;
  }
  row.run_ids.reserve(of.runs.size());
  for (const auto* run : of.runs) {
    row.run_ids.push_back(run->id);
    add_notes(row, run->notes);
  }
  add_means(row, counted_of(of, row.state), summing);
  const std::string reason = reason_of(row.state, of.runs);
  if (!reason.empty()) row.reason = reason;
  remark_other_ends(row, of);
  remark_short_runs(row, of.runs);
  remark_nan(row, of.runs);
  return row;
}

/// Some runs of a point, or none.
struct RowPlace {
  const PointSamples* point;
  std::vector<std::size_t> runs;
};

RowRuns runs_at(const RowPlace& place) {
  RowRuns rows{place.point, {}, {}};
  for (const std::size_t run : place.runs) {
    rows.runs.push_back(&place.point->runs[run]);
    rows.digests.push_back(digest_of_run(place.point->runs[run], *place.point));
  }
  return rows;
}

RowPlace whole(const PointSamples& point) {
  RowPlace place{&point, std::vector<std::size_t>(point.runs.size())};
  std::iota(place.runs.begin(), place.runs.end(), std::size_t{0});
  return place;
}

/// What runs of one row have in common.
std::pair<std::int64_t, std::string> key_of(const RunSamples& run, Rows by) {
  return {by == Rows::kDay ? 0 : run.campaign, by == Rows::kDay ? run.day : run.allocation};
}

/// Of one point, in the order in which they appear; one of a point without runs.
std::vector<RowPlace> places_of(const PointSamples& point, Rows by) {
  if (by == Rows::kPoint || point.runs.empty()) return {whole(point)};
  std::vector<RowPlace> places;
  if (by == Rows::kRun) {
    for (std::size_t i = 0; i < point.runs.size(); ++i) places.push_back({&point, {i}});
    return places;
  }
  std::map<std::pair<std::int64_t, std::string>, std::size_t> known;
  for (std::size_t i = 0; i < point.runs.size(); ++i) {
    const auto [place, is_new] = known.try_emplace(key_of(point.runs[i], by), places.size());
    if (is_new) places.push_back({&point, {}});
    places[place->second].runs.push_back(i);
  }
  return places;
}

/// Figures that somebody noted stand as they were noted: their document may come back to a point.
void sort_noted(std::vector<RowPlace>& places) {
  const auto id = [](const RowPlace& place) {
    return place.runs.empty() ? 0 : place.point->runs[place.runs.front()].id;
  };
  for (auto begin = places.begin(); begin != places.end();) {
    const auto end = std::find_if(begin, places.end(), [&](const RowPlace& place) {
      return place.point->sweep != begin->point->sweep || !is_noted(*place.point);
    });
    std::stable_sort(begin, end, [&](const auto& a, const auto& b) { return id(a) < id(b); });
    begin = end == begin ? std::next(begin) : end;
  }
}

Summary summarize_place(const RowPlace& place, const Summing& summing) {
  Summary row = summarize_row(runs_at(place), summing);
  if (summing.by == Rows::kPoint || place.runs.empty()) return row;
  const RunSamples& first = place.point->runs[place.runs.front()];
  if (summing.by == Rows::kRun) row.run = first.run;
  if (summing.by == Rows::kRun) row.run_number = first.id;
  if (summing.by != Rows::kDay) row.allocation = first.allocation;
  if (summing.by != Rows::kDay) row.campaign = first.campaign;
  row.day = first.day;
  return row;
}

/// In the order of rows.
std::vector<RowPlace> all_places(const std::vector<PointSamples>& points, Rows by) {
  std::vector<RowPlace> places;
  places.reserve(points.size());
  for (const auto& point : points) {
    auto more = places_of(point, by);
    places.insert(places.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
  }
  if (by == Rows::kRun) sort_noted(places);
  return places;
}

}  // namespace

std::vector<Summary> sum_up(const std::vector<PointSamples>& points, const Summing& summing) {
  const auto places = all_places(points, summing.by);
  std::vector<Summary> rows;
  rows.reserve(places.size());
  for (const auto& place : places) rows.push_back(summarize_place(place, summing));
  return rows;
}

RunRows::RunRows(std::vector<PointSamples> points, Samples samples)
    : points_(std::move(points)), summing_{samples, Rows::kRun} {
  const auto places = all_places(points_, Rows::kRun);
  places_.reserve(places.size());
  for (const auto& place : places) {
    places_.push_back(
        {static_cast<std::uint32_t>(place.point - points_.data()),
         place.runs.empty() ? kNoRun : static_cast<std::uint32_t>(place.runs.front())});
  }
}

Summary RunRows::row(std::size_t i) const {
  const Place& place = places_[i];
  RowPlace of{&points_[place.point], {}};
  if (place.run != kNoRun) of.runs.push_back(place.run);
  return summarize_place(of, summing_);
}

std::vector<RunMoments> counted_runs(const PointSamples& point, Samples samples) {
  const RowRuns all = runs_at(whole(point));
  const RowRuns row = counted_of(all, state_of(all));
  return sample_of(row, final_batch(row), samples).runs;
}

}  // namespace pippin
