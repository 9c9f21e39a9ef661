// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/commands/steps/output.h"
#include "sweeps/probe_answers.h"

namespace pippin {

/// Asks the probes' programs that lie here, by `PROBE --capabilities`. One that is here and does
/// not answer, as an older one, is a remark.
AskProbe ask_probes_here(const Globals& globals);

}  // namespace pippin
