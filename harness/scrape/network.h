#pragma once

#include <string_view>
#include <vector>

#include "core/records/canary_reading.h"

namespace pippin {

/// The tables of a network in a text, in its order: the bandwidths of pairs of nodes and the
/// all-reduces that our probe `collective` prints (as text and as JSON), the all-reduces of
/// nccl-tests, and what a canary reads. Empty where there are none.
/// Shape: nccl-tests know a mean but no spread. A line that is cut off or broken is left out.
/// Source: probes/LOG_FORMAT.md; github.com/NVIDIA/nccl-tests, src/common.cu.
std::vector<CanaryFigures> read_network(std::string_view text);

/// Of which one stands in every text that has such a table.
std::vector<std::string_view> table_signs();

}  // namespace pippin
