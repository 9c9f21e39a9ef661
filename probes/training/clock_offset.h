// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probes/comm/communicator.h"
#include "probes/comm/nodes.h"

namespace pippin::probes {

/// What to add to this rank's now_ns() to have the first rank's, estimated by messages to and fro:
/// half of the quickest answer's way is its error. Ranks of the first rank's node share its clock:
/// 0. Every rank must call it. Source: Cristian 1989.
std::int64_t clock_offset_ns(Communicator& world, const Nodes& nodes);

}  // namespace pippin::probes
