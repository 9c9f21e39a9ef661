// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/jobs/batch.h"
#include "core/jobs/scheduler.h"
#include "core/records/cluster.h"

namespace pippin {

/// The scheduler of a cluster. `only_looks`: it will be asked how jobs are, and must write nothing.
/// Errors: Error (bad input) for one that cannot be submitted to.
std::unique_ptr<Scheduler> scheduler_of(const fs::path& db, const std::string& scheduler,
                                        const NamedValues& options = {}, bool only_looks = false);

/// The lines of its script that say so; none where the scheduler reads none.
std::vector<std::string> directives_of(const Cluster& cluster, const JobWishes& job);

}  // namespace pippin
