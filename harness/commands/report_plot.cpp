// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>
#include <unistd.h>

#include "core/base/text.h"
#include "harness/commands/report.h"
#include "harness/commands/steps/output.h"
#include "harness/commands/steps/report_rows.h"
#include "reports/display_text.h"
#include "reports/plot/plots.h"

namespace pippin {

namespace {

void check(const ReportOptions& options) {
  check_report(options);
  const std::string kind = printable(*options.plot);
  if (options.format != "terminal")
    bad_input("--plot {} and --format {}: a plot is for a terminal; --format html has plots, too",
              kind, printable(options.format));
  plot_measure_named(options.columns);
  if (kind == kTimePlot && options.by != "point" && options.by != "run")
    bad_input("--plot time and --by {}: it shows every run; leave --by out", options.by);
}

/// The options of a table with the same rows.
ReportOptions rows_for(const ReportOptions& options) {
  ReportOptions of_rows = options;
  if (*options.plot == kTimePlot) of_rows.by = "run";
  of_rows.columns.clear();
  return of_rows;
}

/// What standard output, or a file, has room for.
PlotStyle style_for(const ReportOptions& options) {
  constexpr std::size_t kBesides = 10;  // lines: titles, ticks, legend, what is said
  constexpr std::size_t kLeastWidth = 40, kMostWidth = 200, kLeastHeight = 8, kMostHeight = 18;
  PlotStyle style;
  style.ascii = wants_ascii();
  style.colours = options.output.empty() && wants_colours();
  const std::size_t width = terminal_width(STDOUT_FILENO), height = terminal_height(STDOUT_FILENO);
  if (width > 0) style.width = std::clamp(width, kLeastWidth, kMostWidth);
  if (height > 0)
    style.height = std::clamp(height - std::min(height, kBesides), kLeastHeight, kMostHeight);
  return style;
}

std::string picture_of(const Report& report, const ReportOptions& options, const PlotStyle& style) {
  const RowRange rows = rows_of(report);
  std::string text;
  if (!report.heading.empty()) text += wrapped(report.heading, style.width, 0) + "\n\n";
  text += rows.empty()
              ? "no points\n"
              : plot_text(plot_named(*options.plot, rows, options.columns, style.width), style);
  if (!report.dropped.empty()) text += wrapped(report.dropped, style.width, 2) + "\n";
  return text;
}

}  // namespace

ExitCode report_plot(const Globals& globals, const ReportOptions& options) {
  check(options);
  Database database = existing_database(globals);
  const Report report = report_to_write(globals, database, rows_for(options));
  const std::string text = picture_of(report, options, style_for(options));
  if (options.output.empty()) {
    write_text(text);
  } else {
    write_named_file(options.output, text);
  }
  return ExitCode::kDone;
}

}  // namespace pippin
