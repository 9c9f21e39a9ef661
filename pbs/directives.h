// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/jobs/batch.h"
#include "core/records/cluster.h"

namespace pippin {

/// The `#PBS` lines of one job: its name, bash, its nodes, and of the cluster file's `pbs:` each
/// option by its letter, any other word as a resource of `-l`. `chunk` is what a node's part of
/// `select` asks for; without it as many ncpus as ranks, and as many ngpus where there are GPUs.
/// Nodes differ ("place=scatter") unless `place` says otherwise. An option without a value
/// ("V: true") stands bare; "V: false" leaves it out.
/// Errors: Error (bad input) for a value that a #PBS line cannot hold (a line break).
std::vector<std::string> pbs_directives(const Cluster& cluster, const JobWishes& job);

}  // namespace pippin
