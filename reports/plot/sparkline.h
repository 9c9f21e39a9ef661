// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pippin {

/// Values as blocks of eight heights, the lowest value "▁" and the highest "█"; all alike, "▄".
/// Shape: one column for each value; of more than `width` values, `width` columns, each the median
/// of neighbours. What is no finite number is a blank. Empty without values or width.
/// `ascii`: the heights are ". : - = + * # @".
std::string sparkline(const std::vector<double>& values, std::size_t width, bool ascii);

}  // namespace pippin
