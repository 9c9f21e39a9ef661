#include "harness/campaign/packing.h"

#include <algorithm>
#include <cmath>

#include "harness/base/error.h"
#include "harness/base/text.h"
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
  bad_input(
      "{}: {}, {} run{} of {}, does not fit the time limit {} of cluster '{}': raise its "
      "slurm: time, or lower run_time with iterations{}",
      printable(sweep.file.string()), what, runs, runs == 1 ? "" : "s",
      clock_text(*sweep.run_time_s), clock_text(*time_limit_s(sweep.cluster)),
      printable(sweep.cluster.name), remedy);
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

std::int64_t nodes_of(const Point& point, const Cluster& cluster) {
  const std::int64_t ranks = point.layout.gpus.value_or(1);
  return cluster.gpus_per_node > 0 ? (ranks + cluster.gpus_per_node - 1) / cluster.gpus_per_node
                                   : 1;
}

std::optional<std::int64_t> runs_that_fit(const Sweep& sweep) {
  const auto limit = time_limit_s(sweep.cluster);
  if (!limit || !sweep.run_time_s) return std::nullopt;
  const std::int64_t one = *sweep.run_time_s <= *limit ? 1 : 0;
  return std::max(one, static_cast<std::int64_t>((*limit - kJobMarginS) / *sweep.run_time_s));
}

std::optional<std::int64_t> time_to_ask_for(const Sweep& sweep, std::size_t runs) {
  if (!sweep.run_time_s) return std::nullopt;
  constexpr double kMinute = 60;
  const double needed = static_cast<double>(runs) * *sweep.run_time_s + kJobMarginS;
  const double minutes = std::ceil(needed / kMinute) * kMinute;
  return static_cast<std::int64_t>(
      std::min(minutes, time_limit_s(sweep.cluster).value_or(minutes)));
}

std::vector<Packing> packings_of(const Sweep& sweep, const References& earlier) {
  const Pack usual = sweep.order == Order::kBlocks ? Pack::kBlock : Pack::kPoint;
  const bool in_blocks = sweep.pack.value_or(usual) == Pack::kBlock;
  const auto fitting = runs_that_fit(sweep);
  std::vector<Packing> packings;
  for (const auto& [nodes, points] : by_nodes(sweep)) {
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
