// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What a cluster is, out of what Slurm's programs print of it. Pure.
namespace pippin::slurm {

/// The GPUs of a node. Of several types: the most numerous.
struct Gpus {
  std::string type;  ///< as Slurm calls it: "a100"; maybe empty
  std::int64_t count = 0;
  bool mixed = false;  ///< the node has others too

  friend bool operator==(const Gpus&, const Gpus&) = default;
};

/// Reads a node's Gres: "gpu:a100:4(S:0-1),nvme:1"; none in "(null)".
Gpus gpus_of(std::string_view gres);

/// Nodes of one partition that are alike and in the same state: a line of sinfo.
struct Nodes {
  std::string partition;
  std::int64_t count = 0;
  std::string state;  ///< "idle", "down*"
  std::int64_t cpus = 0, sockets = 0, cores = 0,
               threads = 0;  ///< cores of a socket, threads of one; CPUs are cores or threads
  std::int64_t memory_mb = 0;
  Gpus gpus;
  std::string features;                              ///< "v100-32g,nvlink"; maybe empty
  std::string names;                                 ///< "n[1-3],n7"
  std::int64_t reserved_cores = 0, reserved_mb = 0;  ///< that no job gets, of a node's

  /// False where no job can run there now: down, drained, failing.
  bool usable() const;
};

extern const char* const kNodesFormat;  ///< of sinfo --exact --format
/// Errors: Error (machine) quoting a line that is not as asked for.
std::vector<Nodes> read_nodes(std::string_view output);

/// `nodes` with what a site keeps for its system on them, out of `scontrol --oneliner show node`;
/// of nodes that a line of sinfo joins, those that keep differently become several. A node that
/// scontrol does not list keeps nothing.
/// Source: slurm.conf(5), CoreSpecCount, CpuSpecList and MemSpecLimit.
std::vector<Nodes> with_reserved(const std::vector<Nodes>& nodes, std::string_view output);

struct Partition {
  std::string name;
  bool is_default = false;
  std::string default_time, max_time;  ///< "7-00:00:00"; empty where there is none
  std::optional<std::int64_t> min_nodes, max_nodes, max_cpus_per_node;
  std::optional<std::int64_t> max_mb_per_node, max_mb_per_cpu;
  std::string state;                         ///< "UP", "DOWN", "DRAIN", "INACTIVE"
  std::vector<std::string> accounts;         ///< that alone may use it; empty: all …
  std::vector<std::string> denied_accounts;  ///< … but these
  bool may_use(const std::string& account) const;
  std::vector<std::string> qos, denied_qos;  ///< as accounts
  bool takes_qos(const std::string& other) const;
  bool root_only = false;  ///< nobody else may hand jobs over
  /// Why no job of a user begins there, of the partition as a whole; empty: nothing is known.
  std::string why_shut() const;
};

/// Reads `scontrol --oneliner show partition`.
std::vector<Partition> read_partitions(std::string_view output);

/// The partition called `name`; without one Slurm's default, or the only one.
/// Errors: Error (bad input) naming those that there are.
const Partition& choose_partition(const std::vector<Partition>& partitions,
                                  const std::string& name);

/// What `scontrol show config` says that matters to pippin.
struct Controller {
  std::string cluster, version;
  bool has_accounting = false;
  std::optional<std::int64_t> keeps_jobs_s;  ///< MinJobAge
  std::optional<std::int64_t> array_size, job_count;
  std::int64_t credential_life_s = 0;
  std::optional<std::int64_t> clock;  ///< its own, seconds since 1970, when it answered
};
Controller controller_of(std::string_view config);

/// The name of the best PMIx plugin in `srun --mpi=list`: "pmix", "pmix_v4"; empty without any.
std::string pmix_of(std::string_view output);

/// "slurm-wlm 22.05.8" → "22.05.8"
std::string version_of(std::string_view output);

}  // namespace pippin::slurm
