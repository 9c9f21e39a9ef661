// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/commands/steps/session.h"

namespace pippin {

/// The points that a first launch tries: of each kind the one with the fewest ranks. Points are of
/// one kind where they differ in numbers alone: recompute, precision, offload … make kinds.
std::vector<Point> points_to_try(const std::vector<Point>& points);

/// Launches them for two iterations, beside the campaign: in `first/` of the sweep's folder, with a
/// database of their own, so that no table has them. Waits for them; at an interrupt it cancels.
/// False where one failed, or left a log that cannot be read: the remark says which, and why.
/// They run where the campaign's jobs may.
bool first_launches_succeed(const Globals& globals, const Sweep& sweep, const Campaign& campaign,
                            double poll_s);

}  // namespace pippin
