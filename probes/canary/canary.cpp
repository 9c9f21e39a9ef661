// SPDX-License-Identifier: Apache-2.0
#include "probes/canary/canary.h"

#include <algorithm>

#include "probes/collective/measure.h"
#include "probes/collective/pairs.h"
#include "probes/comm/gather.h"
#include "probes/common/clock.h"

namespace pippin::probes {

namespace {

constexpr std::int64_t kSmallestSide = 64;
constexpr std::int64_t kTrialBytes = 256 << 10;
constexpr double kFewest = 8;  ///< repetitions that should fit
// Shares of the whole at which a part should be over.
constexpr double kProductEnd = 0.4, kLatencyEnd = 0.55, kBandwidthEnd = 0.75, kEnd = 0.92;

/// The wall time since the start, the same to all ranks when asked together.
class Watch {
 public:
  Watch(Communicator& world, double seconds)
      : world_(world), start_(now_seconds()), seconds_(seconds) {}
  double own() const { return now_seconds() - start_; }
  double elapsed() const { return largest(world_, own()); }
  /// Seconds until `share` of the whole is over; negative when it is.
  double until(double share) const { return share * seconds_ - elapsed(); }

 private:
  Communicator& world_;
  double start_, seconds_;
};

Product square(std::int64_t side) { return linear_products("square", side, side, side).front(); }

/// The slowest rank's best time of a product. Unit: seconds.
template <typename T>
double time_product(const CanaryGround<T>& ground, std::int64_t side) {
  const auto times = ProductBench<T>(ground.device, ground.clock, square(side)).run_for(0);
  return largest(ground.comm.host(), *std::min_element(times.begin(), times.end()));
}

/// The largest side of which a few products fit into `seconds` on every rank: by trials of up to a
/// quarter of the largest, none of which takes a tenth of them.
template <typename T>
std::int64_t fitting_side(const CanaryGround<T>& ground, double seconds) {
  std::int64_t side = kSmallestSide;
  double time = time_product(ground, side);
  while (4 * side < ground.most.side && kFewest * 8 * time < 0.1 * seconds)
    time = time_product(ground, side *= 2);
  for (; 2 * side <= ground.most.side && kFewest * 8 * time <= seconds; side *= 2) time *= 8;
  return side;
}

template <typename T>
void read_product(CanaryReading& reading, const CanaryGround<T>& ground, const Watch& watch,
                  double end) {
  ground.device.prepare({1, 1, {1, 1, 1, 1, 8}, false});  // a product needs none of it
  reading.product =
      square(ground.fixed.side > 0 ? ground.fixed.side : fitting_side(ground, watch.until(end)));
  ProductBench<T> bench(ground.device, ground.clock, reading.product);
  const double seconds = watch.until(end);
  reading.of_rank = gathered(ground.comm.host(), speed_of(reading.product, bench.run_for(seconds)));
}

CollectiveCall all_reduce_of(std::int64_t bytes) {
  CollectiveCall call;
  call.count = bytes / bytes_of(call.element);
  return call;
}

/// Calls in bouts until no more of them fit.
AllReduceReading read_all_reduce(Communicator& comm, CollectiveBuffers& buffers, std::int64_t bytes,
                                 const Watch& watch, double end) {
  constexpr double kBouts = 10, kMany = 20000;
  const CollectiveCall call = all_reduce_of(bytes);
  const PreparedCall make_call(call, comm, buffers);
  make_call();
  const double each = 2e-6 * time_in_a_row(make_call, comm.host(), 2);  // with its barrier
  const double fewest = bytes < kFewestBytes ? 20 : 2;
  const double bout = std::clamp(watch.until(end) / kBouts / each, fewest, kMany / kBouts);
  std::vector<double> times;
  for (double left = watch.until(end), took = 0; times.empty() || took < left;) {
    const EachTimes more = time_each(make_call, comm.host(), static_cast<std::int64_t>(bout));
    times.insert(times.end(), more.call.begin(), more.call.end());
    const double before = left;
    left = watch.until(end);
    took = before - left;
    if (static_cast<double>(times.size()) >= kMany) break;
  }
  const Spread spread = spread_of(times);
  return {bytes, spread,
          algorithm_bandwidth(call, comm.size(), spread.median) *
              bus_factor(call.operation, comm.size())};
}

/// The most bytes of which a few all-reduces fit into `seconds`.
std::int64_t fitting_bytes(Communicator& comm, CollectiveBuffers& buffers, std::int64_t most,
                           double seconds) {
  const CollectiveCall call = all_reduce_of(kTrialBytes);
  const PreparedCall make_call(call, comm, buffers);
  make_call();
  const double trial = 1e-6 * time_in_a_row(make_call, comm.host(), 2);
  std::int64_t bytes = most;
  while (bytes > kFewestBytes &&
         kFewest * trial * static_cast<double>(bytes) / kTrialBytes > seconds)
    bytes /= 2;
  return bytes;
}

template <typename T>
void read_pairs(CanaryReading& reading, const CanaryGround<T>& ground, CollectiveBuffers& buffers,
                double seconds) {
  const Nodes& nodes = reading.places;
  const auto& reference = reading.all_reduces.back();
  const double rounds = nodes.count() - 1 + nodes.count() % 2;
  // An all-reduce moves at least as much as an exchange of as many bytes.
  std::int64_t bytes =
      ground.fixed.pair_bytes > 0 ? ground.fixed.pair_bytes : ground.most.pair_bytes;
  const auto round_seconds = [&] {
    return 1e-6 * reference.time_us.median * static_cast<double>(bytes) /
           static_cast<double>(reference.bytes);
  };
  while (ground.fixed.pair_bytes == 0 && bytes > kFewestBytes &&
         rounds * 4 * round_seconds() > seconds)
    bytes /= 2;
  const auto times =
      static_cast<std::int64_t>(std::clamp(seconds / (rounds * round_seconds()) - 1, 3.0, 20.0));
  const auto found =
      measure_pairs(ground.comm, nodes.first_rank, bytes, times, buffers.space.memory());
  for (int a = 0; a < nodes.count(); ++a)
    for (int b = a + 1; b < nodes.count(); ++b)
      reading.pairs.push_back({nodes.names[a], nodes.names[b], found.of(a, b), bytes, times});
}

/// Requires several ranks.
template <typename T>
void read_network(CanaryReading& reading, const CanaryGround<T>& ground, const Watch& watch) {
  const bool has_pairs = reading.nodes > 1;
  const double end = has_pairs ? kBandwidthEnd : kEnd;
  const CanarySizes& fixed = ground.fixed;
  CollectiveBuffers buffers(ground.space, std::max(ground.most.bytes, fixed.bytes));
  reading.all_reduces.push_back(read_all_reduce(ground.comm, buffers, 8, watch, kLatencyEnd));
  const std::int64_t bytes =
      fixed.bytes > 0 ? fixed.bytes
                      : fitting_bytes(ground.comm, buffers, ground.most.bytes, watch.until(end));
  reading.all_reduces.push_back(read_all_reduce(ground.comm, buffers, bytes, watch, end));
  if (has_pairs) read_pairs(reading, ground, buffers, watch.until(kEnd));
}

}  // namespace

CanarySizes sizes_of(const CanaryReading& reading) {
  CanarySizes sizes;
  sizes.side = reading.product.m();
  if (!reading.all_reduces.empty()) sizes.bytes = reading.all_reduces.back().bytes;
  if (!reading.pairs.empty()) sizes.pair_bytes = reading.pairs.back().bytes;
  return sizes;
}

template <typename T>
CanaryReading take_reading(const CanaryGround<T>& ground, double seconds) {
  Communicator& world = ground.comm.host();
  world.barrier();
  const Watch watch(world, seconds);
  CanaryReading reading;
  reading.places = find_nodes(world);
  reading.ranks = world.size();
  reading.nodes = reading.places.count();
  reading.library = ground.library;
  const bool alone = world.size() == 1;
  read_product(reading, ground, watch, alone ? kEnd : kProductEnd);
  if (!alone) read_network(reading, ground, watch);
  reading.seconds = watch.elapsed();
  return reading;
}

template CanaryReading take_reading(const CanaryGround<BFloat16>&, double);
template CanaryReading take_reading(const CanaryGround<float>&, double);

}  // namespace pippin::probes
