// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>
#include <vector>

#include "device_bytes.h"

namespace check {

/// Calls of several groups under way at once, waited for in another order than they began in, and
/// messages down, up and round the ranks of each.
void check_started(Tally& tally, const std::vector<Communicator*>& groups, cudaStream_t stream,
                   Element element);

}  // namespace check
