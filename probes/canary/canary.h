// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probes/collective/memory_space.h"
#include "probes/comm/nodes.h"
#include "probes/common/spread.h"
#include "probes/device/device.h"
#include "probes/gemm/measure.h"

namespace pippin::probes {

struct AllReduceReading {
  std::int64_t bytes;
  Spread time_us;    ///< of each call, on the rank where it took longest
  double busbw_gbs;  ///< 1e9 bytes per second, at the median
};

struct PairReading {
  std::string a, b;          ///< nodes
  double gbs;                ///< 1e9 bytes per second, each way while both ways run
  std::int64_t bytes;        ///< of each message
  std::int64_t repetitions;  ///< of which `gbs` is the median
};

/// How the machine is now.
struct CanaryReading {
  double seconds = 0;  ///< that the reading took
  int ranks = 1, nodes = 1;
  std::string library;  ///< that the ranks' memory was sent by
  Product product;
  std::vector<Speed> of_rank;
  Nodes places;                               ///< of the ranks
  std::vector<AllReduceReading> all_reduces;  ///< none of a rank alone
  std::vector<PairReading> pairs;             ///< none on one node
};

/// How large products and messages are: readings of equal sizes can be compared.
struct CanarySizes {
  std::int64_t side = 0;        ///< of the product's matrices
  std::int64_t bytes = 0;       ///< of the larger all-reduce
  std::int64_t pair_bytes = 0;  ///< that a pair exchanges
};
/// What they are at most where they are chosen by what fits.
inline constexpr CanarySizes kProcessorSizes{512, 4 << 20, 4 << 20};
inline constexpr CanarySizes kGpuSizes{8192, 64 << 20, 64 << 20};
/// The least message that may be asked for.
inline constexpr std::int64_t kFewestBytes = 64 << 10;

/// The sizes that a reading had; 0 of what it did not make.
CanarySizes sizes_of(const CanaryReading& reading);

/// What a rank's reading is taken on.
template <typename T>
struct CanaryGround {
  Device<T>& device;
  Clock& clock;         ///< the device's
  Communicator& comm;   ///< its host() is what the measuring itself talks by
  MemorySpace& space;   ///< that `comm` talks about
  std::string library;  ///< that `comm` talks by, with its version
  CanarySizes most;
  CanarySizes fixed;  ///< 0: what fits
};

/// Takes a reading within about `seconds` of wall time, on all ranks together: 40 % of it for the
/// product, the rest for 8 bytes, for the larger all-reduce and for the pairs of nodes. Sizes only
/// shrink where a few repetitions would not fit; fixed ones do not, and on a slow machine take
/// longer. T is float or BFloat16.
template <typename T>
CanaryReading take_reading(const CanaryGround<T>& ground, double seconds);

}  // namespace pippin::probes
