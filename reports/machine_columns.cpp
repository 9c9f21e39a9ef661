#include "reports/machine_columns.h"

#include <algorithm>
#include <string_view>

#include "reports/probe_rates.h"

namespace pippin {

std::vector<Column> named_for_machine(std::vector<Column> columns,
                                      const std::vector<Summary>& rows) {
  const bool all = std::all_of(rows.begin(), rows.end(),
                               [](const Summary& row) { return measures_machine(row.point); });
  if (!all) return columns;
  for (auto& column : columns) {
    const std::string_view name = column.kind ? column.kind->name : "";
    if (name == "gpus") column.title = "ranks";
    if (name == "step_time") column.title = "time";
  }
  return columns;
}

}  // namespace pippin
