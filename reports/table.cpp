#include "reports/table.h"

#include <algorithm>
#include <string_view>

#include "core/base/text.h"
#include "reports/point_columns.h"
#include "reports/strip.h"

namespace pippin {

namespace {

using Align = TextColumn::Align;

constexpr int kAxisImportance = 5;  // that of rates

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
    const bool unknown = std::all_of(text.cells.begin(), text.cells.end(),
                                     [](const auto& cell) { return cell.empty(); });
    if (!unknown || column.asked) table.push_back(std::move(text));
  }
  return table;
}

}  // namespace pippin
