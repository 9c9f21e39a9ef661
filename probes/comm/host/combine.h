// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probes/comm/communicator.h"

namespace pippin::probes {

/// to = first (sum or max) second, element by element; `to` may be one of them.
/// Errors: Error (machine) of bytes, which cannot be reduced.
void combine(Element element, Reduction reduction, const void* first, const void* second, void* to,
             std::int64_t count);

}  // namespace pippin::probes
