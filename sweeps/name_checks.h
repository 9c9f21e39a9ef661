// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/records/sweep.h"
#include "sweeps/draft.h"

namespace pippin {

/// Fills draft.uses and checks every name of a draft against what there is: names of own axes that
/// mean something else, variables that nothing defines, axes that nothing uses, and keys that the
/// probe does not know. Requires everything else of both to be read.
/// Errors: Error (bad input) `FILE:LINE: …` with the likely meant name.
void check_names(Draft& draft, const Sweep& sweep);

}  // namespace pippin
