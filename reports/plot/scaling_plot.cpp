// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "reports/plot/best_lines.h"
#include "reports/plot/legend.h"
#include "reports/plot/pens.h"
#include "reports/plot/plots.h"
#include "reports/values.h"

namespace pippin {

namespace {

/// TFLOPS of all GPUs.
std::optional<double> all_tflops(const Summary& row) {
  if (!row.tflops || !row.point.layout.gpus) return std::nullopt;
  return *row.tflops * static_cast<double>(*row.point.layout.gpus);
}

/// Samples a second; where nobody counts samples, or the reader asks for TFLOPS, those.
PlotMeasure rate_of(const RowRange& rows, const std::string& name) {
  const std::string asked = name.empty() ? "" : plot_measure_named(name).name;
  if (asked == "step_time")
    bad_input("--plot scaling --columns {}: scaling is of samples_per_s or tflops",
              printable(name));
  const bool any = std::any_of(rows.begin(), rows.end(),
                               [](const Summary& row) { return row.samples_per_s.has_value(); });
  if (asked != "tflops" && (any || !asked.empty())) return plot_measure_named("samples_per_s");
  return {"tflops", "TFLOPS of all GPUs", false, all_tflops};
}

/// The rows of one model, whose scaling can be told.
using ByModel = std::map<std::string, std::vector<PlotPoint>>;

struct Placed {
  ByModel models;
  std::int64_t drawn = 0, without_gpus = 0;
  std::set<std::int64_t> gpus;
  IntervalWords intervals;
};

/// What of `facets` is of a model.
std::vector<const Facet*> of_model(const std::vector<const Facet*>& facets) {
  std::vector<const Facet*> chosen;
  for (const Facet* facet : facets) {
    for (const char* name : {"size", "layers", "hidden", "seq"})
      if (facet->name == name) chosen.push_back(facet);
  }
  return chosen;
}

Placed place_rows(Plot& plot, const RowRange& rows, const std::vector<const Facet*>& apart,
                  const PlotMeasure& rate) {
  const RowSeries families = series_by(apart, rows.size());
  const auto model = of_model(apart);
  std::map<std::size_t, std::size_t> numbers;  // of families that have a point
  Placed placed;
  std::size_t number = 0;
  for (const Summary& row : rows) {
    const std::size_t i = number++;
    const Count& gpus = row.point.layout.gpus;
    const double x = static_cast<double>(gpus.value_or(0));
    const auto point = point_of(row, rate, x);
    const bool is_drawn = point && point->y > 0 && x > 0;
    if (x > 0 && (!is_drawn || row.state != RunState::kOk)) {
      ++plot.lost[row.state];
      plot.losses.push_back({x, row.state});
    }
    if (x == 0) ++placed.without_gpus;
    if (!is_drawn) continue;
    const std::size_t family = families.of_rows[i];
    const auto [place, is_new] = numbers.try_emplace(family, plot.series.size());
    if (is_new) plot.series.push_back({families.names[family]});
    plot.series[place->second].points.push_back(*point);
    placed.models[facets_text(model, i)].push_back(*point);
    placed.gpus.insert(*gpus);
    placed.intervals.add(row);
    ++placed.drawn;
  }
  return placed;
}

/// Through the best of each number of GPUs, and what ideal scaling of the first would be. Returns
/// which percentage of that the best reach: "16: 100, 32: 97"; empty of a single number.
std::string add_lines(Plot& plot, const std::vector<PlotPoint>& points) {
  constexpr std::size_t kMostShares = 8;
  constexpr double kPercent = 100;
  auto best = best_points(points, false);
  if (best.size() < 2) return "";
  const PlotPoint first = best.front(), last = best.back();
  const auto ideal = [&](double gpus) { return first.y / first.x * gpus; };
  std::vector<std::string> shares;
  const std::size_t every = (best.size() + kMostShares - 1) / kMostShares;
  for (std::size_t i = 0; i < best.size(); i += every)
    shares.push_back(fmt::format("{:.0f}: {}", best[i].x,
                                 short_number(best[i].y / ideal(best[i].x) * kPercent, 2)));
  plot.lines.push_back({{{first.x, first.y}, {last.x, ideal(last.x)}}, true, kOtherPen});
  plot.lines.push_back({std::move(best), false, kOtherPen});
  return join(shares, ", ");
}

void add_models(Plot& plot, const ByModel& models) {
  constexpr std::size_t kMostModels = 4;
  std::size_t told = 0;
  std::int64_t more = 0;
  for (const auto& [name, points] : models) {
    const std::string shares = add_lines(plot, points);
    if (shares.empty()) continue;
    if (++told > kMostModels) {
      ++more;
    } else {
      plot.said.push_back(fmt::format("% of ideal scaling{}, by GPUs: {}",
                                      name.empty() ? "" : " (" + name + ")", shares));
    }
  }
  if (more > 0) plot.said.push_back(fmt::format("… and of {}", counted(more, "more model")));
}

void fit_axes(Plot& plot, const std::set<std::int64_t>& gpus, const PlotMeasure& rate) {
  constexpr double kLeft = 0.85, kRight = 1.18;
  plot.x.title = "GPUs";
  plot.x.is_log = true;
  plot.x.low = static_cast<double>(*gpus.begin()) * kLeft;
  plot.x.high = static_cast<double>(*gpus.rbegin()) * kRight;
  for (const auto count : gpus)
    plot.x.ticks.push_back({static_cast<double>(count), std::to_string(count)});
  fit_y_axis(plot, rate);
}

std::string sentence_on(const Plot& plot, const Placed& placed, const PlotMeasure& rate) {
  std::string text =
      fmt::format("{} on {} to {} GPUs; {}", counted(placed.drawn, "row"), *placed.gpus.begin(),
                  *placed.gpus.rbegin(), range_text(plot, rate));
  if (!plot.lost.empty()) text += "; at the foot: " + losses_text(plot.lost);
  if (placed.without_gpus > 0)
    text += fmt::format("; {} not drawn: their GPUs are not known", placed.without_gpus);
  return text;
}

}  // namespace

Plot scaling_plot(const RowRange& rows, const std::vector<Facet>& facets,
                  const std::string& measure) {
  const PlotMeasure rate = rate_of(rows, measure);
  const Facet* gpus = facet_named(facets, "gpus");
  if (!gpus)
    bad_input("--plot scaling: rows of two numbers of GPUs are needed; all have {}",
              rows.begin()->point.layout.gpus ? counted(*rows.begin()->point.layout.gpus, "GPU")
                                              : "an unknown one");
  Plot plot;
  const Placed placed = place_rows(plot, rows, facets_beside(facets, *gpus), rate);
  if (placed.gpus.size() < 2)
    bad_input("--plot scaling: rows of two numbers of GPUs that have {} are needed{}", rate.title,
              plot.lost.empty() ? "" : "; there are " + losses_text(plot.lost));
  placed.intervals.say_in(plot);
  add_models(plot, placed.models);
  plot.lines_are = "through the best of each number of GPUs; dashed, ideal scaling of the first";
  fit_axes(plot, placed.gpus, rate);
  plot.said.push_back(sentence_on(plot, placed, rate));
  return plot;
}

}  // namespace pippin
