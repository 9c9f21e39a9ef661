// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "probes/collective/pairs.h"
#include "probes/collective/table.h"

namespace pippin::probes {

// The lines of --json; LOG_FORMAT.md lists their keys.

/// What was measured on and by.
struct Medium {
  std::string device;   ///< "cpu" or "cuda"
  std::string library;  ///< with its version
};

/// One measurement: a size, in place or not.
std::string measurement_record(const Row& row, bool in_place, const Effort& effort,
                               const Medium& medium);

struct PairsReport {
  Medium medium;
  std::vector<std::string> names;  ///< of the players
  std::int64_t bytes, iterations;
  PairBandwidths bandwidths;
};

/// One line a pair, then what they say together.
std::vector<std::string> pair_records(const PairsReport& report);

/// The matrix for a person.
std::vector<std::string> pair_lines(const PairsReport& report);

}  // namespace pippin::probes
