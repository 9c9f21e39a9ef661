// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/base/process.h"
#include "core/base/user.h"

namespace pippin::slurm {

/// Separates the fields that we ask for; no name of ours or of Slurm's holds it.
inline constexpr char kSeparator = '\x1f';

/// Runs one of Slurm's programs. Of the user's environment it gets all but what changes its answers
/// or a submission (SLURM_*, SBATCH_*, SQUEUE_*, …; SLURM_CONF and SLURM_JWT stay); times come as
/// seconds since 1970, lists of array tasks in full. sbatch, whose environment jobs inherit, gets
/// how sruns of jobs launch ranks (SLURM_MPI_TYPE), where pippin runs in no job itself.
/// Errors: Error (machine) where it is not installed.
Answer ask(const std::vector<std::string>& command, std::chrono::seconds patience);

using pippin::complaint_of;
using pippin::own_user;

/// Variables such as SBATCH_PARTITION or SLURM_CLUSTERS, which sbatch would follow and pippin does
/// not pass on: what a job asks for stands in its script.
std::vector<std::string> dropped_variables();

}  // namespace pippin::slurm
