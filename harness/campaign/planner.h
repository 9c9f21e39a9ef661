// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text_numbers.h"
#include "core/records/campaign.h"
#include "harness/campaign/block_design.h"
#include "harness/campaign/packing.h"

namespace pippin {

/// One run that is wanted: which point, in which allocation, for which time in it.
struct Wanted {
  const Point* point;  ///< of the sweep
  std::int64_t allocation, repeat;
  bool is_reference = {};  ///< beside those of an incomplete block
};

/// Names jobs and runs, and puts runs into jobs. The sweep and the points must outlive it.
class Planner {
 public:
  /// `all_points` of the campaign: names are made such that none is another's.
  Planner(const Sweep& sweep, std::int64_t campaign, const std::vector<Point>& all_points,
          const References& earlier = {});

  /// Jobs for what is wanted, in the order of points, allocations, repeats; no job gets a name of
  /// `taken`. Incomplete blocks come with runs of their reference; those that are wanted of it are
  /// thereby done.
  std::vector<PlannedJob> jobs(const std::vector<Wanted>& wanted, std::set<std::string> taken);

 private:
  using Runs = std::vector<Wanted>;
  /// Where a block is: its allocation and node count.
  using Place = std::pair<std::int64_t, std::int64_t>;

  struct IdOf {
    const std::vector<Point>& points;
    std::string_view operator()(std::size_t i) const { return points[i].id; }
  };

  void name_by_id();
  const std::string& name_of(const Point& point) const;
  std::string run_name(const Wanted& wanted) const;
  PlannedRun run(const Wanted& wanted, std::int64_t block, std::int64_t position) const;
  PlannedJob job(std::string name, const Place& place, const Runs& runs, std::int64_t block = 0);
  std::vector<PlannedJob> block_jobs(const Place& place, const Runs& wanted);
  std::vector<PlannedJob> incomplete_jobs(const Place& place, const Runs& wanted);
  std::vector<PlannedJob> point_jobs(const Runs& wanted);
  std::string block_name(const Place& place, std::int64_t block) const;
  Runs in_order(const Place& place, std::int64_t block, const Runs& wanted) const;
  const Replicate& replicate(std::size_t points, std::size_t blocks, std::int64_t allocation);

  const Sweep& sweep_;
  std::string mark_;
  const std::vector<Point>& points_;
  std::vector<std::string> names_;            ///< of each point as a file name
  TextNumbers by_id_;                         ///< of points_
  std::map<std::int64_t, Packing> packings_;  ///< by node count
  std::map<std::pair<std::size_t, std::size_t>, std::vector<Replicate>> designs_;
  std::set<std::string> taken_;
};

}  // namespace pippin
