// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probes/device/memory.h"

namespace pippin::probes {

/// A GPU's memory, each block by itself: for what is taken and given back while nothing is timed.
class CudaHeap final : public Memory {
 public:
  /// Zeroed bytes; counted rounded up to kBlock.
  /// Errors: Error (out of memory) where the GPU has less.
  void* allocate(std::uint64_t bytes) override;
  void release(void* block, std::uint64_t bytes) override;

  static constexpr std::uint64_t kBlock = 256;  ///< bytes
};

}  // namespace pippin::probes
