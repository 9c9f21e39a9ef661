// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/records/iterations.h"
#include "harness/scrape/megatron_arguments.h"

namespace pippin {

/// Sets GBS and world of a header where its point, `known`, lacks them, by what its lines say of
/// samples and tokens a second. Returns what was set, and by which law.
NamedValues apply_laws(MegatronHeader& header, const Point& known, const Iterations& lines);

}  // namespace pippin
