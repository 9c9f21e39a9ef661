// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "probes/canary/canary.h"

namespace pippin::probes {

/// What a person reads: a line for the product, for each all-reduce and each pair.
std::vector<std::string> reading_lines(const CanaryReading& reading);

/// The last line of the output; LOG_FORMAT.md lists its keys.
std::string reading_record(const CanaryReading& reading);

}  // namespace pippin::probes
