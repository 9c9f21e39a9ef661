// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/records/point.h"
#include "core/records/value.h"
#include "reports/notes/note_columns.h"
#include "reports/notes/note_settings.h"

namespace pippin {

/// What a row says of model and layout, with what stands above its table and what a person said
/// where the table has no such column.
struct SaidOfRow {
  Model model;
  Layout layout;
  NamedValues derived;  ///< what of them the row's own cells do not say: by which law
  std::string problem;  ///< why they cannot be right; empty where nothing says so
};

/// What is said of the rows of one table.
class TableFacts {
 public:
  /// Keeps a reference to the table.
  TableFacts(const MarkdownTable& table, const NoteSettings& settings);

  const NoteColumns& columns() const { return columns_; }
  const NoteSettings& settings() const { return settings_; }
  /// The nearest caption or heading, for messages: "table 'Performance'".
  const std::string& name() const { return name_; }

  /// The title of a column.
  std::string_view title_at(std::size_t place) const { return table_.header.text(place); }
  /// Columns whose titles mean a step time beside the one that is taken for it.
  std::vector<std::size_t> other_step_times() const;

  /// Shape: GPUs without a column of them are nodes × GPUs per node, or TP × PP × DP (× CP); GBS is
  /// MBS × GAS × DP. An empty cell of a column says that nobody noted it: nothing stands in for it.
  SaidOfRow of(const MarkdownRow& row) const;

  /// Whether a count can be known of rows at all: `gpus` and `gbs` also by the above.
  bool is_said(std::string_view name) const;
  /// Whether the headings or what is right above the table say it.
  bool is_above(std::string_view name) const { return above_.count(name) > 0; }

 private:
  bool is_named(std::string_view name) const;
  Count count_of(const MarkdownRow& row, std::string_view name, SaidOfRow& facts) const;
  Count told(std::string_view name) const;
  void add_gpus(const MarkdownRow& row, SaidOfRow& facts) const;
  void add_gbs(SaidOfRow& facts) const;

  const MarkdownTable& table_;
  NoteSettings settings_;
  NoteColumns columns_;
  std::map<std::string, Count, std::less<>> above_;
  std::string name_;
};

}  // namespace pippin
