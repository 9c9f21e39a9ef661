// SPDX-License-Identifier: Apache-2.0
#include "reports/machine_columns.h"

#include <string_view>

namespace pippin {

std::vector<Column> named_for_machine(std::vector<Column> columns, const RowFacts& facts) {
  if (!facts.all_measure_machine) return columns;
  for (auto& column : columns) {
    const std::string_view name = column.kind ? column.kind->name : "";
    if (name == "gpus") column.title = "ranks";
    if (name == "step_time") column.title = "time";
  }
  return columns;
}

}  // namespace pippin
