#include "reports/csv_text.h"
#include "reports/format.h"
#include "reports/point_columns.h"
#include "reports/values.h"

namespace pippin {

namespace {

using Cells = std::vector<std::string>;

std::string cell_of(const std::optional<double>& value) {
  return value ? exact_number(*value) : "";
}

void append(Cells& cells, const Cells& more) {
  cells.insert(cells.end(), more.begin(), more.end());
}

Cells header() {
  Cells names{"sweep", "point", "state"};
  for (const auto& column : point_columns()) names.push_back(column.name);
  append(names, {"allocations", "runs", "iterations", "step_time_s", "ci_low_s", "ci_high_s",
                 "sd_s", "tflops", "flops_formula", "samples_per_s", "memory_gib"});
  return names;
}

/// Counts and times; all empty where nothing was measured.
Cells measured(const Summary& row) {
  if (!row.step_time_s) return Cells(7);
  const Interval& time = *row.step_time_s;
  return {std::to_string(row.allocations),
          std::to_string(row.runs),
          std::to_string(row.iterations),
          exact_number(time.mean),
          cell_of(time.low),
          cell_of(time.high),
          cell_of(time.sd)};
}

Cells cells_of(const Summary& row) {
  Cells cells{row.sweep, row.point.name, std::string(text_of(row.state))};
  append(cells, point_cells(row.point));
  append(cells, measured(row));
  append(cells, {cell_of(row.tflops), row.flops_formula, cell_of(row.samples_per_s),
                 cell_of(row.memory_gib)});
  return cells;
}

}  // namespace

void write_csv(const Report& report, std::ostream& out) {
  const auto axes = shown_axes(report.rows);
  Cells names = header();
  const Cells fixed = names;
  for (const auto& axis : axes) names.push_back(axis_title(axis, fixed));
  out << csv_line(names);
  for (const auto& row : report.rows) {
    Cells cells = cells_of(row);
    for (const auto& axis : axes) cells.push_back(axis_cell(row.point, axis));
    out << csv_line(cells);
  }
}

}  // namespace pippin
