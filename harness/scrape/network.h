// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "core/records/canary_reading.h"
#include "harness/scrape/table_reader.h"

namespace pippin {

/// The tables of a network in a text, in its order: the bandwidths of pairs of nodes and the
/// all-reduces that our probe `collective` prints (as text and as JSON), the all-reduces of
/// nccl-tests, of all_reduce_bench.py and of the OSU Micro-Benchmarks, and what a canary reads.
/// Shape: a line that is cut off or broken is left out.
/// Source: probes/LOG_FORMAT.md; the readers' headers.
NetworkTables find_network_tables(std::string_view text);

/// Those tables alone. Empty where there are none.
std::vector<CanaryFigures> read_network(std::string_view text);

/// Of which one stands in every text that has such a table.
std::vector<std::string_view> table_signs();

}  // namespace pippin
