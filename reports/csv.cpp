// SPDX-License-Identifier: Apache-2.0
#include "reports/csv_text.h"
#include "reports/exact_columns.h"
#include "reports/point_columns.h"

namespace pippin {

void write_csv(const Report& report, std::ostream& out) {
  const auto columns = exact_columns(report);
  std::vector<std::string> cells;
  cells.reserve(columns.size());
  for (const auto& column : columns) cells.push_back(column.name);
  out << csv_line(cells);
  for (const auto& row : rows_of(report)) {
    cells.clear();
    for (const auto& column : columns)
      cells.push_back(column.field ? exact_text(*column.field, row)
                                   : axis_cell(row.point, column.axis));
    out << csv_line(cells);
  }
}

}  // namespace pippin
