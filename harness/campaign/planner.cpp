// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/planner.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/random.h"
#include "core/base/text.h"

namespace pippin {

namespace {

/// Whether the name has the part "-AXISVALUE".
bool has_part(std::string_view name, std::string_view axis, std::string_view value) {
  for (auto at = name.find('-'); at != std::string_view::npos; at = name.find('-', at + 1)) {
    const std::string_view rest = name.substr(at + 1);
    if (rest.starts_with(axis) && rest.substr(axis.size()).starts_with(value)) return true;
  }
  return false;
}

/// Whether a point's name tells every axis; what is fixed or derived in its sweep it leaves out.
bool tells_all_axes(const Point& point) {
  return std::all_of(point.axes.begin(), point.axes.end(), [&](const auto& axis) {
    return has_part(point.name, axis.first, axis.second.text);
  });
}

/// Of each name the first that is it; of those that points of unlike ids have, they are shared.
struct Namesakes {
  std::vector<std::size_t> first;
  std::vector<bool> is_shared;  ///< of a first
};

Namesakes namesakes(const std::vector<Point>& points, const std::vector<std::string>& names) {
  Namesakes result{{}, std::vector<bool>(points.size())};
  result.first.reserve(points.size());
  TextNumbers by_name;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t first =
        by_name.add(names[i], i, [&](std::size_t k) -> std::string_view { return names[k]; });
    if (points[i].id != points[first].id) result.is_shared[first] = true;
    result.first.push_back(first);
  }
  return result;
}

/// A person's name of each point as a file name. A piece of the id follows where points share it,
/// or would if a value that it leaves out were changed: what was run by hand before that is
/// another's.
std::vector<std::string> file_names(const std::vector<Point>& points) {
  constexpr std::size_t kDigits = 8;
  std::vector<std::string> names;
  names.reserve(points.size());
  for (const auto& point : points) names.push_back(file_name_of(point.name));
  const Namesakes same = namesakes(points, names);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (tells_all_axes(points[i]) && !same.is_shared[same.first[i]]) continue;
    names[i] += "-" + points[i].id.substr(0, kDigits);
  }
  return names;
}

/// Runs of one point that stand together.
std::vector<std::vector<Wanted>> grouped(const std::vector<Wanted>& wanted) {
  std::vector<std::vector<Wanted>> groups;
  for (const auto& one : wanted) {
    const bool goes_on = !groups.empty() && groups.back().front().point->id == one.point->id &&
                         groups.back().front().allocation == one.allocation;
    if (!goes_on) groups.emplace_back();
    groups.back().push_back(one);
  }
  return groups;
}

void add_passes(const std::vector<Wanted>& runs, std::set<std::int64_t>& passes) {
  for (const auto& one : runs) passes.insert(one.repeat);
}

}  // namespace

Planner::Planner(const Sweep& sweep, std::int64_t campaign, const std::vector<Point>& all_points,
                 const References& earlier)
    : sweep_(sweep),
      mark_(campaign > 1 ? fmt::format("-c{}", campaign) : ""),
      points_(all_points),
      names_(file_names(all_points)) {
  if (&points_ != &sweep_.points) name_by_id();
  for (auto& packing : packings_of(sweep, earlier)) packings_[packing.nodes] = packing;
}

std::vector<PlannedJob> Planner::jobs(const std::vector<Wanted>& wanted,
                                      std::set<std::string> taken) {
  taken_ = std::move(taken);
  const bool in_points = sweep_.pack.value_or(Pack::kPoint) == Pack::kPoint;
  std::vector<PlannedJob> jobs;
  if (in_points && sweep_.order != Order::kBlocks) {
    jobs = point_jobs(wanted);
    if (sweep_.order == Order::kShuffled) Random(seed_of(sweep_.seed, "shuffled")).shuffle(jobs);
    return jobs;
  }
  std::map<Place, Runs> of_place;
  for (const auto& one : wanted) {
    of_place[{one.allocation, nodes_of(*one.point, sweep_.cluster)}].push_back(one);
  }
  for (const auto& [place, runs] : of_place) {
    for (auto& job : block_jobs(place, runs)) jobs.push_back(std::move(job));
  }
  return jobs;
}

/// Where the points that are wanted are not those of the campaign itself.
void Planner::name_by_id() {
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const std::size_t first = by_id_.add(points_[i].id, i, IdOf{points_});
    if (first != i) names_[first] = names_[i];
  }
}

const std::string& Planner::name_of(const Point& point) const {
  if (&points_ == &sweep_.points) return names_[static_cast<std::size_t>(&point - points_.data())];
  return names_[by_id_.find(point.id, IdOf{points_}).value()];
}

/// As that of a job that measures the point alone.
std::string Planner::run_name(const Wanted& wanted) const {
  const std::string& of_point = name_of(*wanted.point);
  const fmt::format_int allocation(wanted.allocation);
  std::string name;
  name.reserve(of_point.size() + mark_.size() + 2 + allocation.size());
  return name.append(of_point).append(mark_).append("-a").append(allocation.data(),
                                                                 allocation.size());
}

PlannedRun Planner::run(const Wanted& wanted, std::int64_t block, std::int64_t position) const {
  std::string name = run_name(wanted);
  if (wanted.is_reference) name += fmt::format("-b{}", block);
  if (sweep_.repeats.runs > 1) name += fmt::format("-r{}", wanted.repeat);
  return {std::move(name), wanted.point->id, wanted.repeat, position, wanted.is_reference};
}

