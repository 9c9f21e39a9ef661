// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/records/summary.h"
#include "reports/noise/noise.h"

namespace pippin {

/// What a campaign came to, in a few sentences: which rows are best, what is surely slower, how
/// large the noise was and whom to suspect of it, and what would decide what is open. `rows` are
/// ranked; empty where nothing was measured.
std::vector<std::string> closing_words(const std::vector<Summary>& rows, const Noise& noise);

}  // namespace pippin
