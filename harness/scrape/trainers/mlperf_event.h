// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/records/point.h"

namespace pippin {

/// One event of MLPerf's log. Source: mlcommons/logging, mllog.
struct MlPerfEvent {
  std::string key;
  double time_ms = 0;
  std::string said;  ///< its value as it is written, where that is a number or a text
  Count count;       ///< the same where it is a whole number
  /// The parts of its value; without a number where one is none.
  std::vector<std::pair<std::string, std::optional<double>>> parts;
  Count samples, step;  ///< of all steps until the event
  Count tokens;         ///< the same in tokens: they are called epochs
  std::string status;   ///< of the run that it ends

  bool has(std::string_view part) const;
  std::optional<double> number(std::string_view part) const;
};

/// What stands behind ":::MLLOG "; nothing where the line is torn.
std::optional<MlPerfEvent> mlperf_event_of(std::string_view text);

}  // namespace pippin
