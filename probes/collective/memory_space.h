// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probes/device/memory.h"

namespace pippin::probes {

class KnownData;

/// Memory that calls are made on, and who can look at it: the processor's, or a GPU's. What returns
/// nothing may return before it is done; what is called next here, or over the memory's
/// communicator, comes after it.
class MemorySpace {
 public:
  virtual ~MemorySpace() = default;
  virtual Memory& memory() = 0;

  virtual void clear(void* data, std::int64_t bytes) = 0;
  virtual void copy(const void* from, void* to, std::int64_t bytes) = 0;
  /// Puts the inputs there.
  virtual void fill(const KnownData& data, void* place) = 0;
  /// Elements there that are not the results.
  virtual std::int64_t count_wrong(const KnownData& data, const void* place) = 0;
};

}  // namespace pippin::probes
