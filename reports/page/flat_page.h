// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/records/point.h"
#include "core/records/run.h"
#include "reports/flat_table.h"
#include "reports/show/sheet.h"

namespace pippin {

/// What a row is called, and how it went or would go.
struct FlatPageRow {
  std::string name;
  RunState state = RunState::kOk;  ///< infeasible; missing where nothing is known
  std::string reason;              ///< why it has no time
  std::optional<double> seconds = {}, low = {}, high = {};
};

/// What rows differ in: their place in plots.
struct PageAxis {
  std::string name, title;
  std::vector<std::string> values;  ///< one a row
};

/// What these points say under the names that sweeps use.
std::vector<PageAxis> axes_of(const std::vector<Point>& points);

/// A page of one table.
struct FlatPage {
  std::string kind, title;
  std::string command;            ///< that makes it again
  std::int64_t made_at = 0;       ///< seconds since 1970
  std::vector<std::string> said;  ///< a sentence each, above all
  FlatTable table;
  std::string name_column;        ///< of the table, which says again what rows are called; or empty
  std::vector<FlatPageRow> rows;  ///< one for each of the table
  std::vector<PageAxis> axes;     ///< those in which all are equal are left out
  std::optional<Sheet> sheet;     ///< what stands above the table
};

/// All that it says, as page_document() has it.
std::string flat_page_document(const FlatPage& page);

}  // namespace pippin
