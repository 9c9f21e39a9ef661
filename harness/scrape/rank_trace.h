// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/records/rank_trace.h"

namespace pippin {

/// One line of a file that a rank of the probe `training` has traced into, without its end; nothing
/// of a line that is cut or is no such record. Source: probes/LOG_FORMAT.md, "Traces".
TraceRecord read_trace_line(std::string_view line);

/// The rank of "rank-3.jsonl"; nothing where a name is not of that kind.
std::optional<std::int64_t> rank_of_trace(std::string_view name);
std::string trace_name_of(std::int64_t rank);

}  // namespace pippin
