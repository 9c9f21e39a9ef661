// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "reports/column_names.h"
#include "reports/format.h"
#include "reports/machine_columns.h"
#include "reports/markdown_table.h"
#include "reports/remarks.h"
#include "reports/table.h"

namespace pippin {

namespace {

/// Whether two points have the same in all columns: then their names must tell them apart.
bool look_alike(const RowRange& rows, const std::vector<Column>& columns) {
  const auto table = text_columns(rows, columns, false);
  std::map<std::vector<std::string>, std::string> first_id;
  std::size_t place = 0;
  for (const Summary& row : rows) {
    std::vector<std::string> cells;
    cells.reserve(table.size());
    for (const auto& column : table) cells.emplace_back(column.cells[place]);
    const auto [same, is_new] = first_id.try_emplace(std::move(cells), row.point.id);
    if (!is_new && same->second != row.point.id) return true;
    ++place;
  }
  return false;
}

std::vector<Column> usual_markdown_columns(const RowRange& rows) {
  const RowFacts facts = facts_of(rows);
  std::vector<Column> columns;
  if (facts.several_sweeps) columns = usual_columns({"sweep"});
  std::vector<std::string> names = naming_columns(facts);
  if (facts.not_ok_with_time) names.emplace_back("state");
  names.erase(std::remove(names.begin(), names.end(), "point"), names.end());
  for (auto& column : usual_columns(names)) columns.push_back(std::move(column));
  std::vector<std::string> layout{"gpus", "size", "tp", "pp", "dp"};
  if (facts.context_parallel) layout.emplace_back("cp");
  layout.insert(layout.end(), {"mbs", "gas", "gbs"});
  for (auto& column : usual_columns(layout)) columns.push_back(std::move(column));
  for (auto& column : axis_columns(facts)) columns.push_back(std::move(column));
  if (facts.difference) columns.push_back(usual_columns({"difference"})[0]);
  if (!facts.run && look_alike(rows, columns))
    columns.insert(columns.begin(), usual_columns({"point"})[0]);
  for (auto& column : usual_columns({"step_time", "spread", "busbw", "tflops", "best", "mfu", "hfu",
                                     "vs", "memory", "notes"}))
    columns.push_back(std::move(column));
  return named_for_machine(std::move(columns), facts);
}

/// Notes that a person wrote into the table stay as they are.
void keep_written_notes(const RowRange& rows, TextColumn& column) {
  Cells cells;
  std::size_t place = 0;
  for (const Summary& row : rows) {
    const std::string_view text = column.cells[place++];
    cells.push_back(row.notes_are_markdown ? std::string(text) : markdown_cell(text));
  }
  column.cells = cells;
  column.is_markdown = true;
}

}  // namespace

std::vector<Column> markdown_columns(const Report& report) {
  return report.columns.empty() ? usual_markdown_columns(rows_of(report)) : report.columns;
}

void write_markdown(const Report& report, std::ostream& out) {
  const RowRange rows = rows_of(report);
  if (rows.empty()) {
    out << "no points\n";
    return;
  }
  RemarkCollector collector;
  auto table = text_columns(rows, markdown_columns(report), false,
                            [&](const Summary& row) { collector.add(row); });
  for (auto& column : table) {
    const ColumnName* known = find_column_name(column.title);
    if (known && known->name == "notes") keep_written_notes(rows, column);
  }
  write_markdown_table(table, out);
  auto remarks = collector.lines();
  if (std::any_of(table.begin(), table.end(), [](const auto& column) { return column.is_ranking; }))
    remarks.emplace_back(kBestLegend);
  if (!report.heading.empty()) remarks.insert(remarks.begin(), "of " + report.heading);
  if (!report.dropped.empty()) remarks.push_back(report.dropped);
  if (report.left_out > 0)
    remarks.push_back(counted(static_cast<std::int64_t>(report.left_out), "row") +
                      " behind these (--limit)");
  if (!remarks.empty()) out << '\n';
  for (const auto& remark : remarks) out << "- " << markdown_literal(remark) << '\n';
}

}  // namespace pippin
