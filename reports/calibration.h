// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/estimate.h"
#include "sweeps/estimate/direct_rates.h"
#include "sweeps/estimate/learn_rates.h"

namespace pippin {

/// What was learned of a cluster.
struct ClusterCalibration {
  std::string cluster, accelerator;  ///< empty: unknown
  MachineFit machine;
  double node_gb_per_s = 0;  ///< that shares of links between nodes are of; 0: unknown
  LearnedRates rates;
};

/// For people: links and products as they were measured, and the rates with what they come from.
std::vector<EstimateTable> calibration_tables(const ClusterCalibration& learned);
/// For programs: all of these, a row each.
FlatTable calibration_figures(const ClusterCalibration& learned);
/// Whether there is a rate to be used that is not the usual one.
bool has_learned(const ClusterCalibration& learned);
/// The `rates:` of a cluster file. Requires has_learned().
std::string rates_yaml(const ClusterCalibration& learned);

}  // namespace pippin
