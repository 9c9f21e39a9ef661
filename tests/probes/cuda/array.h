// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <cuda_runtime.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "probes/device/cuda/cuda_error.h"

namespace check {

using Numbers = std::vector<double>;

/// What V makes of each.
template <typename V>
Numbers rounded(Numbers numbers) {
  for (double& x : numbers) x = static_cast<double>(static_cast<V>(static_cast<float>(x)));
  return numbers;
}
template <>
inline Numbers rounded<double>(Numbers numbers) {
  return numbers;
}

/// An array in the GPU's memory that begins `shift` elements after an address of 256 bytes. What
/// nobody has written is not a number; what lies around it must stay so.
template <typename V>
class Array {
 public:
  explicit Array(std::int64_t count, int shift = 0)
      : count_(static_cast<std::size_t>(count)), shift_(static_cast<std::size_t>(shift)) {
    pippin::probes::cuda::require_cuda(cudaMalloc(&block_, bytes()), "cudaMalloc");
    host_.resize(bytes());
    std::memset(host_.data(), 0xFF, bytes());
    upload();
  }
  Array(const Numbers& numbers, int shift)
      : Array(static_cast<std::int64_t>(numbers.size()), shift) {
    for (std::size_t i = 0; i < count_; ++i) {
      V number;
      if constexpr (sizeof(V) == 8)
        number = static_cast<V>(numbers[i]);
      else
        number = static_cast<V>(static_cast<float>(numbers[i]));
      std::memcpy(host_.data() + begin() + i * sizeof(V), &number, sizeof number);
    }
    upload();
  }
  ~Array() { (void)cudaFree(block_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  V* data() { return reinterpret_cast<V*>(static_cast<char*>(block_) + begin()); }

  /// Waits for the GPU. Throws where something was written around the array.
  Numbers numbers() {
    using pippin::probes::cuda::require_cuda;
    require_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    require_cuda(cudaMemcpy(host_.data(), block_, bytes(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    for (std::size_t i = 0; i < bytes(); ++i) {
      const bool is_around = i < begin() || i >= begin() + count_ * sizeof(V);
      if (is_around && host_[i] != 0xFF)
        throw std::runtime_error("written outside, " + std::to_string(i) + " bytes from " +
                                 std::to_string(begin()) + " + " + std::to_string(count_));
    }
    Numbers numbers(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      V number;
      std::memcpy(&number, host_.data() + begin() + i * sizeof(V), sizeof number);
      numbers[i] = static_cast<double>(number);
    }
    return numbers;
  }

 private:
  static constexpr std::size_t kAround = 256;
  std::size_t begin() const { return kAround + shift_ * sizeof(V); }
  std::size_t bytes() const { return begin() + count_ * sizeof(V) + kAround; }
  void upload() {
    pippin::probes::cuda::require_cuda(
        cudaMemcpy(block_, host_.data(), bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
    // It may still be on its way, and the device's stream does not wait for this one.
    pippin::probes::cuda::require_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

  std::size_t count_, shift_;
  void* block_ = nullptr;
  std::vector<unsigned char> host_;
};

}  // namespace check
