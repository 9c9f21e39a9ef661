// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "reports/columns.h"
#include "reports/row_range.h"
#include "reports/text_table.h"

namespace pippin {

/// The cells of a table for people.
/// Shape: `aligned`: the parts of step times stand below one another by blanks. A column that
/// nobody asked for and no row knows anything in is left out.
/// `also`: is shown each row once, as rows may have to be made.
std::vector<TextColumn> text_columns(const RowRange& rows, const std::vector<Column>& columns,
                                     bool aligned,
                                     const std::function<void(const Summary&)>& also = {});

/// For where room is short: what tells the points of rows apart stays longest, and the name that
/// repeats it goes first.
void rank_by_difference(const RowRange& rows, std::vector<TextColumn>& table);

}  // namespace pippin
