#pragma once

#include "probes/canary/canary.h"

namespace pippin::probes {

/// A reading whose product is in bfloat16 on the GPU of this rank's local number; what ranks send
/// is the processor's. Errors: Error (no device) where there is none, and in a program that was
/// built without CUDA.
CanaryReading take_reading_on_gpu(Communicator& world, double seconds);

}  // namespace pippin::probes
