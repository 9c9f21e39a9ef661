#pragma once

#include <cstdint>
#include <string>

namespace pippin::probes {

/// Empty where the variable is not set.
std::string environment(const char* name);

/// How many processes were launched together, as mpirun or srun says; 1 without either.
/// A job's own SLURM_NTASKS does not count: its batch script is one process of many tasks' job.
/// Errors: Error (bad input) where the variable is no number.
std::int64_t launched_world();

/// This process among them, from 0.
std::int64_t launched_rank();

}  // namespace pippin::probes