PlannedJob Planner::job(std::string name, const Place& place, const Runs& runs,
                        std::int64_t block) {
  std::vector<std::int64_t> ranks;
  ranks.reserve(runs.size());
  for (const auto& one : runs) ranks.push_back(ranks_of(*one.point));
  PlannedJob job{name, place.first, place.second, {}, time_to_ask_for(sweep_, ranks)};
  for (int i = 2; !taken_.insert(job.name).second; ++i) job.name = fmt::format("{}+{}", name, i);
  job.runs.reserve(runs.size());
  for (const auto& one : runs)
    job.runs.push_back(run(one, block, static_cast<std::int64_t>(job.runs.size()) + 1));
  return job;
}

/// What one allocation measures on one number of nodes.
std::vector<PlannedJob> Planner::block_jobs(const Place& place, const Runs& wanted) {
  const Packing& packing = packings_.at(place.second);
  if (packing.pack == Pack::kPoint) {
    auto jobs = point_jobs(wanted);
    Random(seed_of(sweep_.seed, fmt::format("a{} n{} points", place.first, place.second)))
        .shuffle(jobs);
    return jobs;
  }
  const bool only_reference = std::all_of(wanted.begin(), wanted.end(), [&](const Wanted& one) {
    return one.point->id == packing.reference;
  });
  if (!packing.reference.empty() && !only_reference) return incomplete_jobs(place, wanted);
  std::vector<PlannedJob> jobs;
  jobs.push_back(job(block_name(place, 0), place, in_order(place, 0, wanted)));
  return jobs;
}

std::string Planner::block_name(const Place& place, std::int64_t block) const {
  const std::string of_block = block > 0 ? fmt::format("-b{}", block) : "";
  return fmt::format("{}{}-a{}{}-n{}", file_name_of(sweep_.name), mark_, place.first, of_block,
                     place.second);
}

/// Each block has the reference in every pass, and a number that no earlier plan gave.
std::vector<PlannedJob> Planner::incomplete_jobs(const Place& place, const Runs& wanted) {
  const Packing& packing = packings_.at(place.second);
  const auto is_reference = [&](const Point& point) { return point.id == packing.reference; };
  const Point& reference = *std::find_if(sweep_.points.begin(), sweep_.points.end(), is_reference);
  auto points = grouped(wanted);
  std::set<std::int64_t> of_reference;  // what is wanted of it, each block does
  std::erase_if(points, [&](const Runs& runs) {
    if (!is_reference(*runs.front().point)) return false;
    add_passes(runs, of_reference);
    return true;
  });
  const auto a_block = static_cast<std::size_t>(packing.block_points);
  const std::size_t blocks = (points.size() + a_block - 1) / a_block;
  std::vector<PlannedJob> jobs;
  std::int64_t number = 0;
  for (const auto& block : replicate(points.size(), blocks, place.first)) {
    Runs runs;
    for (const std::size_t i : block) runs.insert(runs.end(), points[i].begin(), points[i].end());
    std::set<std::int64_t> passes = of_reference;
    add_passes(runs, passes);
    for (const auto repeat : passes) runs.push_back({&reference, place.first, repeat, true});
    do ++number;
    while (taken_.count(block_name(place, number)) > 0);
    jobs.push_back(job(block_name(place, number), place, in_order(place, number, runs), number));
  }
  return jobs;
}

/// One job for each point and allocation.
std::vector<PlannedJob> Planner::point_jobs(const Runs& wanted) {
  std::vector<PlannedJob> jobs;
  for (const auto& runs : grouped(wanted)) {
    const Wanted& first = runs.front();
    jobs.push_back(
        job(run_name(first), {first.allocation, nodes_of(*first.point, sweep_.cluster)}, runs));
  }
  return jobs;
}

/// `blocks`: one random pass over the points after the other.
Planner::Runs Planner::in_order(const Place& place, std::int64_t block, const Runs& wanted) const {
  if (sweep_.order == Order::kSequential) return wanted;
  const std::string where = fmt::format("a{} n{}{}", place.first, place.second,
                                        block > 0 ? fmt::format(" b{}", block) : "");
  std::map<std::int64_t, Runs> passes;
  for (const auto& one : wanted)
    passes[sweep_.order == Order::kBlocks ? one.repeat : 0].push_back(one);
  Runs runs;
  for (auto& [repeat, pass] : passes) {
    Random(seed_of(sweep_.seed, fmt::format("{} r{}", where, repeat))).shuffle(pass);
    runs.insert(runs.end(), pass.begin(), pass.end());
  }
  return runs;
}

/// Of a design for all allocations; which of its blocks comes first is random.
const Replicate& Planner::replicate(std::size_t points, std::size_t blocks,
                                    std::int64_t allocation) {
  const auto [design, is_new] = designs_.try_emplace({points, blocks});
  if (is_new) {
    const std::uint64_t seed = seed_of(sweep_.seed, fmt::format("design {} {}", points, blocks));
    design->second = resolvable_design(points, blocks,
                                       static_cast<std::size_t>(sweep_.repeats.allocations), seed);
    Random random(seed_of(seed, "order"));
    for (auto& replicate : design->second) random.shuffle(replicate);
  }
  return design->second.at(static_cast<std::size_t>(allocation - 1));
}

}  // namespace pippin
