// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/jobs/protocol.h"
#include "core/jobs/script.h"

namespace pippin {

/// Points by their id; they must outlive it.
using PointIndex = std::map<std::string, const Point*>;
PointIndex index_of(const std::vector<Point>& points);

/// A task as it is submitted: a planned job, and those of its runs that are not done.
struct TaskPlan {
  const PlannedJob* job;
  std::vector<PlannedRun> runs;
};

/// Enough ranks on each node for every point of the tasks.
std::int64_t ranks_per_node(const std::vector<TaskPlan>& tasks, const PointIndex& points);

/// Where the scripts of a sweep run and find things; absolute.
struct ScriptPlaces {
  fs::path root;                    ///< <db>.runs/SWEEP
  fs::path probes;                  ///< the folder of the probes' programs
  std::int64_t give_up_after = 0;   ///< failures alike, one after the other; 0: never
  std::int64_t bad_node_after = 0;  ///< failures of different points on a node; 0: never
};

/// The files of a submission that runs `tasks`, from the working directory; `points` holds those of
/// its runs, `directives` are the scheduler's lines: "#SBATCH …".
/// Errors: as script_run().
JobFiles submission_files(const Sweep& sweep, const PointIndex& points, const ScriptPlaces& places,
                          const Submission& submission, const std::vector<TaskPlan>& tasks,
                          std::vector<std::string> directives = {});

}  // namespace pippin
