// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/notes/row_facts.h"

namespace pippin {

/// What a row's TFLOPS follow from.
struct RowValues {
  Model model;
  double gbs = 0, seconds = 0, gpus = 0;
};

/// A way to count the work of an iteration.
struct FlopsLaw {
  FlopsFormula formula = FlopsFormula::kParams;
  bool full_recompute = true;  ///< counts in `params` only
};

/// Nothing where a cell is missing or no number.
std::optional<RowValues> row_values(const TableFacts& facts, const MarkdownRow& row);

/// Whether times, batch, GPUs and some size of the model are said of a table's rows.
bool has_values(const TableFacts& facts);

/// The law that a person said; nothing where something of it is unsaid.
std::optional<FlopsLaw> said_law(const NoteSettings& settings);

/// The names of what TFLOPS follow from and nothing says: "seq", "formula", "recompute", …
std::vector<std::string> unsaid_of_tflops(const TableFacts& facts);

/// "--set seq=2048 --set formula=params": such names with a value each, as an example.
std::string as_options(const std::vector<std::string>& names);

/// FLOPs of an iteration. Nothing where a value is not above zero or beyond all measure, or the
/// model is not known well enough.
std::optional<double> flops_of(const Model& model, double gbs, const FlopsLaw& law);

/// Nothing where flops_of() is, or the result is beyond all measure.
std::optional<double> tflops_of(const RowValues& values, const FlopsLaw& law);

/// Why a row's own cells cannot be right; empty where nothing says so.
/// Shape: GBS against MBS × GAS × DP, where the table has no GAS (or PP) against MBS × DP; GPUs
/// against TP × PP × DP (× CP); values that must be above zero.
std::string contradiction_in(const NoteColumns& columns, const MarkdownRow& row);

}  // namespace pippin
