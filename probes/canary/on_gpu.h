// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probes/canary/canary.h"
#include "probes/comm/session.h"

namespace pippin::probes {

/// A reading whose product is in bfloat16 on the GPU of this rank's local number, and whose
/// messages are of its memory. Errors: Error (no device) where there is none, and in a program that
/// was built without CUDA.
CanaryReading take_reading_on_gpu(Session& session, double seconds, const CanarySizes& fixed);

}  // namespace pippin::probes
