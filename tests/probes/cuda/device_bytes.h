// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_runtime.h>
#include <string>
#include <vector>

#include "probes/comm/communicator.h"
#include "probes/common/random.h"
#include "probes/device/cuda/cuda_error.h"

namespace check {

using namespace pippin::probes;
using Bytes = std::vector<unsigned char>;
using Values = std::vector<double>;

/// Numbers as elements lie in memory.
Bytes encoded(const Values& values, Element element);

/// What a rank puts into element i of its input: small whole numbers, whose sums are exact in every
/// type and order.
inline double value_of(int rank, std::int64_t i) {
  const auto place = static_cast<std::uint64_t>(i) * 64 + static_cast<std::uint64_t>(rank);
  return static_cast<double>(mixed(place) % 8);
}

/// Bytes of the GPU's memory, and some behind them that nobody may write to. All are poison at
/// first. Copies are put into the stream.
class Block {
 public:
  Block(std::int64_t bytes, cudaStream_t stream);
  ~Block() { (void)cudaFree(data_); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  unsigned char* at(std::int64_t offset) { return data_ + offset; }
  void put(const Bytes& bytes, std::int64_t offset);
  /// Waits for the stream. All of it, with what is behind.
  Bytes all() const;

  static constexpr std::int64_t kBehind = 64;

 private:
  std::size_t bytes_;  ///< with those behind
  cudaStream_t stream_;
  unsigned char* data_ = nullptr;
};

/// Counts what was right, and says what was not.
struct Tally {
  int rank;
  int passed = 0, failed = 0;

  /// `block` has the bytes from `offset` on, and nothing was written behind its `size`.
  void expect(const std::string& name, const Block& block, std::int64_t size, const Bytes& bytes,
              std::int64_t offset = 0);
};

}  // namespace check
