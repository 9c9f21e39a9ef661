// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "device_bytes.h"

namespace check {

/// Every call of one group by itself, out of place and in place.
void check_calls(Tally& tally, Communicator& comm, cudaStream_t stream, Element element,
                 std::int64_t count);

}  // namespace check
