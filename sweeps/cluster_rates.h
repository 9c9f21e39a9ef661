// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/records/cluster.h"
#include "sweeps/estimate/rate_uncertainty.h"
#include "sweeps/estimate/step_time.h"
#include "sweeps/yaml.h"

namespace pippin {

/// Rates by which times are predicted, and how sure they are.
struct KnownRates {
  Rates rates;
  /// Of the logarithm of measured by predicted, 19 of 20 layouts like those that were measured.
  double half_width = 0;
  std::optional<RateUncertainty> uncertainty = {};
  std::optional<double> node_gb_per_s;  ///< what the shares of links between nodes are of
  bool are_usual = true;                ///< no cluster's own
};

/// The widest `half_width` that a cluster's file may have: a twentieth to twenty times.
inline constexpr double kWidestBounds = 3;

/// Those of a cluster's file; the usual ones of its GPUs for what it does not say.
KnownRates rates_of(const Cluster& cluster);
KnownRates usual_rates(const std::optional<Accelerator>& accelerator = std::nullopt);

/// As `half_width`, of one layout.
double half_width_of(const KnownRates& known, const Setup& setup, const Machine& machine);

/// "19 of 20 runs take 5 % less to 5 % more"; `half_width`: of the logarithm.
std::string words_on_half_width(double half_width);

/// "by the rates of CLUSTER: 19 of 20 runs take …", or "by data sheets and usual rates: …", of a
/// layout that has that `half_width`.
std::string words_on_rates(const std::string& cluster, const KnownRates& known, double half_width);
/// Of many layouts.
std::string words_on_rates(const std::string& cluster, const KnownRates& known);

/// The map `rates:` of a cluster file. Errors: Error (bad input) for a name that is no rate, and a
/// value that can be none.
ClusterRates read_cluster_rates(const YamlNode& node);

}  // namespace pippin
