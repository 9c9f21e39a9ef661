// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/records/summary.h"

namespace pippin::calibration {

/// What is true of a simulated campaign. SDs are of ln(time).
struct Truth {
  std::size_t rows = 1, allocations = 5, runs = 1;
  std::int64_t lines = 20;
  double allocation_sd = 0.08, run_sd = 0.01, iteration_sd = 0.02;
  double shift = 0;                ///< of all rows: ln
  std::vector<double> row_shifts;  ///< of single rows: ln; those missing are 0
  bool own_jobs = false;           ///< each point has its own allocations; else all share them
};

/// A campaign with that truth, each run digested; `name` tells its allocations from another's.
std::vector<PointSamples> campaign(const Truth& truth, const std::string& name, Random& random);

}  // namespace pippin::calibration
