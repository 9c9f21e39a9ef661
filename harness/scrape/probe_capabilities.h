// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "core/records/probe_abilities.h"

namespace pippin {

/// Reads the line of `PROBE --capabilities`; nothing where the text is not that.
/// Source: probes/LOG_FORMAT.md.
std::optional<ProbeAbilities> read_probe_abilities(std::string_view text);

}  // namespace pippin
