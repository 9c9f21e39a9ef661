#pragma once

#include <cstdint>
#include <string>
#include <vector>

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
  std::string a, b;  ///< nodes
  double gbs;        ///< 1e9 bytes per second, each way while both ways run
};

/// How the machine is now.
struct CanaryReading {
  double seconds = 0;  ///< that the reading took
  int ranks = 1, nodes = 1;
  Product product;
  std::vector<Speed> of_rank;
  std::string slowest_node;
  std::vector<AllReduceReading> all_reduces;  ///< none of a rank alone
  std::vector<PairReading> pairs;             ///< none on one node
};

/// Takes a reading within about `seconds` of wall time, on all ranks of `world` together: 40 % of
/// it for a product of up to side³, the rest for 8 bytes, for up to 4 MiB and for the pairs of
/// nodes. Sizes only shrink where a few repetitions would not fit, so that readings can be
/// compared. `clock`: the device's. T is float or BFloat16.
template <typename T>
CanaryReading take_reading(Communicator& world, Device<T>& device, Clock& clock, std::int64_t side,
                           double seconds);

inline constexpr std::int64_t kProcessorSide = 512, kGpuSide = 8192;

}  // namespace pippin::probes
