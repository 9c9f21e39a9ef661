// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/records/cluster.h"

namespace pippin {

/// Whether sbatch's --time can read `text`: minutes, M:S, H:M:S, D-H, D-H:M, D-H:M:S, or UNLIMITED.
/// Source: sbatch(1).
bool is_time_limit(std::string_view text);

/// What such a text says, in seconds; nothing for UNLIMITED and what is none.
std::optional<double> seconds_of_time(std::string_view text);

/// "5 min", "90 s", "1.5 h", or as seconds_of_time(); nothing where it is none of these.
std::optional<double> seconds_of_duration(std::string_view text);

/// The time limit of a cluster's jobs, in seconds; nothing where there is none (also: 0,
/// UNLIMITED).
std::optional<double> time_limit_s(const Cluster& cluster);

/// Where a cluster file says so: "slurm: time" or "pbs: walltime".
std::string time_limit_key(const Cluster& cluster);

}  // namespace pippin
