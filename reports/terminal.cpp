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
std::vector<Column> usual_terminal_columns(const std::vector<Summary>& rows) {
  const auto any = [&](auto condition) { return std::any_of(rows.begin(), rows.end(), condition); };
  auto columns = usual_columns({"sweep"});
  append(columns, usual_columns(naming_columns(rows)));
  if (any([](const auto& row) { return row.state != RunState::kOk; }))
    append(columns, usual_columns({"state"}));
  append(columns, usual_columns({"gpus", "size", "layers", "hidden", "seq", "tp", "pp", "dp"}));
  if (has_context_parallel(rows)) append(columns, usual_columns({"cp"}));
  append(columns, usual_columns({"mbs", "gas", "gbs"}));
  append(columns, axis_columns(rows));
  append(columns, usual_columns({"difference"}));
  append(columns, usual_columns({"step_time", "strip", "busbw", "tflops", "best", "vs", "mfu",
                                 "hfu", "samples_per_s", "memory", "spread", "counts", "notes"}));
  return named_for_machine(std::move(columns), rows);
}

/// Before widths are reckoned: "+-" is wider than "±".
void in_ascii(std::vector<TextColumn>& table) {
  for (auto& column : table) {
    column.title = ascii_of(column.title);
    for (auto& cell : column.cells) cell = ascii_of(cell);
  }
}

/// Whether the table shows such a column.
template <typename Condition>
bool shows(const std::vector<TextColumn>& columns, const std::vector<std::string>& dropped,
           Condition condition) {
  return std::any_of(columns.begin(), columns.end(), [&](const auto& column) {
    return condition(column) && std::count(dropped.begin(), dropped.end(), column.title) == 0;
  });
}

}  // namespace

namespace {

/// The rows that ran, or were to, where there are any; how many could not is in `infeasible`.
std::vector<Summary> feasible_rows(const std::vector<Summary>& rows, std::size_t& infeasible) {
  std::vector<Summary> feasible;
  for (const auto& row : rows)
    if (row.state != RunState::kInfeasible) feasible.push_back(row);
  infeasible = feasible.empty() ? 0 : rows.size() - feasible.size();
  return feasible.empty() ? rows : feasible;
}

void write_rows(const Report& report, std::ostream& out);

}  // namespace

void write_terminal(const Report& report, std::ostream& out) {
  std::size_t infeasible = 0;
  Report feasible = report;
  feasible.rows = feasible_rows(report.rows, infeasible);
  if (report.rows.empty()) {
    out << "no points\n";
    if (!report.dropped.empty()) out << '\n' << wrapped(report.dropped, report.width, 2) << '\n';
    return;
  }
  if (!report.heading.empty()) out << wrapped(report.heading, report.width, 0) << "\n\n";
  write_rows(feasible, out);
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

void write_rows(const Report& report, std::ostream& out) {
  const auto columns =
      report.columns.empty() ? usual_terminal_columns(report.rows) : report.columns;
  auto table = text_columns(report.rows, columns, true);
  if (report.width > 0) rank_by_difference(report.rows, table);
  if (report.ascii) in_ascii(table);
  const auto dropped = write_table(table, report.width, out, report.colours);
  auto remarks = remarks_on(report.rows);
  if (shows(table, dropped, [](const auto& column) { return column.is_ranking; }))
    remarks.emplace_back(kBestLegend);
  if (shows(table, dropped, [](const auto& column) { return column.is_strip; }))
    remarks.emplace_back(kStripLegend);
  if (!dropped.empty()) {
    remarks.push_back("left out for lack of room: " + join(dropped, ", ") + " (csv has all)");
  }
  if (!report.dropped.empty()) remarks.push_back(report.dropped);
  if (!remarks.empty()) out << '\n';
  for (const auto& remark : remarks) out << wrapped(remark, report.width, 2) << '\n';
}

}  // namespace

}  // namespace pippin
