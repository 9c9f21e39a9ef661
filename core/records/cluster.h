// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/records/value.h"

namespace pippin {

/// What a device can do at best, by number type, dense: {"bf16", 989}.
using PeakTflops = std::vector<std::pair<std::string, double>>;

/// One kind of GPU (or CPU). Source: sweeps/accelerators.yaml names one for each figure.
struct Accelerator {
  std::string name;
  std::optional<double> memory_gib;
  std::optional<double> bandwidth_gb_per_s;
  PeakTflops peak_tflops;
  std::optional<double> compute_capability = {};  ///< of NVIDIA's GPUs: 7.0
  std::optional<double> link_gb_per_s = {};       ///< to the others of its node, one way
  std::optional<std::int64_t> units = {};         ///< multiprocessors
  std::vector<std::string> called = {};           ///< in tables that others publish
  PeakTflops best_tflops = {};                    ///< of the best product that anybody measured
};

/// What a cluster's file says of its speed. Source: sweeps/estimate/step_time.h has the names.
struct ClusterRates {
  std::vector<std::pair<std::string, double>> values;  ///< those that differ from the usual
  std::optional<double> half_width;     ///< of the logarithm of measured by predicted, 19 of 20
  std::optional<double> node_gb_per_s;  ///< of a node to the others, all adapters together
  /// How unsure rates are together: of each its correlations with those before it, then its spread.
  std::vector<std::pair<std::string, std::vector<double>>> uncertainty = {};
  double variance_of_learned = 0;  ///< sweeps/estimate/rate_uncertainty.h
};

/// GPU-hours above which handing a campaign over asks first, where the cluster does not say.
inline constexpr double kBudgetGpuHours = 100;

/// How late files of other machines may be seen at least, seconds: attributes of NFS are kept for a
/// minute, and a server may be busy.
inline constexpr std::int64_t kFilesLate_s = 120;

/// Where a sweep runs.
struct Cluster {
  std::string name;
  std::string scheduler;  ///< "local", "slurm" or "pbs"
  std::int64_t nodes = 1;
  std::int64_t gpus_per_node = 1;  ///< 0: a node takes any number of ranks
  Accelerator accelerator;
  std::string node_link, cluster_link;
  std::string launch;  ///< template; its {names}: sweeps/README.md, "In a command" and "A cluster"
  /// `slurm:`, any sbatch option by its long name; or `pbs:`, any qsub option by its letter and any
  /// resource by its name. The time limit is "time" in both.
  NamedValues scheduler_options;
  std::vector<std::string> prolog;  ///< bash lines before the first run of a job
  Environment env;
  std::string canary = {};  ///< bash, run around each run; placeholders as in `launch`
  double budget_gpu_hours = kBudgetGpuHours;  ///< above it handing over asks first
  /// How late this machine may see what a node has written, seconds; nothing: it is measured.
  std::optional<std::int64_t> files_late_s = {};
  ClusterRates rates = {};
};

}  // namespace pippin
