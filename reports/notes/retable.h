// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/notes/markdown.h"
#include "reports/notes/note_settings.h"

namespace pippin {

/// A cell whose number does not follow from its row.
struct CellChange {
  std::size_t line = 0;  ///< 1-based
  std::string before, after;
  TextEdit edit;
};

struct Retabled {
  std::size_t tables = 0;      ///< that have every column it takes
  std::size_t computable = 0;  ///< rows with a number in each of them
  std::vector<CellChange> changes;
  std::vector<NoteRemark> contradictions;  ///< rows that contradict themselves
  std::vector<NoteRemark> doubts;          ///< tables that were left alone, and why
};

/// Recomputes the TFLOPS of every table that is kept by hand from what is said of the row: model,
/// GBS (or, where that has no column, MBS × GAS × DP), step time and GPUs; by the formula that was
/// said. A table of which something is unsaid is a doubt, which says what. Shape: a cell changes
/// where its number is off by more than half of its last decimal; it gets as many decimals as
/// others of its table whose numbers are right.
Retabled retable(std::string_view document, const NoteSettings& settings);

}  // namespace pippin
