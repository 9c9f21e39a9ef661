// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/open_campaign.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "harness/campaign/planner.h"

namespace pippin {

namespace {

std::vector<Wanted> wanted_runs(const Sweep& sweep) {
  std::vector<Wanted> wanted;
  wanted.reserve(sweep.points.size() *
                 static_cast<std::size_t>(sweep.repeats.allocations * sweep.repeats.runs));
  for (const auto& point : sweep.points) {
    for (std::int64_t allocation = 1; allocation <= sweep.repeats.allocations; ++allocation) {
      for (std::int64_t repeat = 1; repeat <= sweep.repeats.runs; ++repeat)
        wanted.push_back({&point, allocation, repeat});
    }
  }
  return wanted;
}

std::int64_t files_late_s(const Cluster& cluster) {
  return cluster.files_late_s.value_or(cluster.scheduler == "local" ? 0 : kFilesLate_s);
}

using RunKey = std::tuple<std::string, std::int64_t, std::int64_t>;

/// Those of `before` that are kept, then those of `now` that are new.
std::vector<Point> merged(const std::vector<Point>& before, const std::set<std::string>& kept_ids,
                          const std::vector<Point>& now) {
  std::vector<Point> points;
  std::set<std::string> known;
  for (const auto& point : before) {
    if (kept_ids.count(point.id) && known.insert(point.id).second) points.push_back(point);
  }
  for (const auto& point : now) {
    if (known.insert(point.id).second) points.push_back(point);
  }
  return points;
}

/// Of each node count the point that the campaign's incomplete blocks share.
References references_of(const Campaign& campaign) {
  References references;
  for (const auto& job : campaign.jobs) {
    for (const auto& run : job.runs) {
      if (run.is_reference) references.emplace(job.nodes, run.point_id);
    }
  }
  return references;
}

std::map<std::string, std::int64_t> ranks_by_id(const std::vector<Point>& points) {
  std::map<std::string, std::int64_t> ranks;
  for (const auto& point : points) ranks[point.id] = ranks_of(point);
  return ranks;
}

/// Leaves of each job the runs that are wanted or have begun; of those the unwanted are marked: a
/// point that has left the sweep took its command with it. A reference goes with the last of those
/// that it was to be compared with.
void drop_unwanted(std::vector<PlannedJob>& jobs, const std::set<RunKey>& wanted,
                   const HasBegun& has_begun) {
  for (auto& job : jobs) {
    for (auto& run : job.runs) run.left = !wanted.count({run.point_id, job.allocation, run.repeat});
    std::erase_if(job.runs,
                  [&](const PlannedRun& run) { return run.left && !has_begun(job, run); });
    const bool only_references = std::all_of(job.runs.begin(), job.runs.end(),
                                             [](const auto& run) { return run.is_reference; });
    if (!only_references) continue;
    std::erase_if(job.runs, [&](const PlannedRun& run) { return !has_begun(job, run); });
  }
  std::erase_if(jobs, [](const PlannedJob& job) { return job.runs.empty(); });
}

}  // namespace

std::vector<PlannedJob> plan_jobs(const Sweep& sweep, std::int64_t campaign) {
  return Planner(sweep, campaign, sweep.points).jobs(wanted_runs(sweep), {});
}

Campaign begin_campaign(const Sweep& sweep, std::int64_t number, const std::string& started) {
  Campaign campaign;
  campaign.sweep = sweep.name;
  campaign.number = number;
  campaign.started = started;
  campaign.cluster = sweep.cluster.name;
  campaign.accelerator = sweep.cluster.accelerator.name;
  if (!computes_on_processors(sweep)) campaign.peak_tflops = sweep.cluster.accelerator.peak_tflops;
  campaign.scheduler = sweep.cluster.scheduler;
  campaign.files_late_s = files_late_s(sweep.cluster);
  campaign.order = text_of(sweep.order);
  campaign.seed = sweep.seed;
  campaign.warmup = sweep.warmup;
  campaign.scrape = sweep.trainer.scrape;
  campaign.log = sweep.trainer.log;
  campaign.points = sweep.points;
  campaign.dropped = sweep.dropped;
  campaign.jobs = plan_jobs(sweep, number);
  return campaign;
}

Campaign continue_campaign(const Campaign& campaign, const Sweep& sweep,
                           const HasBegun& has_begun) {
  const std::vector<Wanted> wanted = wanted_runs(sweep);
  std::set<RunKey> wanted_keys, planned;
  for (const auto& one : wanted) wanted_keys.insert({one.point->id, one.allocation, one.repeat});
  Campaign next = campaign;
  next.files_late_s = files_late_s(sweep.cluster);
  next.warmup = sweep.warmup;
  next.scrape = sweep.trainer.scrape;
  next.log = sweep.trainer.log;
  next.dropped = sweep.dropped;
  drop_unwanted(next.jobs, wanted_keys, has_begun);
  std::set<std::string> kept_ids, job_names;
  const auto ranks_of_point = ranks_by_id(campaign.points);
  for (auto& job : next.jobs) {
    std::vector<std::int64_t> ranks;
    ranks.reserve(job.runs.size());
    for (const auto& run : job.runs) {
      ranks.push_back(ranks_of_point.at(run.point_id));
      planned.insert({run.point_id, job.allocation, run.repeat});
      kept_ids.insert(run.point_id);
    }
    job.time_s = time_to_ask_for(sweep, ranks);
    job_names.insert(job.name);
  }
  next.points = merged(campaign.points, kept_ids, sweep.points);
  std::vector<Wanted> added = wanted;
  std::erase_if(added, [&](const Wanted& one) {
    return planned.count({one.point->id, one.allocation, one.repeat}) > 0;
  });
  Planner planner(sweep, campaign.number, next.points, references_of(campaign));
  for (auto& job : planner.jobs(added, job_names)) next.jobs.push_back(std::move(job));
  return next;
}

Campaign open_campaign(SweepFolder& folder, const Sweep& sweep, bool again, const std::string& now,
                       std::int64_t taken) {
  const auto numbers = folder.campaigns();
  const std::int64_t newest = numbers.empty() ? 0 : numbers.back();
  std::set<std::string> submitted;
  for (const auto& submission : folder.submissions()) {
    if (submission.refused) continue;
    for (const auto& task : submission.tasks) submitted.insert(task.runs.begin(), task.runs.end());
  }
  const auto has_begun = [&](const PlannedJob&, const PlannedRun& run) {
    return submitted.count(run.name) > 0 || !folder.attempts(run.name).empty();
  };
  // Without its plan the first campaign is made again; what is stored is its own then.
  const bool lost_first = newest == 0 && !submitted.empty();
  const std::int64_t number = lost_first ? 1 : std::max(newest, taken) + 1;
  return newest == 0 || again ? begin_campaign(sweep, number, now)
                              : continue_campaign(folder.load_campaign(newest), sweep, has_begun);
}

}  // namespace pippin
