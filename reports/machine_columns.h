// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reports/columns.h"

namespace pippin {

/// Where all rows are of probes that measure a network or products: `ranks` and `time` over the
/// columns that are called GPUs and step time elsewhere.
std::vector<Column> named_for_machine(std::vector<Column> columns, const RowFacts& facts);

}  // namespace pippin
