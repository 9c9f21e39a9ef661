// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/records/whole_run.h"
#include "reports/flat_table.h"
#include "reports/show/sheet.h"

namespace pippin {

/// What of listed runs is said in a table, beside their names, ends and step times.
struct RunTableColumns {
  bool positions = false;  ///< in their job
  bool points = false, sweeps = false, allocations = false;
  std::optional<std::int64_t> marked;  ///< the run that the table is shown for
};

FlatTable run_table(const std::vector<ListedRun>& runs, const RunTableColumns& columns);

/// The table of a list, and how many it has not. `how`: how those lie to the ones that it has.
void put_runs(const RunList& list, const RunTableColumns& columns, const char* how,
              SheetPart& part);

/// The mean step of its clean lines, or where there are none of all; nothing without a line.
std::optional<double> mean_ms_of(const ListedRun& run);

/// "campaign 2 of gpt-52b"; "a log" of one that no sweep made.
std::string origin_of(const ListedRun& run);

}  // namespace pippin
