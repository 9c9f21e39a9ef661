// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sweeps/estimate/setup.h"

namespace pippin {

/// What the training probe takes on a processor, of one rank of a stage. Unit: bytes.
struct ProbeMemory {
  std::int64_t parameters = 0;   ///< the values that it computes with
  std::int64_t gradients = 0;    ///< with the reduced part that ZeRO-1 keeps apart
  std::int64_t optimizer = 0;    ///< Adam's moments, and wide copies of narrow values
  std::int64_t activations = 0;  ///< kept for the backward pass by the micro-batches in flight
  std::int64_t scratch = 0;
  std::int64_t all() const { return parameters + gradients + optimizer + activations + scratch; }
};

/// As it counts itself in fp32 with one thread: it takes all of it before the first step. In 16
/// bits a processor needs room for wide copies besides, which are not in this. Source:
/// probes/training/stage.cpp, update.cpp, shards.cpp; probes/device/cpu_attention.cpp.
ProbeMemory probe_memory(const Setup& setup, std::int64_t stage);

}  // namespace pippin
