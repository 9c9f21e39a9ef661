// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/measures.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "reports/column_names.h"
#include "reports/values.h"

namespace pippin {

namespace {

const std::vector<PlotMeasure>& measures() {
  static const std::vector<PlotMeasure> kMeasures{
      {"step_time", "step time", true,
       [](const Summary& row) {
         return row.step_time_s ? std::optional(row.step_time_s->mean) : std::nullopt;
       }},
      {"tflops", "TFLOPS per GPU", false, [](const Summary& row) { return row.tflops; }},
      {"samples_per_s", "samples per second", false,
       [](const Summary& row) { return row.samples_per_s; }}};
  return kMeasures;
}

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

/// Calls `visit` with each value of a picture, an interval's ends too.
template <typename Visit>
void for_each_value(Plot& plot, Visit visit) {
  const auto each = [&](std::vector<PlotPoint>& points) {
    for (auto& point : points) visit(point);
  };
  for (auto& series : plot.series) each(series.points);
  for (auto& line : plot.lines) each(line.places);
}

Range range_of(const Plot& plot) {
  Range range;
  for (const auto& series : plot.series) {
    for (const auto& point : series.points) range.add(point.y);
  }
  return range;
}

/// The least and most that the axis is to show.
Range shown_range(const Plot& plot) {
  constexpr double kWidest = 1.5;  // how far beyond all means an interval may reach
  const Range means = range_of(plot);
  Range range = means;
  for (const auto& series : plot.series) {
    for (const auto& point : series.points) {
      if (point.low) range.add(std::max(*point.low, means.low / kWidest));
      if (point.high) range.add(std::min(*point.high, means.high * kWidest));
    }
  }
  for (const auto& line : plot.lines) {
    for (const auto& place : line.places) range.add(place.y);
  }
  return range;
}

/// A unit of time, and how many of it a second has.
struct Unit {
  const char* name;
  double per_s;
};

Unit unit_for(double most_s) {
  constexpr double kShort = 0.1, kVeryShort = 1e-4;
  if (most_s < kVeryShort) return {"µs", kUsPerSecond};
  return most_s < kShort ? Unit{"ms", kMsPerSecond} : Unit{"s", 1};
}

void scale(Plot& plot, double by) {
  for_each_value(plot, [&](PlotPoint& point) {
    point.y *= by;
    if (point.low) *point.low *= by;
    if (point.high) *point.high *= by;
  });
}

}  // namespace

const PlotMeasure& plot_measure_named(const std::string& name) {
  if (name.empty()) return measures().front();
  const ColumnName* column = find_column_name(name);
  std::vector<std::string> names;
  for (const auto& measure : measures()) {
    if (column && measure.name == column->name) return measure;
    names.push_back(measure.name);
  }
  bad_input("--columns {}: a plot shows one of {}{}", printable(name), join(names, ", "),
            did_you_mean(name, names));
}

std::optional<PlotPoint> point_of(const Summary& row, const PlotMeasure& measure, double x) {
  const auto value = finite(measure.value(row));
  if (!value || !counts_beside_ok(row.state)) return std::nullopt;
  PlotPoint point{x, *value};
  const auto& time = row.step_time_s;
  if (!time || !time->low || !time->high || !(*time->low > 0)) return point;
  // Of a rate it is that of the time, which it goes with.
  point.low = measure.less_is_better ? *time->low : *value * time->mean / *time->high;
  point.high = measure.less_is_better ? *time->high : *value * time->mean / *time->low;
  return point;
}

void IntervalWords::add(const Summary& row) {
  if (!row.step_time_s || !row.step_time_s->low) return;
  const Interval& time = *row.step_time_s;
  const std::string what =
      fmt::format("over {}s{}{}", time.unit, time.remark.empty() ? "" : ", ", time.remark);
  is_one_ = is_one_ && (!what_ || *what_ == what);
  if (!what_) what_ = what;
}

void IntervalWords::say_in(Plot& plot) const {
  constexpr std::size_t kMost = 60;  // that would not stand wall to wall
  std::size_t count = 0;
  for (const auto& series : plot.series) {
    for (const auto& point : series.points) count += point.low ? 1 : 0;
  }
  if (count > 0 && count <= kMost)
    plot.bars_are = "95 % interval" + (is_one_ && what_ ? " " + *what_ : "");
  if (count <= kMost) return;
  for (auto& series : plot.series) {
    for (auto& point : series.points) point.low = point.high = std::nullopt;
  }
}

void fit_y_axis(Plot& plot, const PlotMeasure& measure) {
  constexpr double kLogFrom = 10;  // how many times the least the most is
  constexpr double kRoom = 0.06, kRoomAlone = 0.1;
  plot.measure = measure.name;
  plot.y.title = measure.title;
  if (measure.less_is_better) {
    const Unit unit = unit_for(range_of(plot).high);
    scale(plot, unit.per_s);
    plot.y.title += fmt::format(" ({})", unit.name);
  }
  const Range range = shown_range(plot);
  plot.y.is_log = range.low > 0 && range.high > range.low * kLogFrom;
  if (plot.y.is_log) {
    plot.y.low = range.low * (1 - kRoomAlone);
    plot.y.high = range.high * (1 + kRoomAlone);
    return;
  }
  double room = (range.high - range.low) * kRoom;
  if (!(room > 0)) room = range.high > 0 ? range.high * kRoomAlone : 1;
  plot.y.low = range.low >= 0 ? std::max(0.0, range.low - room) : range.low - room;
  plot.y.high = range.high + room;
}

std::string range_text(const Plot& plot, const PlotMeasure& measure) {
  constexpr int kDigits = 3;
  const Range range = range_of(plot);
  const std::string low = short_number(range.low, kDigits),
                    high = short_number(range.high, kDigits);
  const auto bracket = plot.y.title.rfind(" (");
  const std::string unit =
      measure.less_is_better && bracket != std::string::npos
          ? " " + plot.y.title.substr(bracket + 2, plot.y.title.size() - bracket - 3)
          : "";
  return low == high ? fmt::format("{} {}{}", measure.title, low, unit)
                     : fmt::format("{} {} to {}{}", measure.title, low, high, unit);
}

}  // namespace pippin
