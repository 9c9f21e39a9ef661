// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace pippin {

/// A bar of tqdm: " 38%|###8      | 6/16 [05:59<09:57, 59.73s/it]". Its rate is smoothed: no time
/// of a step follows from it.
struct ProgressBar {
  std::int64_t done = 0, total = 0;
  double seconds = 0;       ///< since it began
  double seconds_each = 0;  ///< by its rate; 0: it has none
  bool is_named = false;    ///< "Map: 38%|…"
};

/// All that stand in a line. Those that count thousands ("1.2k/8k") are none.
std::vector<ProgressBar> bars_in(std::string_view line);

}  // namespace pippin
