// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/records/evidence.h"
#include "core/records/summary.h"

namespace pippin {

/// The paths of the logs of runs, by the numbers of these.
using RunLogs = std::unordered_map<std::int64_t, std::string>;

/// Whether one of the names that a reader gave is of a column that wants the rows' details.
bool wants_details(const std::set<std::string, std::less<>>& names);

/// The bus bandwidth of a canary's largest all-reduce, in 1e9 bytes a second; nothing where none
/// was made.
std::optional<double> busbw_of(const CanaryEvidence& reading);

/// Gives rows what is known of their runs beside their times. Requires their run ids.
void add_details(std::vector<Summary>& rows, const Evidence& evidence, const RunLogs& logs);

}  // namespace pippin
