// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/records/sweep.h"
#include "sweeps/draft.h"
#include "sweeps/probe_answers.h"

namespace pippin {

/// Works the points of `draft` out into sweep.own_axes, sweep.points and sweep.dropped.
/// Requires sweep.cluster and sweep.trainer. The product runs in the file's order, its last axis
/// fastest. Every point has a name of its own.
/// Errors: Error (bad input) where there are more than 10,000,000 points before dropping, where
/// none remains, where an expression has no value, and where a command uses what a point does not
/// know.
void resolve(Draft& draft, Sweep& sweep, ProbeAnswers& answers);

}  // namespace pippin
