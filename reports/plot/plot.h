// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/records/run.h"
#include "reports/plot/ticks.h"

namespace pippin {

struct PlotAxis {
  std::string title;  ///< with its unit
  double low = 0, high = 1;
  bool is_log = false;
  std::vector<PlotTick> ticks = {};  ///< ascending; none: round numbers, as many as fit
  std::vector<double> rules = {};    ///< where something begins anew: a day
};

struct PlotPoint {
  double x = 0, y = 0;
  std::optional<double> low = {}, high = {};  ///< its 95 % interval
};

struct PlotSeries {
  std::string name;
  std::vector<PlotPoint> points = {};
};

/// A line through some places, in the pen of a series or in that of the others.
struct PlotLine {
  std::vector<PlotPoint> places;
  bool dashed = false;
  std::size_t pen = 0;
};

/// What has no value: it stands at the foot, where its place on the x axis is known.
struct PlotLoss {
  double x = 0;
  RunState state = RunState::kFailed;
};

/// A picture as data; the texts may hold anything that people wrote.
struct Plot {
  PlotAxis x, y;
  std::vector<PlotTick> above = {};  ///< what begins where: campaigns
  std::vector<PlotSeries> series = {};
  std::vector<PlotLine> lines = {};
  std::vector<PlotLoss> losses = {};
  std::map<RunState, std::int64_t> lost = {};  ///< how many, whether they have a place or not
  std::string lines_are = {};                  ///< what the lines are; empty without
  std::string bars_are = {};                   ///< what the intervals are; empty without
  std::string measure = {};                    ///< the column that it shows
  std::vector<std::string> said = {};          ///< what the picture shows, a sentence each
};

/// On what it is drawn.
struct PlotStyle {
  std::size_t width = 80, height = 16;  ///< in cells: of all, and of the points' part
  bool colours = false, ascii = false;
};

/// The picture: the y axis's title, what stands above, the points in their frame, ticks, the x
/// axis's title, a legend, what is said. No line is wider than the style's width, down to 40.
std::string plot_text(const Plot& plot, const PlotStyle& style);

}  // namespace pippin
