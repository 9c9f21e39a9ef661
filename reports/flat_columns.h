// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "reports/flat_table.h"
#include "reports/values.h"

namespace pippin {

/// Builds the columns of a flat table of such rows, which must outlive it.
template <typename Row>
class FlatColumns {
 public:
  using Align = TextColumn::Align;

  /// What a column is called by people and by programs; either may be empty.
  struct Names {
    const char* title;
    const char* name;
    int importance = 0;
    Align align = Align::kRight;
  };

  explicit FlatColumns(const std::vector<Row>& rows) : rows_(rows) {}

  /// `text`: of a row's cell; `value`: what flat() takes.
  template <typename Text, typename Value>
  void add(const Names& names, const Text& text, const Value& value) {
    FlatColumn column;
    column.shown.title = names.title;
    column.shown.align = names.align;
    column.shown.importance = names.importance;
    column.name = names.name;
    column.values.reserve(rows_.size());
    for (const auto& row : rows_) {
      column.shown.cells.push_back(text(row));
      column.values.push_back(flat(value(row)));
    }
    made_.push_back(std::move(column));
  }

  /// A text, of which people see what would steer a terminal.
  template <typename Text>
  void add_text(const Names& names, const Text& text) {
    add(
        names, [&](const auto& row) { return printable(text(row)); }, text);
  }

  /// For programs only.
  template <typename Value>
  void add_hidden(const char* name, const Value& value) {
    add(
        {"", name}, [](const Row&) { return std::string(); }, value);
  }

  /// A column of zeros is for programs only.
  void add_count(const Names& names, std::int64_t Row::*count) {
    const bool any =
        std::any_of(rows_.begin(), rows_.end(), [&](const auto& row) { return row.*count != 0; });
    add(
        names, [&](const auto& row) { return any ? std::to_string(row.*count) : std::string(); },
        [&](const auto& row) { return std::optional<std::int64_t>(row.*count); });
  }

  /// Shown in a `unit` of so many.
  void add_number(const Names& names, std::optional<double> Row::*number, double unit = 1) {
    add(
        names,
        [&](const auto& row) {
          return row.*number ? short_number(*(row.*number) / unit) : std::string();
        },
        [&](const auto& row) { return row.*number; });
  }

  std::vector<FlatColumn> take() { return std::move(made_); }

 private:
  const std::vector<Row>& rows_;
  std::vector<FlatColumn> made_;
};

}  // namespace pippin
