// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/records/cluster.h"
#include "core/records/point_origin.h"
#include "sweeps/estimate/step_time.h"

namespace pippin {

/// What a person says of machines that the database does not know.
struct GivenMachine {
  std::optional<Cluster> cluster;
  std::optional<Accelerator> accelerator;
  std::optional<double> node_gb_per_s;
};

/// A stored point as what an estimate is made of, or in words why not.
struct StoredSetup {
  std::optional<Setup> setup;
  std::optional<Accelerator> accelerator;  ///< nothing where it is not known
  std::optional<Machine> machine;          ///< nothing where its time cannot be judged
  std::optional<Cluster> cluster;          ///< the file that it ran by, where that is known
  std::optional<double> limit_gib;         ///< of memory, where its trainer was told one
  std::string why_not;                     ///< why there is no setup
  std::string why_no_memory, why_no_time;  ///< where there is one
};

/// Makes a setup of what is stored of a point: the dump of its arguments, its own values where our
/// `training` ran, or Megatron's arguments in its command. The GPU is the driver's, else the
/// campaign's, else the given one. `recompute`: as its runs have it, empty where unknown.
StoredSetup stored_setup(const Point& point, const PointOrigin& origin,
                         const std::string& recompute, const GivenMachine& given);

}  // namespace pippin
