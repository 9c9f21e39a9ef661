// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/records/summary.h"

namespace pippin {

/// Marks the row whose GPUs do the most useful work in a second, and those that cannot be told from
/// it: paired within shared allocations, else Welch, Holm over the table, 5 %.
/// Shape: of collective operations only where all are the same call, by their bus bandwidth. Rows
/// that did not end well, were not repeated, were written down by hand, or cannot be held against
/// the others are not ranked; where fewer than two are, nobody is.
void rank(std::vector<Summary>& rows);

/// Sets the useful work that each row's GPUs do in a second against that of row `reference`: work
/// that is done twice (recomputation) counts once, other than in TFLOPS. Rows of one model are
/// compared by sequences where their FLOPs are unknown; others then not at all. Rows that did not
/// end well have no ratio.
/// Shape: paired within shared allocations, else Welch; without an interval where too little was
/// repeated, or a figure was written down by hand.
void compare_with(std::vector<Summary>& rows, std::size_t reference);

}  // namespace pippin
