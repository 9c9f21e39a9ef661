#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/records/summary.h"

namespace pippin {

/// The rows for which every clause holds.
/// Shape: a clause is an expression as a sweep's `where` has it, over the names of the row's point
/// and axes, and state, sweep, run, step_time (s), tflops, memory (GiB), mfu and the other columns
/// that hold one value. Where a row does not know a name, the clause does not hold for it.
/// Errors: Error (bad input) where a clause is none, or no row knows one of its names.
std::vector<Summary> rows_where(std::vector<Summary> rows, const std::vector<std::string>& clauses);

/// Sorts by columns and axes: "tflops,-tp". Rates have the highest first, all else the lowest; "-"
/// turns that round. Rows that do not know a key come last, in the order they had.
/// Errors: Error (bad input) where a key is no column and no axis.
void sort_rows(std::vector<Summary>& rows, const std::string& keys);

/// The names in clauses and keys, of which some may be axes.
std::set<std::string, std::less<>> names_to_know(const std::vector<std::string>& clauses,
                                                 const std::string& keys);

}  // namespace pippin
