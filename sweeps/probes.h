#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pippin {

/// A trainer of our own, as probes.yaml describes it.
struct Probe {
  /// kRanks: the cluster's launcher starts one process a rank; kOnce: one process stands for all.
  enum class Launch { kRanks, kOnce };
  std::string name;
  Launch launch = Launch::kRanks;
  std::vector<std::string> options;  ///< by the names of axes, with underscores
};

/// Nothing where no probe has that name.
std::optional<Probe> find_probe(std::string_view name);
std::vector<std::string> probe_names();

}  // namespace pippin
