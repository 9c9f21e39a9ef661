// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/records/canary_reading.h"
#include "core/records/run.h"

namespace pippin {

/// What a canary says of the machine, in short.
struct CanaryEvidence {
  std::int64_t reading = 0;           ///< its id in the database: two runs may share one
  std::int64_t taken_at = 0;          ///< seconds since 1970, UTC
  std::int64_t ranks = 0, nodes = 0;  ///< how many took it
  std::int64_t all_reduce_bytes = 0;  ///< of the largest all-reduce; 0: none was made
  double all_reduce_us = 0;           ///< its median
  CanaryGemm gemm;                    ///< its m is 0 where none was made
  std::vector<CanaryNode> by_node;    ///< empty: unknown
  std::vector<CanaryPair> pairs;
  std::string cluster = {};  ///< of its campaign; empty: unknown, or no campaign's
};

/// Where a run was, and how fast the machine was then.
struct RunEvidence {
  std::int64_t run = 0;
  std::vector<std::string> nodes;  ///< in the order of their names; empty: unknown
  std::optional<CanaryEvidence> before, after;
  std::vector<SlowestRank> slowest_ranks;
};

/// One operation of one size, and who measured it when.
struct CollectiveReading {
  std::int64_t reading = 0, taken_at = 0;  ///< as CanaryEvidence has them
  std::int64_t ranks = 0, nodes = 0;       ///< 0: unknown
  std::string library;                     ///< "NCCL 2.28.9"; empty: unknown
  Collective measured;
  std::string cluster = {};  ///< of its campaign; empty: unknown, or no campaign's
};

/// All that is known of where the noise of some runs may come from.
struct Evidence {
  std::vector<RunEvidence> runs;
  std::vector<CanaryEvidence> collected;  ///< tables of the network that are no run's
};

}  // namespace pippin
