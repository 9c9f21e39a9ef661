#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/jobs/scheduler.h"
#include "core/records/cluster.h"

namespace pippin {

/// The scheduler of a cluster. Errors: Error (bad input) for one that cannot be submitted to.
std::unique_ptr<Scheduler> scheduler_of(const fs::path& db, const std::string& scheduler,
                                        const NamedValues& options = {});

/// What one job asks its scheduler for, beside what its cluster's file says.
struct JobWishes {
  std::string name;
  std::int64_t nodes = 1;
  std::int64_t ranks_per_node = 1;
  std::optional<std::int64_t> time_s = {};  ///< nothing: as the cluster file says
};

/// The lines of its script that say so; none where the scheduler reads none.
std::vector<std::string> directives_of(const Cluster& cluster, const JobWishes& job);

}  // namespace pippin
