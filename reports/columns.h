#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reports/column_kinds.h"

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
/// no canonical one is also the title; "?NAME" is left out where no row has such an axis. Errors:
/// Error (bad input) naming what is near.
std::vector<Column> columns_named(const std::string& text, const std::vector<Summary>& rows);

/// The axes that such a text may mean.
std::set<std::string, std::less<>> axes_in_columns(const std::string& text);

/// Columns by their canonical names, with their usual titles. Requires that there are such kinds.
std::vector<Column> usual_columns(const std::vector<std::string>& names);

/// The columns that name rows: points, and what of them each row is.
std::vector<std::string> naming_columns(const std::vector<Summary>& rows);

/// Whether CP is worth a column: it is above 1 somewhere.
bool has_context_parallel(const std::vector<Summary>& rows);

/// One column for each of the axes that a table of these rows shows. `taken`: names that get
/// "axis_" before them.
std::vector<Column> axis_columns(const std::vector<Summary>& rows,
                                 const std::vector<std::string>& taken = {});

/// The own axes that a table shows, in the order in which rows first have them: all of a sweep's
/// points; of foreign logs, whose axes are arguments by the dozen, those that tell apart two rows
/// which look alike otherwise.
std::vector<std::string> shown_axes(const std::vector<Summary>& rows);

}  // namespace pippin
