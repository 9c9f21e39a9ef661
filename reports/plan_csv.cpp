// SPDX-License-Identifier: Apache-2.0
#include "reports/csv_text.h"
#include "reports/plan.h"
#include "reports/point_columns.h"

namespace pippin {

namespace {

using Cells = std::vector<std::string>;

/// `cells`: room to work in.
void write_point(const Point& point, const std::string& state, const std::string& reason,
                 const std::vector<std::string>& axes, Cells& cells, std::ostream& out) {
  cells.clear();
  for (const auto* text : {&point.name, &state, &reason}) cells.push_back(*text);
  for (auto& cell : point_cells(point)) cells.push_back(std::move(cell));
  cells.push_back(cp_cell(point));
  for (const auto& axis : axes) cells.push_back(axis_cell(point, axis));
  out << csv_line(cells);
}

}  // namespace

void write_plan_csv(const Plan& plan, std::ostream& out) {
  const Sweep& sweep = plan.sweep;
  Cells names{"name", "state", "reason"};
  for (const auto& column : point_columns()) names.push_back(column.name);
  names.emplace_back("cp");
  const Cells fixed = names;
  for (const auto& axis : sweep.own_axes) names.push_back(axis_title(axis, fixed));
  out << csv_line(names);
  const std::string planned = "planned", no_reason, infeasible = "infeasible";
  Cells cells;
  for (const auto& point : sweep.points)
    write_point(point, planned, no_reason, sweep.own_axes, cells, out);
  for (const auto& dropped : sweep.dropped)
    write_point(dropped.point, infeasible, dropped.reason, sweep.own_axes, cells, out);
}

}  // namespace pippin
