// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "probes/collective/operation.h"
#include "probes/common/spread.h"

namespace pippin::probes {

/// Who takes part: what is measured, and what the measuring itself talks by. They may be the same;
/// the second must work.
struct Ranks {
  Communicator& tested;
  Communicator& control;
};

struct Effort {
  std::int64_t warmup = 5, iterations = 20;
  std::int64_t checks = 1;  ///< calls whose data are checked; 0 is none
  bool each = false;        ///< times every call by itself, too
};

/// Calls one by one, each after a barrier. Unit: microseconds.
struct EachCall {
  Spread call;     ///< the call's own time, on the rank where it took longest
  Spread barrier;  ///< the time in the barrier before, on the rank that came first
  int last_rank;   ///< the one that waited least in its middle barrier: the others wait for it
};

struct Measurement {
  double mean_us = 0;                 ///< of calls in a row with nothing between, over the ranks
  std::optional<std::int64_t> wrong;  ///< elements, over the ranks; nothing where not checked
  std::optional<EachCall> each;
};

/// All ranks call these together.
Measurement measure(const CollectiveCall& call, const Ranks& ranks, const Effort& effort,
                    CollectiveBuffers& buffers);

/// Makes the call `checks` times on known data. Gives the wrong elements, over the ranks.
std::int64_t count_wrong_data(const CollectiveCall& call, const Ranks& ranks, std::int64_t checks,
                              CollectiveBuffers& buffers);

/// The mean of `iterations` calls in a row, over the ranks, as nccl-tests has its column. Unit:
/// microseconds.
double time_in_a_row(const PreparedCall& call, Communicator& control, std::int64_t iterations);

/// Samples of EachCall, in their order.
struct EachTimes {
  std::vector<double> call, barrier;
  int last_rank = 0;
};

EachTimes time_each(const PreparedCall& call, Communicator& control, std::int64_t iterations);

/// Unit: 1e9 bytes per second; 0 where no time is known.
double algorithm_bandwidth(const CollectiveCall& call, int ranks, double microseconds);

}  // namespace pippin::probes
