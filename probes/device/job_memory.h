// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace pippin::probes {

/// Bytes that this process's job leaves it on this node, so that who takes no more is not killed:
/// the least of what each cgroup on the process's path (versions 1 and 2) has left, pages of files
/// that it could give up counted as free, and of what Slurm has given the job here
/// (SLURM_MEM_PER_NODE, or SLURM_MEM_PER_CPU times SLURM_CPUS_ON_NODE, in MiB), less a sixteenth
/// for the program and its libraries. The largest number where nothing limits the job.
/// `root` is where proc and the cgroups lie; "" is this machine's.
/// Source: proc(5), cgroups(7), the kernel's cgroup-v1/memory.rst and cgroup-v2.rst, sbatch(1).
std::uint64_t job_bytes(const std::string& root = "");

}  // namespace pippin::probes
