// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "probes/training/channel.h"

namespace pippin::probes {

/// For each of the channel's calls the nanoseconds for which this rank stood still only because
/// another had not begun it: late arrival, not transfer. Every rank of the channel must call it,
/// with the calls of the same iterations; it talks beside what the channel counts.
/// `clock_offset_ns`: see clock_offset.h.
std::vector<std::int64_t> waits_of(Channel& channel, std::int64_t clock_offset_ns);

}  // namespace pippin::probes
