// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "probes/comm/communicator.h"
#include "probes/common/clock.h"
#include "probes/device/device.h"
#include "probes/gemm/products.h"

namespace pippin::probes {

/// Makes one product over and over. Its operands are drawn once. T is float, BFloat16 or Half.
template <typename T>
class ProductBench {
 public:
  /// `device` and `clock`, which is the device's, must outlive it. Errors: Error (out of memory).
  ProductBench(Device<T>& device, Clock& clock, const Product& product);

  /// Again and again for `seconds`, at least three times after one of warm-up. Unit: seconds each.
  std::vector<double> run_for(double seconds);

  /// Once; may return before it is done, as the device has it.
  void make();

 private:
  /// So many times. Unit: seconds each.
  std::vector<double> run(std::int64_t times);
  void make_linear();
  void make_attention();

  Device<T>& device_;
  Clock& clock_;
  Product product_;
  Buffer<T> input_, weight_, output_;  ///< of a linear layer
  Buffer<Wide<T>> sums_;               ///< of its weight's gradient
  Buffer<T> qkv_, dqkv_, context_;     ///< of attention
  Buffer<Wide<T>> kept_;
};

/// How fast one rank made a product, over its repetitions. Unit: 1e12 operations a second.
struct Speed {
  double min = 0, median = 0, max = 0;
  std::int64_t repetitions = 0;
};

Speed speed_of(const Product& product, const std::vector<double>& seconds);

/// Every rank's speed, in the order of the ranks.
std::vector<Speed> gathered(Communicator& comm, const Speed& mine);

/// The rank with the lowest median.
int slowest_rank(const std::vector<Speed>& of_rank);

}  // namespace pippin::probes
