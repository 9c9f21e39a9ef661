// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "core/records/summary.h"
#include "reports/columns.h"
#include "reports/row_range.h"

namespace pippin {

/// What a table is made of.
struct Report {
  std::vector<Summary> rows;
  std::vector<Column> columns = {};  ///< empty: those that the format has usually
  std::size_t width = 100;  ///< columns that a line may take; 0: any. Only where lines have a width
  bool colours = false;     ///< only on a terminal
  bool ascii = false;       ///< … that has no more
  /// Notes that runs have or had, also those of rows that were left out.
  std::set<std::string> said = {};
  std::string dropped = {};           ///< how many runs were set aside, and why; empty: none
  std::string heading = {};           ///< of which campaign it is; empty where that is plain
  std::size_t left_out = 0;           ///< rows behind the last, by --limit
  std::optional<MadeRows> made = {};  ///< instead of `rows`, where there may be very many
};

/// Either kind of its rows.
inline RowRange rows_of(const Report& report) {
  return report.made ? RowRange(*report.made) : RowRange(report.rows);
}

/// One way to write a table down. A new one is a file and a line in format.cpp.
struct Format {
  std::string name;
  void (*write)(const Report& report, std::ostream& out);  ///< nullptr: a page (page/page.h)
};

const std::vector<Format>& formats();

/// Errors: Error (bad input) naming the near format where there is none of that name.
const Format& format_named(const std::string& name);

/// Those asked for, or what a terminal has usually, if it is wide enough.
std::vector<Column> terminal_columns(const Report& report);
void write_terminal(const Report& report, std::ostream& out);
/// Those asked for, or what a Markdown table has usually.
std::vector<Column> markdown_columns(const Report& report);
void write_markdown(const Report& report, std::ostream& out);
void write_json(const Report& report, std::ostream& out);
void write_csv(const Report& report, std::ostream& out);

}  // namespace pippin
