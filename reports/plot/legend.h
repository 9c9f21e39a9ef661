// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/plot/plot.h"

namespace pippin {

/// What stands for a state at the foot of a picture: "×" failed, "T" timeout, "M" oom, ….
const char* mark_of(RunState state, bool ascii);

/// What people wrote, in at most `width` columns: what would steer a terminal is shown, not done.
std::string label_text(const std::string& text, std::size_t width, bool ascii);

/// A text of any length, broken into lines that fit.
std::vector<std::string> paragraph_lines(const std::string& text, const PlotStyle& style);

/// "3 failed, 1 oom"; empty where nothing was lost.
std::string losses_text(const std::map<RunState, std::int64_t>& lost);

/// What a picture has that its legend must explain.
struct ShownMarks {
  bool dots = false;  ///< points have no marks, and their colours alone tell
  bool bars = false;  ///< intervals
};

/// The lines below a picture that say what its marks are. Of very many series the first are named,
/// and how many more there are.
std::vector<std::string> legend_lines(const Plot& plot, const PlotStyle& style,
                                      const ShownMarks& shown);

}  // namespace pippin
