// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "harness/scrape/needle_marks.h"

namespace pippin {

/// For each needle the bytes and the group by which a search stops least in vain, counted in
/// `usual`: text such as logs are full of.
///
/// That text is usual_lines.txt: lines of BigScience's public logs (Apache-2.0), lines of the forms
/// that later launchers and trainers print, and usual words in random order. Lines of logs that are
/// slow to search may be added.
///
/// `sets`: which needles are looked for together, by their numbers: the first in each log, each of
/// the others beside the first. Requires needles of 4 bytes at least.
std::vector<NeedleMark> choose_marks(const std::vector<std::string_view>& needles,
                                     const std::vector<std::vector<std::size_t>>& sets,
                                     std::string_view usual);

}  // namespace pippin
