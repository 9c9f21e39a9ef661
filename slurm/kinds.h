// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "slurm/describe.h"

/// The kinds of nodes of a partition, and how a job asks for one of them. Pure.
namespace pippin::slurm {

/// Nodes of a partition that are alike: GPUs, processors, memory (to a tenth), and features but for
/// those that say where a node stands ("rack3").
struct Kind {
  Nodes node;  ///< `count` nodes; `memory_mb` the least of any; `features` those of all; no `state`
  std::int64_t broken = 0;  ///< of them cannot be used now
  std::string words;        ///< "3 with gpu:4, 40 cores, 32 GB, v100-32g"
  std::string label;        ///< for a file's name: "v100-32g"; empty where one file is all
  std::string constraint;  ///< for sbatch, "v100-32g&ib"; empty where none is needed, or would help
  std::optional<std::int64_t> memory_mb;  ///< to ask for, more than nodes of other kinds have
  std::vector<std::string> also;          ///< words of kinds whose nodes such a job may get, too
  std::string left_out;                   ///< why it gets no cluster file; empty where it gets one
};

/// Those with GPUs first, then those of which more can be used. At least one is not left out; none
/// where the partition has no nodes.
std::vector<Kind> kinds_of(const std::vector<Nodes>& nodes, const Partition& partition);

/// What a job asks for on each node.
struct JobShape {
  std::int64_t ranks = 1;
  std::int64_t cpus = 1;         ///< of the node: cores, or threads where Slurm counts them
  bool one_thread = false;       ///< Slurm counts threads, and `cpus` are cores: hint nomultithread
  std::int64_t cpus_a_rank = 1;  ///< ranks × this fit on the node
};

/// A rank for each GPU; without GPUs one for each socket: its cores are the rank's threads, and its
/// memory is near. A node that was described to Slurm by its CPUs alone has a "socket" for each.
JobShape shape_of(const Nodes& node, const Partition& partition);

/// "gpu:a100:4"
std::string gres_text(const Gpus& gpus);

}  // namespace pippin::slurm
