// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "reports/plot/best_lines.h"
#include "reports/plot/legend.h"
#include "reports/plot/pens.h"
#include "reports/plot/plots.h"

namespace pippin {

namespace {

/// Series beside one another, so that neither points nor intervals of one value hide each other.
double beside(std::size_t series, std::size_t count) {
  constexpr double kStep = 0.13, kMost = 0.7;
  const std::size_t pens = std::min(count, kPens + 1);
  const double step = std::min(kStep, kMost / static_cast<double>(pens));
  return (static_cast<double>(pen_of(series)) - static_cast<double>(pens - 1) / 2) * step;
}

PlotAxis axis_of(const Facet& x) {
  constexpr double kHalf = 0.5;
  PlotAxis axis;
  axis.title = x.title;
  const std::size_t first = x.has_unknown ? 1 : 0;
  for (std::size_t i = first; i < x.values.size(); ++i)
    axis.ticks.push_back({static_cast<double>(i), x.texts[i]});
  axis.low = static_cast<double>(first) - kHalf;
  axis.high = static_cast<double>(x.values.size()) - kHalf;
  return axis;
}

/// Rows with what the picture shows of each.
struct Values {
  std::vector<std::optional<PlotPoint>> points;  // their x is still to be told
  std::vector<RunState> states;
  IntervalWords intervals;
};

Values values_of(const RowRange& rows, const PlotMeasure& measure) {
  Values values;
  for (const Summary& row : rows) {
    values.points.push_back(point_of(row, measure, 0));
    values.states.push_back(row.state);
    values.intervals.add(row);
  }
  return values;
}

/// Series without a point get no mark: numbers of the others, and theirs behind those.
std::vector<std::size_t> measured_first(const RowSeries& series, const Values& values) {
  std::vector<bool> measured(series.names.size());
  for (std::size_t row = 0; row < values.points.size(); ++row)
    if (values.points[row]) measured[series.of_rows[row]] = true;
  std::vector<std::size_t> numbers(measured.size());
  std::size_t next = 0;
  for (const bool wanted : {true, false}) {
    for (std::size_t i = 0; i < measured.size(); ++i)
      if (measured[i] == wanted) numbers[i] = next++;
  }
  return numbers;
}

/// Whether the axis has a place for that row.
bool has_place(const Facet& x, std::size_t row) { return !(x.has_unknown && x.of_rows[row] == 0); }

/// Takes the values of rows without a place away. Returns how many rows those are.
std::int64_t leave_out_unplaced(Values& values, const Facet& x) {
  std::int64_t count = 0;
  for (std::size_t row = 0; row < values.points.size(); ++row) {
    if (has_place(x, row)) continue;
    values.points[row].reset();
    ++count;
  }
  return count;
}

/// Returns how many rows have a point.
std::int64_t place_rows(Plot& plot, const Values& values, const Facet& x, const RowSeries& series) {
  std::int64_t drawn = 0;
  const auto numbers = measured_first(series, values);
  plot.series.resize(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) plot.series[numbers[i]].name = series.names[i];
  for (std::size_t row = 0; row < values.points.size(); ++row) {
    if (!has_place(x, row)) continue;
    auto point = values.points[row];
    const std::size_t of = numbers[series.of_rows[row]];
    const double at = x.of_rows[row] + beside(of, numbers.size());
    if (!point || values.states[row] != RunState::kOk) {
      ++plot.lost[values.states[row]];
      plot.losses.push_back({at, values.states[row]});
    }
    if (!point) continue;
    ++drawn;
    point->x = at;
    plot.series[of].points.push_back(*point);
  }
  while (!plot.series.empty() && plot.series.back().points.empty()) plot.series.pop_back();
  return drawn;
}

/// A line through the best of each value, of series that have a pen of their own.
void add_lines(Plot& plot, const PlotMeasure& measure) {
  for (std::size_t i = 0; i < std::min(plot.series.size(), kPens); ++i) {
    auto line = best_points(plot.series[i].points, measure.less_is_better);
    if (line.size() > 1) plot.lines.push_back({std::move(line), false, i});
  }
}

std::string values_text(const Facet& x) {
  constexpr std::size_t kMost = 6;
  std::vector<std::string> values(x.texts.begin() + (x.has_unknown ? 1 : 0), x.texts.end());
  const std::size_t all = values.size();
  if (all > kMost) return fmt::format("{} to {}, {} values", values.front(), values.back(), all);
  return join(values, ", ");
}

}  // namespace

Plot axis_plot(const RowRange& rows, const std::vector<Facet>& facets, const Facet& x,
               const Facet* by, const PlotMeasure& measure) {
  const auto apart = by ? std::vector<const Facet*>{by} : facets_beside(facets, x);
  const RowSeries series = series_by(apart, rows.size());
  Plot plot;
  plot.x = axis_of(x);
  Values values = values_of(rows, measure);
  const std::int64_t unplaced = leave_out_unplaced(values, x);
  const std::int64_t drawn = place_rows(plot, values, x, series);
  if (drawn < 2)
    bad_input("--plot {}: two rows with a {} are needed, there {}{}", printable(x.name),
              measure.title, drawn == 1 ? "is one" : "is none",
              plot.lost.empty() ? "" : ": " + losses_text(plot.lost));
  values.intervals.say_in(plot);
  add_lines(plot, measure);
  fit_y_axis(plot, measure);
  if (!plot.lines.empty()) plot.lines_are = fmt::format("through the best of each {}", x.title);
  std::string said = fmt::format("{} against {} ({}); {}", counted(drawn, "row"), x.title,
                                 values_text(x), range_text(plot, measure));
  if (!plot.lost.empty()) said += fmt::format("; at the foot: {}", losses_text(plot.lost));
  if (unplaced > 0) said += fmt::format("; {} not drawn: their {} is not known", unplaced, x.title);
  plot.said.push_back(std::move(said));
  return plot;
}

}  // namespace pippin
