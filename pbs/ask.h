// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/base/process.h"

namespace pippin::pbs {

/// Runs one of PBS's programs. Of the user's environment it gets all but what a job of PBS has and
/// what changes a submission (PBS_JOBID, PBS_O_*, PBS_DPREFIX, …; what says where the server is
/// stays). Times come in UTC, but qsub's, whose environment a job may inherit.
/// Errors: Error (machine) where it is not installed.
Answer ask(const std::vector<std::string>& command, std::chrono::seconds patience);

}  // namespace pippin::pbs
