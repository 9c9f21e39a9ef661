// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/records/point.h"
#include "sweeps/estimate/flops.h"

namespace pippin {

/// What a person says of tables that do not say it themselves. What is empty here and in the table
/// is not known: nothing is assumed.
struct NoteSettings {
  Model model;                          ///< its counts and size
  Layout layout;                        ///< the same
  Count nodes, gpus_per_node;           ///< from which GPUs follow
  std::optional<bool> full_recompute;   ///< whether the forward pass is done twice
  std::optional<FlopsFormula> formula;  ///< by which TFLOPS were computed
  std::string step_time;                ///< title of the column of step times
};

/// Takes "NAME=VALUE" words: counts of model and layout, size, nodes, gpus_per_node, recompute
/// (full or none), formula, step_time (a column's title).
/// Errors: Error (bad input) of a name that is none, of a value that is no such thing, and of a
/// name that is said twice.
NoteSettings note_settings(const std::vector<std::string>& words);

/// What stands in a line and cannot be right.
struct NoteRemark {
  std::size_t line = 0;
  std::string what;      ///< "GBS 4 is not MBS 1 × GAS 4 × DP 4 = 16"
  bool refused = false;  ///< a row or a table is left out because of it
};

}  // namespace pippin
