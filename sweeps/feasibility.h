// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/records/cluster.h"
#include "core/records/point.h"

namespace pippin {

/// Why a point cannot run on a cluster under a trainer of ours (`probe`, empty for a command);
/// empty where nothing speaks against it.
std::string why_infeasible(const Point& point, const Cluster& cluster, const std::string& probe);

/// Nodes that a world of `gpus` takes; one where a node takes any number of ranks.
std::int64_t nodes_for(std::int64_t gpus, const Cluster& cluster);

}  // namespace pippin
