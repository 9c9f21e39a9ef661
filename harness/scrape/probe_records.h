// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/records/canary_reading.h"

namespace pippin {

/// Adds what a line of JSON says that the probe `collective` or a canary has written. A canary's is
/// the whole table. Shape: a line that is none, or is broken, adds nothing.
/// Source: probes/LOG_FORMAT.md.
void read_probe_record(std::string_view line, CanaryFigures& table);

/// Adds a link, and its nodes where they are not known.
void add_pair(CanaryFigures& table, const CanaryPair& pair);

}  // namespace pippin
