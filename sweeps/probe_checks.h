// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/records/sweep.h"
#include "sweeps/draft.h"
#include "sweeps/probe_answers.h"

namespace pippin {

/// Checks the values that a draft gives a probe against what the probe's programs say: one that
/// none of them takes can be at no point. Requires sweep.cluster. Of derived values each point is
/// checked: see resolve().
/// Errors: Error (bad input) `FILE:LINE: …` with what the probe takes instead.
void check_probe_values(const Draft& draft, const Sweep& sweep, ProbeAnswers& answers);

}  // namespace pippin
