// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probes/collective/memory_space.h"

namespace pippin::probes {

/// This machine's memory.
class HostSpace final : public MemorySpace {
 public:
  Memory& memory() override { return memory_; }
  void clear(void* data, std::int64_t bytes) override;
  void copy(const void* from, void* to, std::int64_t bytes) override;
  void fill(const KnownData& data, void* place) override;
  std::int64_t count_wrong(const KnownData& data, const void* place) override;

 private:
  Memory memory_;
};

}  // namespace pippin::probes
