// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "probes/device/memory.h"

namespace pippin::probes {

/// A GPU's memory, taken in one piece that is exactly as large as it must be: what allocates is
/// made twice. The first time blocks are only counted. After reserve() the same calls in the same
/// order get them.
class CudaMemory final : public Memory {
 public:
  using Memory::Memory;  // the limit is met while blocks are counted
  ~CudaMemory() override;

  /// Zeroed bytes once they are usable, aligned to kBlock; counted rounded up to it.
  /// Errors: Error (out of memory) above the limit; Error (machine) beyond what was measured.
  void* allocate(std::uint64_t bytes) override;
  void release(void* block, std::uint64_t bytes) override;
  bool is_usable() const override { return base_ != nullptr; }

  /// Takes from the GPU what was measured. Requires: all blocks have come back.
  /// Errors: Error (out of memory) where the GPU has less.
  void reserve();

  /// Unit: bytes. As cudaMalloc aligns, so that nothing depends on what lies before.
  static constexpr std::uint64_t kBlock = 256;

 private:
  struct Block {
    std::uint64_t begin, end;
    bool is_used;
  };
  std::uint64_t top() const { return blocks_.empty() ? 0 : blocks_.back().end; }
  char* address(std::uint64_t offset) const;

  std::vector<Block> blocks_;  ///< as they lie; what has come back below others is still taken
  std::uint64_t measured_ = 0;
  char* base_ = nullptr;
};

}  // namespace pippin::probes
