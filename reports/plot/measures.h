// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/records/summary.h"
#include "reports/plot/plot.h"

namespace pippin {

/// What a picture shows of a row.
struct PlotMeasure {
  std::string name;   ///< of its column
  std::string title;  ///< "TFLOPS per GPU"
  bool less_is_better = false;
  std::optional<double> (*value)(const Summary& row) = nullptr;  ///< times in seconds
};

/// Step time where `name` is empty; else the measure of that column, TFLOPS or samples a second.
/// Errors: Error (bad input) where it is none of them.
const PlotMeasure& plot_measure_named(const std::string& name);

/// Of a row as a point at `x`, with its interval; nothing without a value, or with
/// one of steps before it failed.
std::optional<PlotPoint> point_of(const Summary& row, const PlotMeasure& measure, double x);

/// What the intervals of rows are: over which units, and what they do not cover.
class IntervalWords {
 public:
  void add(const Summary& row);
  /// Names them in a picture where all are alike; takes them away where they are too many to see.
  void say_in(Plot& plot) const;

 private:
  std::optional<std::string> what_;
  bool is_one_ = true;
};

/// Gives the picture its y axis: the unit that its values want, in which they then are; logarithmic
/// where they are far apart. An interval wider than all else is cut. Requires a point.
void fit_y_axis(Plot& plot, const PlotMeasure& measure);

/// "step time 1.2 to 1.4 s": of what the picture shows. Requires fit_y_axis().
std::string range_text(const Plot& plot, const PlotMeasure& measure);

}  // namespace pippin
