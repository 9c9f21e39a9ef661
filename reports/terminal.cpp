#include <algorithm>
#include <fmt/format.h>

#include "harness/base/text.h"
#include "harness/base/units.h"
#include "reports/display_text.h"
#include "reports/format.h"
#include "reports/point_columns.h"
#include "reports/remarks.h"
#include "reports/text_table.h"
#include "reports/values.h"

namespace pippin {

namespace {

using Cells = std::vector<std::string>;
using Align = TextColumn::Align;

/// What goes first where room is short; what a row is and how long its step takes stay.
enum Importance { kShape, kCounts, kLayout, kRates, kAxis, kGpus, kTflops, kSweep, kStays };

template <typename Cell>
TextColumn column_of(const std::vector<Summary>& rows, std::string title, int importance,
                     Cell cell) {
  TextColumn column;
  column.title = std::move(title);
  column.importance = importance;
  for (const auto& row : rows) column.cells.push_back(cell(row));
  return column;
}

TextColumn name_column(const std::vector<Summary>& rows) {
  auto column = column_of(rows, "point", kStays,
                          [](const Summary& row) { return printable(row.point.name); });
  column.align = Align::kLeft;
  column.may_shorten = true;
  column.must_stay = true;
  return column;
}

/// Left out where every point is ok, which needs no saying.
void add_state(std::vector<TextColumn>& columns, const std::vector<Summary>& rows) {
  const bool all_ok = std::all_of(rows.begin(), rows.end(),
                                  [](const auto& row) { return row.state == RunState::kOk; });
  if (all_ok) return;
  columns.push_back(column_of(rows, "state", kStays,
                              [](const Summary& row) { return std::string(text_of(row.state)); }));
  columns.back().align = Align::kLeft;
  columns.back().must_stay = true;
}

int importance_of(const std::string& name) {
  if (name == "gpus") return kGpus;
  const bool shape = name == "layers" || name == "hidden" || name == "seq" || name == "params_b";
  return shape ? kShape : kLayout;
}

void add_point_columns(std::vector<TextColumn>& columns, const std::vector<Summary>& rows) {
  std::vector<Cells> cells;
  cells.reserve(rows.size());
  for (const auto& row : rows) cells.push_back(readable_point_cells(row.point));
  for (std::size_t i = 0; i < point_columns().size(); ++i) {
    TextColumn column;
    column.title = point_columns()[i].title;
    column.importance = importance_of(point_columns()[i].name);
    column.may_move = true;
    for (const auto& row : cells) column.cells.push_back(row[i]);
    columns.push_back(std::move(column));
  }
}

void add_axes(std::vector<TextColumn>& columns, const std::vector<Summary>& rows) {
  for (const auto& axis : shown_axes(rows)) {
    columns.push_back(column_of(rows, printable(axis), kAxis, [&](const Summary& row) {
      return printable(axis_cell(row.point, axis));
    }));
    columns.back().may_move = true;
  }
}

/// The larger side: an interval that was cut at 0 shows what it is above.
std::optional<double> half_width(const Interval& time) {
  if (!time.low || !time.high) return std::nullopt;
  return std::max(*time.high - time.mean, time.mean - *time.low);
}

std::string right_aligned(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

/// What the cells of a column of step times share: its unit, and how wide their parts are, so that
/// they stand below one another.
struct TimeStyle {
  const char* unit = "s";
  double units_per_s = 1;
  std::size_t mean = 0, half_width = 0;
};

/// Milliseconds where every step is shorter than a tenth of a second.
TimeStyle style_for(const std::vector<Summary>& rows) {
  constexpr double kShort = 0.1;
  const bool all_short = std::all_of(rows.begin(), rows.end(), [](const Summary& row) {
    return !row.step_time_s || row.step_time_s->mean < kShort;
  });
  return all_short ? TimeStyle{"ms", kMsPerSecond} : TimeStyle{};
}

/// " *" where lines are in the mean that are no clean samples, " ~" where runs that changed pace.
std::string marks_of(const Summary& row) {
  const bool wave = row.slowdowns + row.unsteady > 0;
  if (row.clean && !wave) return "";
  return std::string(" ") + (row.clean ? "" : "*") + (wave ? "~" : "");
}

/// "1.427 s ± 0.012", then its marks.
std::string time_cell(const Summary& row, const MeanText& text, const TimeStyle& style) {
  if (!row.step_time_s) return "";
  std::string cell = right_aligned(text.mean, style.mean) + " " + style.unit;
  if (!text.half_width.empty()) cell += " ± " + right_aligned(text.half_width, style.half_width);
  return cell + marks_of(row);
}

MeanText text_in(const Interval& time, const TimeStyle& style) {
  auto half = half_width(time);
  if (half) *half *= style.units_per_s;
  return mean_text(time.mean * style.units_per_s, half);
}

TextColumn time_column(const std::vector<Summary>& rows) {
  std::vector<MeanText> texts;
  TimeStyle style = style_for(rows);
  for (const auto& row : rows) {
    texts.push_back(row.step_time_s ? text_in(*row.step_time_s, style) : MeanText{});
    style.mean = std::max(style.mean, texts.back().mean.size());
    style.half_width = std::max(style.half_width, texts.back().half_width.size());
  }
  TextColumn column;
  column.title = "step time";
  column.must_stay = true;
  column.align = Align::kLeft;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    column.cells.push_back(time_cell(rows[i], texts[i], style));
  }
  return column;
}

/// The spread within one allocation: of its runs, or of the only run's iterations. It bounds
/// nothing and so never stands behind a ±.
std::string within_cell(const Summary& row, const TimeStyle& style) {
  const bool single = row.step_time_s && !row.step_time_s->low && row.step_time_s->sd;
  if (!single) return "";
  return short_number(*row.step_time_s->sd * style.units_per_s) + " " + style.unit;
}

std::string rate_cell(const std::optional<double>& value) {
  return value ? short_number(*value) : "";
}

std::string count_cell(const Summary& row) {
  if (!row.step_time_s) return "";
  return fmt::format("{}/{}/{}", row.allocations, row.runs, row.iterations);
}

void add_measures(std::vector<TextColumn>& columns, const std::vector<Summary>& rows) {
  columns.push_back(time_column(rows));
  columns.push_back(
      column_of(rows, "TFLOPS", kTflops, [](const Summary& row) { return rate_cell(row.tflops); }));
  columns.push_back(column_of(rows, "samples/s", kRates,
                              [](const Summary& row) { return rate_cell(row.samples_per_s); }));
  columns.push_back(
      column_of(rows, "GiB", kRates, [](const Summary& row) { return rate_cell(row.memory_gib); }));
  const TimeStyle style = style_for(rows);
  columns.push_back(column_of(rows, "sd within", kCounts,
                              [&](const Summary& row) { return within_cell(row, style); }));
  columns.push_back(column_of(rows, "alloc/runs/lines", kCounts, count_cell));
}

std::vector<TextColumn> columns_of(const std::vector<Summary>& rows) {
  std::vector<TextColumn> columns;
  columns.push_back(
      column_of(rows, "sweep", kSweep, [](const Summary& row) { return printable(row.sweep); }));
  columns.back().align = Align::kLeft;
  columns.back().may_move = true;
  columns.back().may_shorten = true;
  columns.push_back(name_column(rows));
  add_state(columns, rows);
  add_point_columns(columns, rows);
  add_axes(columns, rows);
  add_measures(columns, rows);
  return columns;
}

}  // namespace

void write_terminal(const Report& report, std::ostream& out) {
  if (report.rows.empty()) {
    out << "no points\n";
    return;
  }
  const auto dropped = write_table(columns_of(report.rows), report.width, out);
  auto remarks = remarks_on(report.rows);
  if (!dropped.empty()) {
    remarks.push_back("left out for lack of room: " + join(dropped, ", ") + " (csv has all)");
  }
  if (!remarks.empty()) out << '\n';
  for (const auto& remark : remarks) out << wrapped(remark, report.width, 2) << '\n';
}

}  // namespace pippin
