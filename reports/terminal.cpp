// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "core/base/text.h"
#include "reports/display_text.h"
#include "reports/format.h"
#include "reports/machine_columns.h"
#include "reports/plain_text.h"
#include "reports/remarks.h"
#include "reports/strip.h"
#include "reports/table.h"

namespace pippin {

namespace {

void append(std::vector<Column>& columns, std::vector<Column> more) {
  for (auto& column : more) columns.push_back(std::move(column));
}

/// How rows ended needs no saying where every one is ok.
std::vector<Column> usual_columns_of(const RowRange& rows) {
  const RowFacts facts = facts_of(rows);
  auto columns = usual_columns({"sweep"});
  append(columns, usual_columns(naming_columns(facts)));
  if (facts.not_ok) append(columns, usual_columns({"state"}));
  append(columns, usual_columns({"gpus", "size", "layers", "hidden", "seq", "tp", "pp", "dp"}));
  if (facts.context_parallel) append(columns, usual_columns({"cp"}));
  append(columns, usual_columns({"mbs", "gas", "gbs"}));
  append(columns, axis_columns(facts));
  append(columns, usual_columns({"difference"}));
  append(columns, usual_columns({"step_time", "strip", "busbw", "tflops", "best", "vs", "mfu",
                                 "hfu", "samples_per_s", "memory", "spread", "counts", "notes"}));
  return named_for_machine(std::move(columns), facts);
}

/// Before widths are reckoned: "+-" is wider than "±".
void in_ascii(std::vector<TextColumn>& table) {
  for (auto& column : table) {
    column.title = ascii_of(column.title);
    Cells cells;
    for (const auto cell : column.cells) cells.push_back(ascii_of(cell));
    column.cells = std::move(cells);
  }
}

/// The titles of such columns.
template <typename Condition>
std::vector<std::string> titles_of(const std::vector<TextColumn>& columns, Condition condition) {
  std::vector<std::string> titles;
  for (const auto& column : columns)
    if (condition(column)) titles.push_back(column.title);
  return titles;
}

/// Whether the table shows one of them.
bool shows(const std::vector<std::string>& titles, const std::vector<std::string>& dropped) {
  return std::any_of(titles.begin(), titles.end(), [&](const auto& title) {
    return std::count(dropped.begin(), dropped.end(), title) == 0;
  });
}

}  // namespace

namespace {

/// The rows that ran, or were to, where there are any.
RowRange feasible_rows(const RowRange& rows) {
  const RowRange feasible =
      rows.where([](const Summary& row) { return row.state != RunState::kInfeasible; });
  return feasible.empty() ? rows : feasible;
}

void write_rows(const Report& report, const RowRange& rows, std::ostream& out);

}  // namespace

std::vector<Column> terminal_columns(const Report& report) {
  return report.columns.empty() ? usual_columns_of(rows_of(report)) : report.columns;
}

void write_terminal(const Report& report, std::ostream& out) {
  const RowRange rows = rows_of(report), feasible = feasible_rows(rows);
  const std::size_t infeasible = rows.size() - feasible.size();
  if (rows.empty()) {
    out << "no points\n";
    if (!report.dropped.empty()) out << '\n' << wrapped(report.dropped, report.width, 2) << '\n';
    return;
  }
  if (!report.heading.empty()) out << wrapped(report.heading, report.width, 0) << "\n\n";
  write_rows(report, feasible, out);
  if (infeasible > 0)
    out << wrapped(
               fmt::format("{} cannot run: --where \"state == 'infeasible'\" shows them and why",
                           counted(static_cast<std::int64_t>(infeasible), "point")),
               report.width, 2)
        << '\n';
  if (report.left_out > 0)
    out << fmt::format("{} behind these (--limit)\n",
                       counted(static_cast<std::int64_t>(report.left_out), "row"));
}

namespace {

void write_rows(const Report& report, const RowRange& rows, std::ostream& out) {
  const auto columns = report.columns.empty() ? usual_columns_of(rows) : report.columns;
  RemarkCollector collector;
  auto table = text_columns(rows, columns, true, [&](const Summary& row) { collector.add(row); });
  if (report.width > 0) rank_by_difference(rows, table);
  if (report.ascii) in_ascii(table);
  const auto rankings = titles_of(table, [](const auto& column) { return column.is_ranking; });
  const auto strips = titles_of(table, [](const auto& column) { return column.is_strip; });
  const auto dropped = write_table(std::move(table), report.width, out, report.colours);
  auto remarks = collector.lines();
  if (shows(rankings, dropped)) remarks.emplace_back(kBestLegend);
  if (shows(strips, dropped)) remarks.emplace_back(kStripLegend);
  if (!dropped.empty()) {
    remarks.push_back("left out for lack of room: " + join(dropped, ", ") + " (csv has all)");
  }
  if (!report.dropped.empty()) remarks.push_back(report.dropped);
  if (!remarks.empty()) out << '\n';
  for (const auto& remark : remarks) out << wrapped(remark, report.width, 2) << '\n';
}

}  // namespace

}  // namespace pippin
