// SPDX-License-Identifier: Apache-2.0
#include "reports/table.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <unordered_map>

#include "core/base/text.h"
#include "core/records/fields.h"
#include "reports/point_columns.h"
#include "reports/strip.h"

namespace pippin {

namespace {

using Align = TextColumn::Align;

constexpr int kAxisImportance = 5;      // that of rates
constexpr int kTellingImportance = 10;  // above all that may go
constexpr int kNameImportance = -1;

bool is(const Column& column, std::string_view name) {
  return column.kind && column.kind->name == name;
}

TableStyle style_of(const RowRange& rows, const std::vector<Column>& columns, bool aligned) {
  TableStyle style;
  for (const auto& column : columns) {
    if (is(column, "strip")) style.strip_scale = strip_scale(rows);
    if (is(column, "state")) style.has_state = true;
    if (is(column, "step_time")) style.time = time_style_for(rows, column.decimals, aligned);
  }
  return style;
}

Tone tone_of(const Summary& row) {
  const bool bad = row.state == RunState::kOom || row.state == RunState::kFailed ||
                   row.state == RunState::kTimeout;
  return bad ? Tone::kBad : Tone::kNormal;
}

/// How a column of a kind looks on a terminal.
void arrange(TextColumn& text, const Column& column, bool aligned) {
  const ColumnKind& kind = *column.kind;
  text.importance = kind.importance;
  text.may_move = !column.asked && (kind.may_move || is(column, "sweep"));
  const bool name = is(column, "point") || is(column, "run");
  const bool left = kind.kind == ColumnKind::Kind::kText || is(column, "strip") ||
                    (aligned && is(column, "step_time"));
  text.align = left ? Align::kLeft : Align::kRight;
  text.may_shorten = name || is(column, "sweep");
  text.must_stay = column.asked || name || is(column, "state") || is(column, "step_time");
}

/// The cells of each column, row by row: a row may have to be made.
void fill(std::vector<TextColumn>& table, const RowRange& rows, const std::vector<Column>& columns,
          const TableStyle& style, const std::function<void(const Summary&)>& also) {
  for (const Summary& row : rows) {
    if (also) also(row);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Column& column = columns[i];
      table[i].cells.push_back(column.kind ? cell_text(*column.kind, row, style, column.decimals)
                                           : printable(axis_cell(row.point, column.axis)));
      const bool is_time = is(column, "step_time");
      if (is_time || is(column, "state"))
        table[i].tones.push_back(is_time && row.step_time_s ? Tone::kNormal : tone_of(row));
    }
  }
}

bool is_of_point(const Column& column) {
  if (!column.kind) return true;
  return is(column, "size") || is(column, "difference") ||
         find_count(Point(), column.kind->name).has_value();
}

}  // namespace

std::vector<TextColumn> text_columns(const RowRange& rows, const std::vector<Column>& columns,
                                     bool aligned,
                                     const std::function<void(const Summary&)>& also) {
  const TableStyle style = style_of(rows, columns, aligned);
  std::vector<TextColumn> table;
  for (const auto& column : columns) {
    TextColumn text;
    // Under its own name it says its scale, which stands nowhere else.
    const bool own_title = is(column, "strip") && column.title == column.kind->name;
    text.title = own_title ? strip_title(style.strip_scale) : printable(column.title);
    text.is_strip = is(column, "strip");
    text.is_ranking = is(column, "best");
    text.is_of_point = is_of_point(column);
    text.repeats_point = is(column, "point") && !column.asked;
    text.keep = column.asked;
    if (column.kind) {
      arrange(text, column, aligned);
    } else {
      text.importance = kAxisImportance;
      text.may_move = !column.asked;
      text.must_stay = column.asked;
    }
    table.push_back(std::move(text));
  }
  fill(table, rows, columns, style, also);
  std::erase_if(table, [](const TextColumn& text) {
    const bool unknown =
        text.cells.all_equal() && (text.cells.empty() || text.cells.front().empty());
    return unknown && !text.keep;
  });
  return table;
}

namespace {

/// Sums of a row's hashes over some columns: a column is taken out by a subtraction.
class RowHashes {
 public:
  RowHashes(const RowRange& rows, const std::vector<TextColumn>& table)
      : table_(table), sums_(rows.size()) {
    std::unordered_map<std::string, std::size_t> numbers;
    points_.reserve(rows.size());
    for (const Summary& row : rows)
      points_.push_back(numbers.try_emplace(row.point.id, numbers.size()).first->second);
  }

  void add(std::size_t column, bool take_out = false) {
    for (std::size_t row = 0; row < sums_.size(); ++row) {
      const std::size_t hash = hash_of(column, row);
      sums_[row] += take_out ? std::size_t{0} - hash : hash;
    }
  }
  /// Whether rows of unlike points differ.
  bool tell_apart() const {
    std::unordered_map<std::size_t, std::size_t> point_of;
    point_of.reserve(sums_.size());
    for (std::size_t row = 0; row < sums_.size(); ++row) {
      const auto [same, is_new] = point_of.try_emplace(sums_[row], points_[row]);
      if (!is_new && same->second != points_[row]) return false;
    }
    return true;
  }

 private:
  std::size_t hash_of(std::size_t column, std::size_t row) const {
    constexpr std::size_t kSpread = 0x9e3779b97f4a7c15;
    return (std::hash<std::string_view>()(table_[column].cells[row]) + column + 1) * kSpread;
  }

  const std::vector<TextColumn>& table_;
  std::vector<std::size_t> points_;  ///< of each row a number
  std::vector<std::size_t> sums_;
};

}  // namespace

void rank_by_difference(const RowRange& rows, std::vector<TextColumn>& table) {
  RowHashes hashes(rows, table);
  std::vector<std::size_t> telling;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (!table[i].is_of_point || table[i].cells.all_equal()) continue;
    telling.push_back(i);
    hashes.add(i);
  }
  if (telling.empty() || !hashes.tell_apart()) return;
  // The least important first, of equals the last: what the others say already need not stay.
  std::stable_sort(telling.begin(), telling.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(table[a].importance, b) < std::pair(table[b].importance, a);
  });
  for (const std::size_t i : telling) {
    hashes.add(i, true);
    if (hashes.tell_apart()) continue;
    hashes.add(i);
    table[i].importance = kTellingImportance;
  }
  for (auto& column : table) {
    if (!column.repeats_point) continue;
    column.importance = kNameImportance;
    column.must_stay = false;
  }
}

}  // namespace pippin
