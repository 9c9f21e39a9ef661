// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/packing.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "sweeps/estimate/time_limit.h"

namespace pippin {

namespace {

using Points = std::vector<const Point*>;

std::map<std::int64_t, Points> by_nodes(const Sweep& sweep) {
  std::map<std::int64_t, Points> points;
  for (const auto& point : sweep.points) points[nodes_of(point, sweep.cluster)].push_back(&point);
  return points;
}

/// "00:05:00"
std::string clock_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  return fmt::format("{:02}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

[[noreturn]] void does_not_fit(const Sweep& sweep, std::int64_t runs, const std::string& what,
                               const std::string& remedy) {
  const std::int64_t reading_s = reading_time_s(sweep);
  bad_input(
      "{}: {}, {} run{} of {}{}, does not fit the time limit {} of cluster '{}': raise its "
      "{}, or lower run_time with iterations{}",
      printable(sweep.file.string()), what, runs, runs == 1 ? "" : "s",
      clock_text(*sweep.run_time_s),
      reading_s > 0 ? fmt::format(" with canaries of {} s", reading_s) : "",
      clock_text(*time_limit_s(sweep.cluster)), printable(sweep.cluster.name),
      time_limit_key(sweep.cluster), remedy);
}

bool holds(const Points& points, const std::string& id) {
  return std::any_of(points.begin(), points.end(), [&](auto* point) { return point->id == id; });
}

const std::string& reference_of(const Sweep& sweep, std::int64_t nodes, const Points& points,
                                const References& earlier) {
  if (holds(points, sweep.reference)) return sweep.reference;
  const auto before = earlier.find(nodes);
  return before != earlier.end() && holds(points, before->second) ? before->second
                                                                  : points.front()->id;
}

/// Whether all points of so many nodes are launched alike: a reading between two runs serves both.
bool are_launched_alike(const Sweep& sweep, std::int64_t nodes) {
  std::set<std::int64_t> ranks;
  for (const auto& point : sweep.points) {
    if (nodes_of(point, sweep.cluster) == nodes) ranks.insert(ranks_of(point));
  }
  return ranks.size() <= 1;
}

/// Readings that a job takes: one before its first run, one after each, and one more before each
/// run that is not launched as the last.
std::int64_t readings(const std::vector<std::int64_t>& ranks) {
  std::int64_t count = 1;
  for (std::size_t i = 0; i < ranks.size(); ++i) count += i > 0 && ranks[i] != ranks[i - 1] ? 2 : 1;
  return count;
}

void check_point_fits(const Sweep& sweep, std::int64_t fitting) {
  const std::int64_t runs = sweep.repeats.runs;
  if (runs <= fitting) return;
  does_not_fit(sweep, runs, "one point",
               runs > 1 ? ", or ask for more allocations and fewer runs in each" : "");
}

/// Of a block that does not fit whole.
Packing split(const Sweep& sweep, Packing packing, const std::string& reference,
              std::int64_t fitting) {
  const std::int64_t runs = sweep.repeats.runs, a_pass = fitting / runs;
  if (packing.points > 1 && a_pass > 1) {
    packing.block_points = a_pass - 1;
    packing.blocks = (packing.points - 2) / packing.block_points + 1;
    packing.reference = reference;
    return packing;
  }
  check_point_fits(sweep, fitting);
  if (sweep.pack) {
    does_not_fit(sweep, 2 * runs, "a block of one point and the reference",
                 ", or choose pack: point");
  }
  packing.pack = Pack::kPoint;
  return packing;
}

}  // namespace

std::int64_t ranks_of(const Point& point) { return point.layout.gpus.value_or(1); }

std::int64_t nodes_of(const Point& point, const Cluster& cluster) {
  const std::int64_t ranks = ranks_of(point);
  return cluster.gpus_per_node > 0 ? (ranks + cluster.gpus_per_node - 1) / cluster.gpus_per_node
                                   : 1;
}

std::optional<std::int64_t> runs_that_fit(const Sweep& sweep, std::int64_t nodes) {
  const auto limit = time_limit_s(sweep.cluster);
  if (!limit || !sweep.run_time_s) return std::nullopt;
  const auto reading_s = static_cast<double>(reading_time_s(sweep));
  const bool shared = reading_s > 0 && are_launched_alike(sweep, nodes);
  const double first_s = shared ? reading_s : 0;
  const double run_s = *sweep.run_time_s + (shared ? 1 : 2) * reading_s;
  const std::int64_t one = first_s + run_s <= *limit ? 1 : 0;
  return std::max(one, static_cast<std::int64_t>((*limit - kJobMarginS - first_s) / run_s));
}

std::optional<std::int64_t> time_to_ask_for(const Sweep& sweep,
                                            const std::vector<std::int64_t>& ranks) {
  if (!sweep.run_time_s) return std::nullopt;
  constexpr double kMinute = 60;
  const double needed = static_cast<double>(ranks.size()) * *sweep.run_time_s +
                        static_cast<double>(readings(ranks) * reading_time_s(sweep)) + kJobMarginS;
  const double minutes = std::ceil(needed / kMinute) * kMinute;
  return static_cast<std::int64_t>(
      std::min(minutes, time_limit_s(sweep.cluster).value_or(minutes)));
}

std::vector<Packing> packings_of(const Sweep& sweep, const References& earlier) {
  const Pack usual = sweep.order == Order::kBlocks ? Pack::kBlock : Pack::kPoint;
  const bool in_blocks = sweep.pack.value_or(usual) == Pack::kBlock;
  std::vector<Packing> packings;
  for (const auto& [nodes, points] : by_nodes(sweep)) {
    const auto fitting = runs_that_fit(sweep, nodes);
    Packing packing;
    packing.nodes = nodes;
    packing.points = static_cast<std::int64_t>(points.size());
    packing.pack = in_blocks ? Pack::kBlock : Pack::kPoint;
    if (fitting && !in_blocks) check_point_fits(sweep, *fitting);
    if (fitting && in_blocks && packing.points * sweep.repeats.runs > *fitting)
      packing = split(sweep, packing, reference_of(sweep, nodes, points, earlier), *fitting);
    packings.push_back(std::move(packing));
  }
  return packings;
}

}  // namespace pippin
