// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/plots.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "reports/column_names.h"

namespace pippin {

namespace {

/// What can be drawn of these rows.
std::vector<std::string> kinds_of(const std::vector<Facet>& facets) {
  std::vector<std::string> kinds{kTimePlot};
  if (facet_named(facets, "gpus")) kinds.emplace_back(kScalingPlot);
  for (const auto& facet : facets) kinds.push_back(facet.name);
  return kinds;
}

/// The axis that a reader means. Errors: Error (bad input) naming those that there are.
const Facet& axis_named(const std::vector<Facet>& facets, const std::string& word) {
  if (const Facet* facet = facet_named(facets, word)) return *facet;
  const auto kinds = kinds_of(facets);
  const std::string there_is = join(kinds, ", ");
  if (word.empty()) bad_input("--plot: say what: there is {}", there_is);
  const ColumnName* known = find_column_name(word);
  if (known && is_property(known->name))
    bad_input("--plot {}: {} does not differ between these rows; there is {}", printable(word),
              known->title, there_is);
  bad_input("--plot {}: there is {}{}", printable(word), there_is, did_you_mean(word, kinds));
}

/// By which formula TFLOPS are counted, as tables say it.
void name_formula(Plot& plot, const RowRange& rows) {
  if (plot.measure != "tflops") return;
  for (const Summary& row : rows) {
    if (row.flops_formula.empty()) continue;
    plot.said.insert(plot.said.begin(), "TFLOPS by formula " + row.flops_formula);
    return;
  }
}

Plot plot_of_axes(const std::string& kind, const RowRange& rows, const std::vector<Facet>& facets,
                  const std::string& measure) {
  const bool is_axis = std::any_of(facets.begin(), facets.end(),
                                   [&](const Facet& facet) { return facet.name == kind; });
  const auto colon = is_axis ? std::string::npos : kind.find(':');
  const Facet& x = axis_named(facets, kind.substr(0, colon));
  const Facet* by =
      colon == std::string::npos ? nullptr : &axis_named(facets, kind.substr(colon + 1));
  return axis_plot(rows, facets, x, by, plot_measure_named(measure));
}

Plot plot_as_named(const std::string& kind, const RowRange& rows, const std::string& measure,
                   std::size_t width) {
  if (kind == kTimePlot) return time_plot(rows, plot_measure_named(measure), width);
  const auto facets = facets_of(rows);
  return kind == kScalingPlot ? scaling_plot(rows, facets, measure)
                              : plot_of_axes(kind, rows, facets, measure);
}

}  // namespace

Plot plot_named(const std::string& kind, const RowRange& rows, const std::string& measure,
                std::size_t width) {
  Plot plot = plot_as_named(kind, rows, measure, width);
  name_formula(plot, rows);
  return plot;
}

}  // namespace pippin
