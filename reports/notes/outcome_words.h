// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "core/records/run.h"

namespace pippin {

/// How a run ended that has "OOM", "failed", "timeout" or the like for a result; kMissing for
/// "n/a", "-" and "?". Nothing for any other text.
std::optional<RunState> outcome_in(std::string_view cell);

}  // namespace pippin
