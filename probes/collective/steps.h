// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probes/collective/collective.h"

namespace pippin::probes {

/// With --iterations: one operation of one size, out of place; each step is the mean of as many
/// calls in a row as --step-ms takes, over the ranks. All ranks call it. Its data are checked
/// before the first step.
/// Errors: Error (failed) where data are wrong.
void run_steps(TwoLogs& logs, const CollectiveSettings& settings, const CollectiveGround& ground);

}  // namespace pippin::probes
