// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reports/notes/markdown.h"
#include "reports/notes/rates.h"

namespace pippin {

/// A column of throughputs.
struct RateColumn {
  std::size_t place = 0;
  std::optional<RateUnit> unit;  ///< as the title says; nothing of a bare "Throughput"
};

/// Which columns of a table are known, by their names in column_names().
class NoteColumns {
 public:
  /// `step_time`: the title that a person said the column of step times has; empty: none.
  explicit NoteColumns(const MarkdownTable& table, const std::string& step_time = "");

  /// The place of a column; where two titles mean it, of the one that is its usual title.
  /// Nothing where none does, or two do alike.
  std::optional<std::size_t> find(std::string_view name) const;
  bool has(std::string_view name) const { return find(name).has_value(); }

  /// The known column that a place's title means; empty where none. Several may mean the same.
  std::string_view name_of(std::size_t place) const;

  /// "two columns may be step_time: 'Speed' and 'Time'"; empty where none or one may be.
  std::string doubt(std::string_view name) const;

  /// A cell's text, empty where the table has no such column; and the column's title.
  std::string_view text(const MarkdownRow& row, std::string_view name) const;
  std::string_view title(std::string_view name) const;

  /// In the table's order.
  const std::vector<RateColumn>& rates() const { return rates_; }
  /// Columns of times that are none of an iteration: of starting, compiling, saving, of a whole
  /// run, of the forward pass. In the table's order.
  const std::vector<std::size_t>& other_times() const { return other_times_; }

 private:
  void choose_step_time(const std::string& title);
  void sort_out(std::size_t place);

  const MarkdownTable& table_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> places_;  // more than one: in doubt
  std::map<std::size_t, std::string> names_;
  std::vector<RateColumn> rates_;
  std::vector<std::size_t> other_times_;
};

}  // namespace pippin
