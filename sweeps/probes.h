// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pippin {

/// A trainer of our own, as probes.yaml describes it.
struct Probe {
  /// kRanks: the cluster's launcher starts one process a rank; kOnce: one process stands for all.
  enum class Launch { kRanks, kOnce };
  std::string name;
  Launch launch = Launch::kRanks;
  std::vector<std::string> options;  ///< by the names of axes, with underscores
  std::vector<std::string> given;    ///< options that pippin sets itself: iterations, seed
  std::vector<std::string> without;  ///< options that are no axis
  std::vector<std::string> sizes;    ///< axes in bytes
  std::vector<std::string> needs;    ///< axes that a sweep must give
  std::vector<std::string> named;    ///< axes that are in every point's name
  std::vector<std::pair<std::string, std::string>> names;     ///< axis → option where they differ
  std::vector<std::pair<std::string, std::string>> defaults;  ///< of axes that a sweep leaves out

  bool takes(std::string_view axis) const;
  /// Of an axis, with underscores.
  std::string option_of(const std::string& axis) const;
  /// Whether it trains a model over a layout; others only have ranks.
  bool has_layout() const { return takes("dp"); }
};

/// Nothing where no probe has that name.
std::optional<Probe> find_probe(std::string_view name);
std::vector<std::string> probe_names();

}  // namespace pippin
