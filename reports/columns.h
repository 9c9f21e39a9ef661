// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reports/column_kinds.h"
#include "reports/row_range.h"

namespace pippin {

/// A column of a table: a property that every row has, or an own axis.
struct Column {
  const ColumnKind* kind = nullptr;  ///< null: `axis`
  std::string axis;
  std::string title;
  std::optional<int> decimals;  ///< instead of significant digits
  bool asked = false;           ///< named by a person: it is there whatever its cells say
};

/// "gpus,size,PP Chunks,zero,ZeRO=zero,tflops:1": each [TITLE=]NAME[:DECIMALS], by its canonical
/// name or any that people use (column_names.h), or an own axis of one of the rows. A name that is
/// no canonical one is also the title; "?NAME" is left out where no row has such an axis; "*" is
/// all own axes by which rows differ and that no other word names. Errors: Error (bad input) naming
/// what is near.
std::vector<Column> columns_named(const std::string& text, const RowRange& rows);

/// The axes that such a text may mean.
std::set<std::string, std::less<>> axes_in_columns(const std::string& text);

/// Columns by their canonical names, with their usual titles. Requires that there are such kinds.
std::vector<Column> usual_columns(const std::vector<std::string>& names);

/// What some rows of a table have, by which its usual columns are chosen.
struct RowFacts {
  bool run = false, allocation = false, day = false, selection = false;
  bool several_sweeps = false;
  bool context_parallel = false;  ///< CP is worth a column: it is above 1
  bool not_ok = false;            ///< a state other than ok, …
  bool not_ok_with_time = false;  ///< … that has a step time
  bool bus_bandwidth = false, vs = false, difference = false;
  bool all_measure_machine = true;  ///< each row: a network or products
  /// The own axes that a table shows, in the order in which rows first have them: all of a sweep's
  /// points; of foreign logs, whose axes are arguments by the dozen, those that tell apart two rows
  /// which look alike otherwise.
  std::vector<std::string> axes = {};
};
RowFacts facts_of(const RowRange& rows);

/// The columns that name rows: points, and what of them each row is.
std::vector<std::string> naming_columns(const RowFacts& facts);

/// One column for each of the axes that a table shows. `taken`: names that get "axis_" before them.
std::vector<Column> axis_columns(const RowFacts& facts, const std::vector<std::string>& taken = {});

}  // namespace pippin
