// SPDX-License-Identifier: Apache-2.0
#include "reports/noise/noise.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "reports/noise/allocations.h"
#include "reports/noise/suspects.h"
#include "reports/statistics/change_points.h"
#include "reports/statistics/linear.h"
#include "reports/statistics/reml.h"
#include "reports/statistics/sample.h"
#include "reports/statistics/shares.h"

namespace pippin {

namespace {

/// Whether there is any spread that levels could share.
bool varies(const Nesting& nesting) {
  std::vector<std::optional<double>> first(nesting.configurations);
  for (const auto& run : nesting.runs) {
    auto& known = first[run.configuration];
    if (run.squares > 0 || (known && *known != run.mean)) return true;
    known = run.mean;
  }
  return false;
}

std::vector<NoiseLevel> levels_of(const Nesting& nesting) {
  if (nesting.iterations() <= nesting.configurations || !varies(nesting)) return {};
  const auto found = components_of(nesting);
  const auto intervals = sd_intervals(nesting, found);
  double whole = 0;
  for (const auto& component : found.components) whole += component.variance;
  std::vector<NoiseLevel> levels;
  for (std::size_t i = found.components.size(); i > 0; --i) {
    const Component& component = found.components[i - 1];
    levels.push_back({component.levels, std::sqrt(component.variance), intervals[i - 1].low,
                      intervals[i - 1].high, component.variance / whole});
  }
  return levels;
}

/// A canary beside a run: the one before it, else the one after.
const CanaryEvidence* canary_of(const NoisyRun& run) {
  if (!run.evidence) return nullptr;
  if (run.evidence->before) return &*run.evidence->before;
  return run.evidence->after ? &*run.evidence->after : nullptr;
}

/// Runs with a canary of the size that most of their configuration had.
struct Explained {
  std::vector<double> values, network, compute;
  std::vector<std::size_t> configurations;
};

/// By configuration: the size of most all-reduces, as others cannot be held against them.
std::map<std::size_t, std::int64_t> usual_bytes(const std::vector<NoisyRun>& runs) {
  std::map<std::size_t, std::map<std::int64_t, std::size_t>> counts;
  for (const auto& run : runs) {
    const auto* canary = canary_of(run);
    if (canary && canary->all_reduce_bytes > 0)
      ++counts[run.moments.configuration][canary->all_reduce_bytes];
  }
  std::map<std::size_t, std::int64_t> usual;
  for (const auto& [configuration, sizes] : counts) {
    const auto most = std::max_element(sizes.begin(), sizes.end(),
                                       [](auto& a, auto& b) { return a.second < b.second; });
    usual[configuration] = most->first;
  }
  return usual;
}

Explained explained_of(const std::vector<NoisyRun>& runs) {
  auto bytes = usual_bytes(runs);
  Explained result;
  for (const auto& run : runs) {
    const auto* canary = canary_of(run);
    if (!canary || canary->all_reduce_bytes != bytes[run.moments.configuration] ||
        !(canary->all_reduce_us > 0) || !(canary->gemm.min_tflops > 0))
      continue;
    result.values.push_back(run.moments.mean);
    result.network.push_back(std::log(canary->all_reduce_us));
    result.compute.push_back(-std::log(canary->gemm.min_tflops));
    result.configurations.push_back(run.moments.configuration);
  }
  return result;
}

void add_causes(Noise& noise, const std::vector<NoisyRun>& runs) {
  constexpr std::size_t kFewest = 10;
  const Explained with = explained_of(runs);
  if (with.values.size() < kFewest) {
    noise.no_causes_because = with.values.empty()
                                  ? "no run has a canary of network and compute beside it"
                                  : "fewer than 10 runs have canaries of one size beside them";
    return;
  }
  const auto shares =
      variance_shares(with.values, with.configurations, {with.network, with.compute});
  const auto without = least_squares_within({}, with.values, with.configurations);
  const auto fit =
      least_squares_within({with.network, with.compute}, with.values, with.configurations);
  if (!shares || !without || !fit) {
    noise.no_causes_because = "the canaries do not vary, or too few runs have one";
    return;
  }
  noise.causes = NoiseCauses{shares->explained[0], shares->explained[1], shares->unexplained,
                             p_of_more(*without, *fit)};
}

void add_time_of_day(Noise& noise, const std::vector<NoisyAllocation>& allocations) {
  std::vector<double> values, hours;
  std::vector<std::size_t> designs;
  for (const auto& allocation : allocations) {
    if (!allocation.hour) continue;
    values.push_back(allocation.effect);
    hours.push_back(*allocation.hour);
    designs.push_back(allocation.design);
  }
  if (values.empty()) {
    noise.time_of_day.refused = "no run says when it began";
    return;
  }
  noise.time_of_day = time_of_day(values, hours, designs);
}

void add_change_points(Noise& noise, const std::vector<NoisyAllocation>& allocations) {
  constexpr std::size_t kFewestDays = 10;
  constexpr std::uint64_t kSeed = 1;
  std::map<std::string, std::vector<double>> days;
  for (const auto& allocation : allocations) {
    if (!allocation.day.empty()) days[allocation.day].push_back(allocation.effect);
  }
  if (days.size() < kFewestDays) {
    noise.no_change_points_because = "fewer than 10 days";
    return;
  }
  std::vector<std::string> names;
  std::vector<double> means;
  for (const auto& day : days) {
    names.push_back(day.first);
    means.push_back(mean_of(day.second));
  }
  const auto level = [&](std::size_t from, std::size_t to) {
    return mean_of({means.begin() + static_cast<std::ptrdiff_t>(from),
                    means.begin() + static_cast<std::ptrdiff_t>(to)});
  };
  const auto changes = change_points(means, kSeed);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const std::size_t from = i == 0 ? 0 : changes[i - 1];
    const std::size_t to = i + 1 < changes.size() ? changes[i + 1] : means.size();
    noise.change_points.push_back(
        {names[changes[i]], std::exp(level(changes[i], to) - level(from, changes[i]))});
  }
}

void add_counts(Noise& noise, const Nesting& nesting,
                const std::vector<NoisyAllocation>& allocations) {
  noise.runs = nesting.runs.size();
  noise.allocations = nesting.allocations();
  noise.configurations = nesting.configurations;
  std::set<std::string> days, nodes;
  for (const auto& allocation : allocations) {
    if (!allocation.day.empty()) days.insert(allocation.day);
    nodes.insert(allocation.nodes.begin(), allocation.nodes.end());
  }
  noise.days = days.size();
  noise.nodes = nodes.size();
}

}  // namespace

Noise noise_of(const std::string& selection, const std::vector<PointSamples>& points,
               const Evidence& evidence) {
  Noise noise;
  noise.selection = selection;
  const auto runs = noisy_runs(points, evidence.runs);
  if (runs.empty()) {
    noise.no_causes_because = noise.no_suspects_because = noise.no_change_points_because =
        noise.time_of_day.refused = "no run went well";
    return noise;
  }
  std::vector<RunMoments> moments;
  moments.reserve(runs.size());
  for (const auto& run : runs) moments.push_back(run.moments);
  const Nesting nesting = nest(std::move(moments));
  const auto [allocations, collected] = allocations_of(runs, evidence.collected);
  add_counts(noise, nesting, allocations);
  noise.levels = levels_of(nesting);
  add_causes(noise, runs);
  Blame blame = blame_for(allocations, collected);
  noise.suspects = std::move(blame.suspects);
  noise.effects = std::move(blame.effects);
  noise.no_suspects_because = std::move(blame.none_because);
  add_time_of_day(noise, allocations);
  add_change_points(noise, allocations);
  return noise;
}

}  // namespace pippin
