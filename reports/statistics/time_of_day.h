// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pippin {

/// A daily cycle in logarithms of times, or why none can be told.
struct TimeOfDay {
  std::string refused;   ///< the reason; the rest is then 0
  double amplitude = 0;  ///< of the cycle: half of what lies between its top and its bottom
  double peak_hour = 0;  ///< in [0, 24): when times are longest
  double p = 1;          ///< of no cycle
  double inflation = 0;  ///< of the cycle's variance by the configurations, at its worst phase
};

/// One harmonic of 24 hours beside the means of the configurations.
/// Shape: `values` (logarithms), `hours` in [0, 24) and `configurations` have one item a run.
/// Refused where fewer than five values are left for the noise, where the hours lie within six or
/// near but two, or where configurations and hours go together (variance inflation of 5 or more):
/// such a difference could be either's. Source: Halberg's cosinor; the limit on inflation: shared
/// by most texts.
TimeOfDay time_of_day(const std::vector<double>& values, const std::vector<double>& hours,
                      const std::vector<std::size_t>& configurations);

}  // namespace pippin
