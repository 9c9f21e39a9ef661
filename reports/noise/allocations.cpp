// SPDX-License-Identifier: Apache-2.0
#include "reports/noise/allocations.h"

#include <algorithm>
#include <array>
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

/// Readings of one shape can be held against each other.
using Shape = std::array<std::int64_t, 5>;

/// Of every allocation the mean of what its readings lie above those of their shape. A shape that
/// one allocation alone had says nothing.
class AboveTheirLike {
 public:
  void add(std::size_t allocation, const Shape& shape, double value) {
    values_[shape][allocation].push_back(value);
  }

  template <typename Give>
  void give(Give give_to) const {
    std::map<std::size_t, std::vector<double>> above;
    for (const auto& [shape, by_allocation] : values_) {
      if (by_allocation.size() < 2) continue;
      std::vector<double> means;
      for (const auto& entry : by_allocation) means.push_back(mean_of(entry.second));
      const double level = mean_of(means);
      for (const auto& [allocation, values] : by_allocation) {
        for (const double value : values) above[allocation].push_back(value - level);
      }
    }
    for (const auto& [allocation, values] : above) give_to(allocation, mean_of(values));
  }

 private:
  std::map<Shape, std::map<std::size_t, std::vector<double>>> values_;
};

void add_canary_means(const std::vector<NoisyAllocation*>& allocations) {
  AboveTheirLike all_reduces, gemms;
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    for (const auto& reading : allocations[i]->readings) {
      const CanaryGemm& gemm = reading.gemm;
      if (reading.all_reduce_us > 0) {
        all_reduces.add(i, {reading.ranks, reading.nodes, reading.all_reduce_bytes, 0, 0},
                        std::log(reading.all_reduce_us));
      }
      if (gemm.min_tflops > 0) {
        gemms.add(i, {reading.ranks, reading.nodes, gemm.m, gemm.n, gemm.k},
                  -std::log(gemm.min_tflops));
      }
    }
  }
  all_reduces.give([&](std::size_t i, double value) { allocations[i]->all_reduce = value; });
  gemms.give([&](std::size_t i, double value) { allocations[i]->gemm = value; });
}

/// Means over runs of what their lines say of who computed longest.
class Computing {
 public:
  void add(std::size_t allocation, const NoisyRun& run) {
    const RunEvidence& evidence = *run.evidence;
    if (run.has_stages || evidence.slowest_ranks.empty()) return;
    double lines = 0;
    std::map<std::string, double> longer;
    for (const auto& node : evidence.nodes) longer[node] = 0;
    for (const auto& rank : evidence.slowest_ranks) {
      const auto count = static_cast<double>(rank.lines);
      longer[rank.node] += count * std::log(rank.computing_ms / rank.mean_ms);
      lines += count;
    }
    if (longer.size() < 2) return;  // the slowest of one is nobody
    for (const auto& [node, sum] : longer) values_[allocation][node].push_back(sum / lines);
  }

  void give(std::vector<NoisyAllocation>& allocations) const {
    for (const auto& [allocation, nodes] : values_) {
      for (const auto& [node, values] : nodes)
        allocations[allocation].computing[node] = mean_of(values);
    }
  }

 private:
  std::map<std::size_t, std::map<std::string, std::vector<double>>> values_;
};

/// All that a table names, in the order of their names.
std::vector<std::string> nodes_of(const CanaryEvidence& table) {
  std::set<std::string> names;
  for (const auto& node : table.by_node) names.insert(node.name);
  for (const auto& pair : table.pairs) {
    names.insert(pair.a);
    names.insert(pair.b);
  }
  return {names.begin(), names.end()};
}

std::vector<NoisyAllocation> collected_of(const std::vector<CanaryEvidence>& tables,
                                          const std::vector<NoisyAllocation>& allocations) {
  std::set<std::string> known;
  for (const auto& allocation : allocations)
    known.insert(allocation.nodes.begin(), allocation.nodes.end());
  std::vector<NoisyAllocation> collected;
  for (const auto& table : tables) {
    auto nodes = nodes_of(table);
    const bool concerns = known.empty() || std::any_of(nodes.begin(), nodes.end(), [&](auto& node) {
                            return known.count(node) > 0;
                          });
    if (!concerns) continue;
    NoisyAllocation& entry = collected.emplace_back();
    entry.nodes = std::move(nodes);
    entry.readings = {table};
  }
  return collected;
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
      noisy.has_stages = point.point.layout.pp.value_or(1) > 1;
      const auto place = known.find(run.id);
      if (place != known.end()) noisy.evidence = place->second;
    }
  }
  return runs;
}

NoisyAllocations allocations_of(const std::vector<NoisyRun>& runs,
                                const std::vector<CanaryEvidence>& collected) {
  NoisyAllocations result;
  std::vector<NoisyAllocation>& allocations = result.of_runs;
  std::unordered_map<std::string, std::size_t> places;
  std::vector<std::size_t> of_runs;
  std::vector<std::set<std::size_t>> configurations;
  std::vector<std::optional<std::int64_t>> begun;
  std::vector<bool> moved;
  Computing computing;
  for (const auto& run : runs) {
    const auto [place, is_new] = places.try_emplace(run.moments.allocation, allocations.size());
    const std::size_t i = place->second;
    of_runs.push_back(i);
    if (is_new) {
      NoisyAllocation& fresh = allocations.emplace_back();
      fresh.name = run.moments.allocation;
      fresh.day = run.moments.day;
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
    computing.add(i, run);
  }
  const auto effects = effects_of(runs, of_runs, allocations.size());
  std::map<std::set<std::size_t>, std::size_t> designs;
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    NoisyAllocation& allocation = allocations[i];
    allocation.effect = effects[i];
    allocation.design = designs.try_emplace(configurations[i], designs.size()).first->second;
    if (begun[i])
      allocation.hour =
          std::fmod(static_cast<double>(*begun[i]), kSecondsOfADay) / kSecondsOfAnHour;
    if (moved[i]) allocation.nodes.clear();
  }
  computing.give(allocations);
  result.collected = collected_of(collected, allocations);
  std::vector<NoisyAllocation*> all;
  all.reserve(allocations.size() + result.collected.size());
  for (auto* part : {&allocations, &result.collected}) {
    for (auto& allocation : *part) all.push_back(&allocation);
  }
  add_canary_means(all);
  return result;
}

}  // namespace pippin
