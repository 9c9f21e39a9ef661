#pragma once

#include <optional>
#include <string>

#include "reports/notes/note_columns.h"
#include "reports/notes/note_settings.h"

namespace pippin {

/// What a row's TFLOPS follow from.
struct RowValues {
  double params = 0, gbs = 0, seconds = 0, gpus = 0, seq = 0;
};

/// Nothing where a cell is missing or no number.
std::optional<RowValues> row_values(const NoteColumns& columns, const MarkdownRow& row,
                                    const NoteSettings& settings);

/// Whether a table has a column for each of them.
bool has_values(const NoteColumns& columns);

/// Nothing where a value is not above zero, or the result is beyond all measure.
std::optional<double> tflops_of(const RowValues& values, bool full_recompute);

/// Why a row cannot be right; empty where nothing says so.
/// Shape: GBS against MBS × GAS × DP, where the table has no GAS (or PP) against MBS × DP; GPUs
/// against TP × PP × DP (× CP); values that must be above zero.
std::string contradiction_in(const NoteColumns& columns, const MarkdownRow& row,
                             const NoteSettings& settings);

}  // namespace pippin
