// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/best_lines.h"

#include <map>

namespace pippin {

std::vector<PlotPoint> best_points(const std::vector<PlotPoint>& points, bool less_is_better) {
  std::map<double, PlotPoint> best;
  for (const auto& point : points) {
    const auto [place, is_new] = best.try_emplace(point.x, point);
    const bool is_better = less_is_better ? point.y < place->second.y : point.y > place->second.y;
    if (!is_new && is_better) place->second = point;
  }
  std::vector<PlotPoint> line;
  line.reserve(best.size());
  for (const auto& [x, point] : best) line.push_back(point);
  return line;
}

}  // namespace pippin
