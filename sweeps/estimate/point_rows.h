// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sweeps/estimate/setup.h"

namespace pippin {

/// A row of a table of layouts, by the names of its columns; an empty cell is not given.
class PointRow {
 public:
  explicit PointRow(std::map<std::string, std::string> cells) : cells_(std::move(cells)) {}

  /// Empty where it is not given.
  std::string text(const std::string& column) const;
  /// 0 where it is not given or no count.
  std::int64_t count(const std::string& column) const;
  std::optional<double> number(const std::string& column) const;
  PointRow with(const std::string& column, const std::string& text) const;
  bool says(const std::string& column, std::string_view part) const;
  /// Those that are none of point_columns().
  std::vector<std::string> unknown_columns() const;

 private:
  std::map<std::string, std::string> cells_;
};

/// Columns in any order, parted by tabs; `where` names the file in messages.
/// Errors: Error (bad input) where there is no column `id`, or a line has another number of cells.
std::vector<PointRow> read_point_rows(std::string_view text, const std::string& where);

/// A row as a setup, or why it cannot be judged.
struct RowSetup {
  std::optional<Setup> setup;
  std::string why_not;
  std::string why_no_memory;     ///< where only its time can be judged
  std::string why_no_time;       ///< where only its memory can be
  std::string doubt;             ///< what it says that cannot be, beside what is judged
  bool any_micro_batch = false;  ///< its size is not given: the best one is assumed for the time
};

/// The names of all columns that a table may have.
const std::vector<std::string>& point_columns();

/// Reads the columns model layers hidden heads kv_heads ffn seq vocab precision gpu gpus_per_node
/// n_gpus tp pp vpp dp cp ep mbs gbs gas zero recompute seq_par act_fn attn framework notes; in the
/// notes Megatron's arguments as JSON. Names of Megatron-LM's functional tests, as its `model`, say
/// what they turn on.
RowSetup setup_of_row(const PointRow& row);

}  // namespace pippin
