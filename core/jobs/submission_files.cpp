// SPDX-License-Identifier: Apache-2.0
#include "core/jobs/submission_files.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/base/user.h"

namespace pippin {

namespace {

/// "12 runs of sweep gpt-52b, allocation 3, 4 nodes", for the reader of a script.
std::string title_of(const Sweep& sweep, const std::vector<TaskPlan>& tasks) {
  const PlannedJob& first = *tasks.front().job;
  const std::string what =
      tasks.size() == 1
          ? fmt::format("{} of sweep {}, allocation {}", counted(tasks.front().runs.size(), "run"),
                        sweep.name, first.allocation)
          : fmt::format("an array of {} jobs of sweep {}", tasks.size(), sweep.name);
  return fmt::format("{}, {}", what, counted(static_cast<std::size_t>(first.nodes), "node"));
}

std::optional<std::int64_t> whole_seconds(const std::optional<double>& seconds) {
  return seconds ? std::optional(static_cast<std::int64_t>(std::ceil(*seconds))) : std::nullopt;
}

}  // namespace

PointIndex index_of(const std::vector<Point>& points) {
  PointIndex index;
  for (const auto& point : points) index[point.id] = &point;
  return index;
}

std::int64_t ranks_per_node(const std::vector<TaskPlan>& tasks, const PointIndex& points) {
  std::int64_t most = 1;
  for (const auto& task : tasks) {
    for (const auto& run : task.runs) {
      const std::int64_t ranks = points.at(run.point_id)->layout.gpus.value_or(1);
      most = std::max(most, (ranks + task.job->nodes - 1) / task.job->nodes);
    }
  }
  return most;
}

JobFiles submission_files(const Sweep& sweep, const PointIndex& points, const ScriptPlaces& places,
                          const Submission& submission, const std::vector<TaskPlan>& tasks,
                          std::vector<std::string> directives) {
  JobScript script;
  script.title = title_of(sweep, tasks);
  script.directives = std::move(directives);
  script.directory = fs::current_path();
  script.root = places.root;
  script.umask = own_umask();
  script.name = submission.name;
  script.submission = submission.number;
  script.prolog = sweep.cluster.prolog;
  script.run_time_s = whole_seconds(sweep.run_time_s);
  script.give_up_after = places.give_up_after;
  script.bad_node_after = places.bad_node_after;
  script.points = std::ssize(points);
  script.stalled_s = whole_seconds(sweep.stalled_s);
  script.log = sweep.trainer.log;
  if (sweep.canary_s) script.canary = {reading_time_s(sweep), reading_limit_s(sweep)};
  for (const auto& task : tasks) {
    ScriptTask part{task.job->name, {}};
    for (const auto& run : task.runs) {
      part.runs.push_back(
          script_run(sweep, *points.at(run.point_id), run, task.job->allocation, places.probes));
    }
    script.tasks.push_back(std::move(part));
  }
  JobFiles files = job_files(script);
  files.is_private = !sweep.cluster.env.empty() || !sweep.env.empty();  // a token, say
  return files;
}

}  // namespace pippin
