#include "harness/campaign/plan.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

#include "harness/base/random.h"
#include "harness/base/text.h"

namespace pippin {

namespace {

/// One run that is wanted: which point, in which allocation, for which time in it.
struct Wanted {
  const Point* point;
  std::int64_t allocation, repeat;
};

std::int64_t nodes_of(const Point& point, const Cluster& cluster) {
  const std::int64_t ranks = point.layout.gpus.value_or(1);
  return cluster.gpus_per_node > 0 ? (ranks + cluster.gpus_per_node - 1) / cluster.gpus_per_node
                                   : 1;
}

/// Whether a point's name tells every axis; what is fixed or derived in its sweep it leaves out.
bool tells_all_axes(const Point& point) {
  return std::all_of(point.axes.begin(), point.axes.end(), [&](const auto& axis) {
    return point.name.find("-" + axis.first + axis.second.text) != std::string::npos;
  });
}

/// A person's name of each point as a file name. A piece of the id follows where points share it,
/// or would if a value that it leaves out were changed: what was run by hand before that is
/// another's.
std::map<std::string, std::string> file_names(const std::vector<Point>& points) {
  constexpr std::size_t kDigits = 8;
  std::map<std::string, std::set<std::string>> ids_of_name;
  for (const auto& point : points) ids_of_name[file_name_of(point.name)].insert(point.id);
  std::map<std::string, std::string> names;
  for (const auto& point : points) {
    const std::string name = file_name_of(point.name);
    const bool is_enough = tells_all_axes(point) && ids_of_name[name].size() == 1;
    names[point.id] = is_enough ? name : fmt::format("{}-{}", name, point.id.substr(0, kDigits));
  }
  return names;
}

/// Names jobs and runs, and puts runs into jobs.
class Planner {
 public:
  Planner(const Sweep& sweep, std::int64_t campaign, const std::vector<Point>& all_points)
      : sweep_(sweep),
        mark_(campaign > 1 ? fmt::format("-c{}", campaign) : ""),
        names_(file_names(all_points)) {}

  std::vector<PlannedJob> jobs(const std::vector<Wanted>& wanted,
                               const std::set<std::string>& taken) const {
    auto jobs = sweep_.order == Order::kBlocks ? blocks(wanted) : singles(wanted);
    std::set<std::string> names = taken;
    for (auto& job : jobs) {
      const std::string name = job.name;
      for (int i = 2; !names.insert(job.name).second; ++i) job.name = fmt::format("{}+{}", name, i);
    }
    return jobs;
  }

 private:
  PlannedRun run(const Wanted& wanted, std::int64_t position) const {
    std::string name =
        fmt::format("{}{}-a{}", names_.at(wanted.point->id), mark_, wanted.allocation);
    if (sweep_.repeats.runs > 1) name += fmt::format("-r{}", wanted.repeat);
    return {name, wanted.point->id, wanted.repeat, position};
  }

  /// One job per allocation and node count; in it one block after the other.
  std::vector<PlannedJob> blocks(const std::vector<Wanted>& wanted) const {
    std::map<std::tuple<std::int64_t, std::int64_t>, std::map<std::int64_t, std::vector<Wanted>>>
        jobs_of;
    for (const auto& one : wanted) {
      jobs_of[{one.allocation, nodes_of(*one.point, sweep_.cluster)}][one.repeat].push_back(one);
    }
    std::vector<PlannedJob> jobs;
    for (auto& [where, blocks] : jobs_of) {
      const auto& [allocation, nodes] = where;
      PlannedJob job{
          fmt::format("{}{}-a{}-n{}", file_name_of(sweep_.name), mark_, allocation, nodes),
          allocation,
          nodes,
          {}};
      for (auto& block : blocks) {
        Random random(
            seed_of(sweep_.seed, fmt::format("a{} n{} r{}", allocation, nodes, block.first)));
        random.shuffle(block.second);
        for (const auto& one : block.second)
          job.runs.push_back(run(one, static_cast<std::int64_t>(job.runs.size()) + 1));
      }
      jobs.push_back(std::move(job));
    }
    return jobs;
  }

  /// One job per point and allocation.
  std::vector<PlannedJob> singles(const std::vector<Wanted>& wanted) const {
    std::vector<PlannedJob> jobs;
    for (const auto& one : wanted) {
      const PlannedRun run = this->run(one, one.repeat);
      const std::string name =
          fmt::format("{}{}-a{}", names_.at(one.point->id), mark_, one.allocation);
      if (jobs.empty() || jobs.back().name != name) {
        jobs.push_back({name, one.allocation, nodes_of(*one.point, sweep_.cluster), {}});
      }
      jobs.back().runs.push_back(run);
    }
    if (sweep_.order == Order::kShuffled) Random(seed_of(sweep_.seed, "shuffled")).shuffle(jobs);
    return jobs;
  }

  const Sweep& sweep_;
  std::string mark_;
  std::map<std::string, std::string> names_;
};

std::vector<Wanted> wanted_runs(const Sweep& sweep) {
  std::vector<Wanted> wanted;
  for (const auto& point : sweep.points) {
    for (std::int64_t allocation = 1; allocation <= sweep.repeats.allocations; ++allocation) {
      for (std::int64_t repeat = 1; repeat <= sweep.repeats.runs; ++repeat)
        wanted.push_back({&point, allocation, repeat});
    }
  }
  return wanted;
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
  campaign.peak_tflops = sweep.cluster.accelerator.peak_tflops;
  campaign.scheduler = sweep.cluster.scheduler;
  campaign.order = text_of(sweep.order);
  campaign.seed = sweep.seed;
  campaign.warmup = sweep.warmup;
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
  next.warmup = sweep.warmup;
  next.dropped = sweep.dropped;
  std::set<std::string> kept_ids, job_names;
  for (auto& job : next.jobs) {
    std::erase_if(job.runs, [&](const PlannedRun& run) {
      return !wanted_keys.count({run.point_id, job.allocation, run.repeat}) && !has_begun(job, run);
    });
    for (const auto& run : job.runs) {
      planned.insert({run.point_id, job.allocation, run.repeat});
      kept_ids.insert(run.point_id);
    }
    job_names.insert(job.name);
  }
  std::erase_if(next.jobs, [](const PlannedJob& job) { return job.runs.empty(); });
  next.points = merged(campaign.points, kept_ids, sweep.points);
  std::vector<Wanted> added = wanted;
  std::erase_if(added, [&](const Wanted& one) {
    return planned.count({one.point->id, one.allocation, one.repeat}) > 0;
  });
  for (auto& job : Planner(sweep, campaign.number, next.points).jobs(added, job_names))
    next.jobs.push_back(std::move(job));
  return next;
}

Campaign open_campaign(SweepFolder& folder, const Sweep& sweep, bool again,
                       const std::string& now) {
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
  Campaign campaign = newest == 0 || again
                          ? begin_campaign(sweep, newest + 1, now)
                          : continue_campaign(folder.load_campaign(newest), sweep, has_begun);
  folder.save_campaign(campaign);
  return campaign;
}

}  // namespace pippin
