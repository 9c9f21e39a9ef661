// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace pippin::db {

/// What stands for the runs of a point of which all were set aside.
inline std::string dropped_reason(const std::string& because) { return "dropped: " + because; }

/// What holds for runs that are not set aside; `runs` and `allocations` are joined.
inline constexpr const char* kKeptRuns =
    "runs.id NOT IN (SELECT run FROM dropped_runs) AND (allocations.campaign IS NULL OR "
    "allocations.campaign NOT IN (SELECT campaign FROM dropped_campaigns))";

}  // namespace pippin::db
