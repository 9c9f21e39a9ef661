// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "slurm/kinds.h"

namespace pippin::slurm {

/// What a cluster file can say of one kind of nodes of a partition.
struct ClusterFacts {
  std::string cluster, version, asked_on;  ///< Slurm's, and a date: "2026-11-20"
  Partition partition;
  Kind kind;
  std::vector<std::string> others;    ///< words of the partition's other kinds
  std::string account;                ///< the user's default; maybe empty
  std::vector<std::string> accounts;  ///< all of the user's
  std::vector<std::string> qos;       ///< those that the user may choose
  std::string pmix;                   ///< srun's plugin; empty where it has none
  std::string own_gpu;                ///< of the machine that asks, as nvidia-smi calls it
  std::optional<double> own_gpu_memory_gib;
};

/// The text of a cluster file that `pippin plan` takes as it is. Each value says where it is from;
/// what cannot be asked for is a line of comment. Pure.
std::string cluster_text(const ClusterFacts& facts);

}  // namespace pippin::slurm
