// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/plot/facets.h"
#include "reports/plot/measures.h"
#include "reports/plot/plot.h"
#include "reports/row_range.h"

namespace pippin {

/// The words for pictures that are of no axis.
inline constexpr const char* kTimePlot = "time";
inline constexpr const char* kScalingPlot = "scaling";

/// The picture that --plot asks for: "time", of rows that are runs; "scaling"; an axis, "mbs", or
/// one axis for each value of another, "mbs:tp". `measure`: of plot_measure_named(), empty where
/// the reader named none. `width`: of the terminal, for as many ticks as fit. Errors: Error (bad
/// input) that names what there is where it is none of them, or says what is lacking where nothing
/// can be drawn.
Plot plot_named(const std::string& kind, const RowRange& rows, const std::string& measure,
                std::size_t width);

/// Every run over time, a series for each configuration.
Plot time_plot(const RowRange& runs, const PlotMeasure& measure, std::size_t width);

/// Samples a second, or TFLOPS of all GPUs, over GPUs, a series for each model and layout; lines
/// join the best of each number of GPUs of a model, and show what ideal scaling would be.
Plot scaling_plot(const RowRange& rows, const std::vector<Facet>& facets,
                  const std::string& measure);

/// A measure against an axis, a series for each value of `by`, or where it is null for each layout
/// beside that axis. Lines join the best of each value.
Plot axis_plot(const RowRange& rows, const std::vector<Facet>& facets, const Facet& x,
               const Facet* by, const PlotMeasure& measure);

}  // namespace pippin
