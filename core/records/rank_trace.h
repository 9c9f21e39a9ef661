// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "core/records/point.h"

namespace pippin {

/// A rank that wrote down what it did when, and where it stands. Source: probes/LOG_FORMAT.md,
/// "Traces"; likewise of all below.
struct TracedRank {
  std::int64_t rank = 0;
  std::int64_t tp = 0, dp = 0, pp = 0;  ///< its place
  std::string node;
  std::int64_t clock_offset_ns = 0;  ///< what its times lack to those of the first rank's clock
};

/// What it did for a while: it computed, or stood still for a class of traffic.
struct TracedActivity {
  std::int64_t iteration = 0;
  std::string name;  ///< "forward-compute", "pp-exposed"
  std::int64_t begin_ns = 0, duration_ns = 0;
};

/// A call of its communication.
struct TracedCall {
  std::int64_t iteration = 0;
  std::string of;  ///< the class of traffic: "tp", "dp-reduce"
  std::int64_t bytes = 0;
  Count to, from;  ///< of a message, the other's stage
  std::int64_t begin_ns = 0, busy_ns = 0, exposed_ns = 0, waiting_ns = 0;
};

/// The first: a line that is none of them.
using TraceRecord = std::variant<std::monostate, TracedRank, TracedActivity, TracedCall>;

/// The largest number that a record may have, in either direction: 36 years in nanoseconds. Sums of
/// a few are whole numbers still.
inline constexpr std::int64_t kMostTraced = std::int64_t{1} << 60;

}  // namespace pippin
