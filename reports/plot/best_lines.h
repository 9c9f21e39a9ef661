// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reports/plot/plot.h"

namespace pippin {

/// The best point of each place on the x axis, from left to right.
std::vector<PlotPoint> best_points(const std::vector<PlotPoint>& points, bool less_is_better);

}  // namespace pippin
