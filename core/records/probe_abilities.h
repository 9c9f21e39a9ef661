// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pippin {

/// What one option of a probe accepts.
struct ProbeOption {
  enum class Kind { kChoice, kWhole, kNumber, kSize, kShare, kWord };
  Kind kind = Kind::kWord;
  std::vector<std::string> choices;   ///< of a choice
  std::optional<double> least, most;  ///< of numbers; a size's are bytes
};

/// What one program of a probe says that it can do. Source: probes/LOG_FORMAT.md.
struct ProbeAbilities {
  std::string probe;                           ///< "training"
  std::map<std::string, ProbeOption> options;  ///< by the names of axes, with underscores
  std::optional<double> least_capability;      ///< of a GPU; nothing where it runs on none
};

}  // namespace pippin
