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

TableStyle style_of(const std::vector<Summary>& rows, const std::vector<Column>& columns,
                    bool aligned) {
  TableStyle style;
  style.strip_scale = strip_scale(rows);
  for (const auto& column : columns) {
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

bool is_of_point(const Column& column) {
  if (!column.kind) return true;
  return is(column, "size") || is(column, "difference") ||
         find_count(Point(), column.kind->name).has_value();
}

}  // namespace

std::vector<TextColumn> text_columns(const std::vector<Summary>& rows,
                                     const std::vector<Column>& columns, bool aligned) {
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
    text.cells.reserve(rows.size());
    for (const auto& row : rows) {
      text.cells.push_back(column.kind ? cell_text(*column.kind, row, style, column.decimals)
                                       : printable(axis_cell(row.point, column.axis)));
      const bool says_end = is(column, "state") || (is(column, "step_time") && !row.step_time_s);
      text.tones.push_back(says_end ? tone_of(row) : Tone::kNormal);
    }
    table.push_back(std::move(text));
  }
  std::erase_if(table, [](const TextColumn& text) {
    const bool unknown = std::all_of(text.cells.begin(), text.cells.end(),
                                     [](const auto& cell) { return cell.empty(); });
    return unknown && !text.keep;
  });
  return table;
}

namespace {

/// Sums of a row's hashes over some columns: a column is taken out by a subtraction.
class RowHashes {
 public:
  RowHashes(const std::vector<Summary>& rows, const std::vector<TextColumn>& table)
      : rows_(rows), table_(table), sums_(rows.size()) {}

  void add(std::size_t column, bool take_out = false) {
    for (std::size_t row = 0; row < sums_.size(); ++row) {
      const std::size_t hash = hash_of(column, row);
      sums_[row] += take_out ? std::size_t{0} - hash : hash;
    }
  }
  /// Whether rows of unlike points differ.
  bool tell_apart() const {
    std::unordered_map<std::size_t, const std::string*> id_of;
    id_of.reserve(sums_.size());
    for (std::size_t row = 0; row < sums_.size(); ++row) {
      const std::string& id = rows_[row].point.id;
      const auto [same, is_new] = id_of.try_emplace(sums_[row], &id);
      if (!is_new && *same->second != id) return false;
    }
    return true;
  }

 private:
  std::size_t hash_of(std::size_t column, std::size_t row) const {
    constexpr std::size_t kSpread = 0x9e3779b97f4a7c15;
    return (std::hash<std::string>()(table_[column].cells[row]) + column + 1) * kSpread;
  }

  const std::vector<Summary>& rows_;
  const std::vector<TextColumn>& table_;
  std::vector<std::size_t> sums_;
};

bool differs(const TextColumn& column) {
  const auto& cells = column.cells;
  return std::adjacent_find(cells.begin(), cells.end(), std::not_equal_to<>()) != cells.end();
}

}  // namespace

void rank_by_difference(const std::vector<Summary>& rows, std::vector<TextColumn>& table) {
  RowHashes hashes(rows, table);
  std::vector<std::size_t> telling;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (!table[i].is_of_point || !differs(table[i])) continue;
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
