// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/records/summary.h"
#include "reports/row_range.h"

namespace pippin {

/// The rows for which every clause holds.
/// Shape: a clause is an expression as a sweep's `where` has it, over the names of the row's point
/// and axes, and every column by any of its names (column_names.h) or the name of its value in CSV.
/// A bare number is in seconds, GiB or a share of 1; `50ms`, `40 GiB`, `1.5%` say their unit. Where
/// a row does not know a name, the clause does not hold for it.
/// Errors: Error (bad input) where a clause is none, no row knows one of its names, or the table is
/// not of the kind that has it.
std::vector<Summary> rows_where(std::vector<Summary> rows, const std::vector<std::string>& clauses);
void keep_where(MadeRows& rows, const std::vector<std::string>& clauses);

/// Whether a clause is of what rows have only beside others: vs, best.
bool is_of_comparison(const std::string& clause);

/// Sorts by columns and axes: "tflops,-tp". The best come first: rates with the highest, all else
/// with the lowest; after "-" the highest do, after "+" the lowest. Rows that do not know a key
/// come last, in the order they had. Errors: Error (bad input) where a key is no column and no
/// axis.
void sort_rows(std::vector<Summary>& rows, const std::string& keys);
void sort_rows(MadeRows& rows, const std::string& keys);

/// Errors: Error (bad input) where a key is of a column that no table of this kind has.
void check_sort_applies(const RowRange& rows, const std::string& keys);

/// The names in clauses and keys, of which some may be axes.
std::set<std::string, std::less<>> names_to_know(const std::vector<std::string>& clauses,
                                                 const std::string& keys);

}  // namespace pippin
