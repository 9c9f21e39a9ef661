#include "reports/noise/allocations.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "reports/statistics/sample.h"
#include "reports/summarize.h"

namespace pippin {

namespace {

constexpr double kSecondsOfAnHour = 3600, kSecondsOfADay = 86400;

/// Moments of times as those of their logarithms: to first order about the mean.
RunMoments logarithmic(RunMoments moments) {
  moments.squares /= moments.mean * moments.mean;
  moments.mean = std::log(moments.mean);
  return moments;
}

std::vector<double> means_by(const std::vector<double>& values,
                             const std::vector<std::size_t>& groups, std::size_t count) {
  std::vector<double> sums(count), sizes(count);
  for (std::size_t i = 0; i < values.size(); ++i) {
    sums[groups[i]] += values[i];
    sizes[groups[i]] += 1;
  }
  for (std::size_t i = 0; i < count; ++i) sums[i] /= sizes[i];
  return sums;
}

/// What allocations add to the means of the configurations they ran.
std::vector<double> effects_of(const std::vector<NoisyRun>& runs,
                               const std::vector<std::size_t>& allocations, std::size_t count) {
  constexpr int kMostRounds = 200;
  constexpr double kStill = 1e-10;
  std::vector<std::size_t> configurations;
  std::size_t most = 0;
  for (const auto& run : runs) {
    configurations.push_back(run.moments.configuration);
    most = std::max(most, run.moments.configuration + 1);
  }
  std::vector<double> effects(count, 0.0), values(runs.size());
  for (int round = 0; round < kMostRounds; ++round) {
    for (std::size_t i = 0; i < runs.size(); ++i)
      values[i] = runs[i].moments.mean - effects[allocations[i]];
    const auto levels = means_by(values, configurations, most);
    for (std::size_t i = 0; i < runs.size(); ++i)
      values[i] = runs[i].moments.mean - levels[configurations[i]];
    auto next = means_by(values, allocations, count);
    double moved = 0;
    for (std::size_t i = 0; i < count; ++i) moved = std::max(moved, std::abs(next[i] - effects[i]));
    effects = std::move(next);
    if (moved < kStill) break;
  }
  return effects;
}

void add_reading(NoisyAllocation& allocation, const std::optional<CanaryEvidence>& reading) {
  if (!reading) return;
  const auto same = [&](const auto& known) { return known.reading == reading->reading; };
  if (std::none_of(allocation.readings.begin(), allocation.readings.end(), same))
    allocation.readings.push_back(*reading);
}

/// Means of the readings; all-reduces are of one size in the whole selection.
void add_canary_means(NoisyAllocation& allocation, std::int64_t bytes) {
  std::vector<double> all_reduces, gemms;
  for (const auto& reading : allocation.readings) {
    if (reading.all_reduce_us > 0 && reading.all_reduce_bytes == bytes)
      all_reduces.push_back(std::log(reading.all_reduce_us));
    if (reading.gemm.min_tflops > 0) gemms.push_back(-std::log(reading.gemm.min_tflops));
  }
  if (!all_reduces.empty()) allocation.all_reduce = mean_of(all_reduces);
  if (!gemms.empty()) allocation.gemm = mean_of(gemms);
}

/// The size of most readings' all-reduce: others cannot be held against it.
std::int64_t usual_bytes(const std::vector<NoisyAllocation>& allocations) {
  std::map<std::int64_t, std::size_t> counts;
  for (const auto& allocation : allocations) {
    for (const auto& reading : allocation.readings) ++counts[reading.all_reduce_bytes];
  }
  counts.erase(0);
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? 0 : most->first;
}

}  // namespace

std::vector<NoisyRun> noisy_runs(const std::vector<PointSamples>& points,
                                 const std::vector<RunEvidence>& evidence) {
  std::unordered_map<std::int64_t, const RunEvidence*> known;
  for (const auto& entry : evidence) known[entry.run] = &entry;
  std::map<std::string, std::size_t> configurations;
  std::vector<NoisyRun> runs;
  for (const auto& point : points) {
    if (point.point.trainer == kNotedTrainer) continue;
    PointSamples alone;
    alone.point = point.point;
    alone.warmup = point.warmup;
    for (const auto& run : point.runs) {
      if (!counts_beside_ok(run.state)) continue;
      alone.runs.assign(1, run);
      const auto moments = counted_runs(alone, Samples::kClean);
      if (moments.empty() || !(moments.front().mean > 0)) continue;
      NoisyRun& noisy = runs.emplace_back();
      noisy.moments = logarithmic(moments.front());
      noisy.moments.allocation = point.sweep + "/" + run.allocation;
      noisy.moments.configuration =
          configurations.try_emplace(point.point.id, configurations.size()).first->second;
      noisy.started_at = run.started_at;
      const auto place = known.find(run.id);
      if (place != known.end()) noisy.evidence = place->second;
    }
  }
  return runs;
}

std::vector<NoisyAllocation> allocations_of(const std::vector<NoisyRun>& runs) {
  std::vector<NoisyAllocation> allocations;
  std::unordered_map<std::string, std::size_t> places;
  std::vector<std::size_t> of_runs;
  std::vector<std::set<std::size_t>> configurations;
  std::vector<std::optional<std::int64_t>> begun;
  std::vector<bool> moved;
  for (const auto& run : runs) {
    const auto [place, is_new] = places.try_emplace(run.moments.allocation, allocations.size());
    const std::size_t i = place->second;
    of_runs.push_back(i);
    if (is_new) {
      allocations.push_back({run.moments.allocation, run.moments.day, 0, {}, 0, {}, {}, {}, {}});
      configurations.emplace_back();
      begun.emplace_back();
      moved.push_back(false);
      if (run.evidence) allocations[i].nodes = run.evidence->nodes;
    }
    configurations[i].insert(run.moments.configuration);
    if (run.started_at && (!begun[i] || *run.started_at < *begun[i])) begun[i] = run.started_at;
    if (!run.evidence) continue;
    if (run.evidence->nodes != allocations[i].nodes) moved[i] = true;
    add_reading(allocations[i], run.evidence->before);
    add_reading(allocations[i], run.evidence->after);
  }
  const auto effects = effects_of(runs, of_runs, allocations.size());
  const std::int64_t bytes = usual_bytes(allocations);
  std::map<std::set<std::size_t>, std::size_t> designs;
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    NoisyAllocation& allocation = allocations[i];
    allocation.effect = effects[i];
    allocation.design = designs.try_emplace(configurations[i], designs.size()).first->second;
    if (begun[i])
      allocation.hour =
          std::fmod(static_cast<double>(*begun[i]), kSecondsOfADay) / kSecondsOfAnHour;
    if (moved[i]) allocation.nodes.clear();
    add_canary_means(allocation, bytes);
  }
  return allocations;
}

}  // namespace pippin
