// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace pippin::probes {

/// Empty where the variable is not set.
std::string environment(const char* name);

/// Whether both of torchrun's variables are set, RANK and WORLD_SIZE; one of them alone is often
/// left by a script that means something else.
bool launched_like_torchrun();

/// How many processes were launched together, as mpirun, torchrun or srun says; 1 without any. An
/// inner launcher comes before an outer: mpirun, torchrun, srun.
/// A job's own SLURM_NTASKS does not count: its batch script is one process of many tasks' job.
/// Errors: Error (bad input) where the variable is no number.
std::int64_t launched_world();

/// This process among them, from 0.
std::int64_t launched_rank();

}  // namespace pippin::probes
