// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probes/common/log.h"
#include "probes/replay/settings.h"

namespace pippin::probes {

/// Prints the whole log, sleeping between its lines as the settings say. Does not return where they
/// tell it to die.
void replay(Log& log, const ReplaySettings& settings);

}  // namespace pippin::probes
