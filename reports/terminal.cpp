#include <algorithm>

#include "core/base/text.h"
#include "reports/display_text.h"
#include "reports/format.h"
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
  append(columns, usual_columns({"step_time", "strip", "tflops", "best", "vs", "mfu", "hfu",
                                 "samples_per_s", "memory", "spread", "counts", "notes"}));
  return columns;
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

void write_terminal(const Report& report, std::ostream& out) {
  if (report.rows.empty()) {
    out << "no points\n";
    if (!report.dropped.empty()) out << '\n' << wrapped(report.dropped, report.width, 2) << '\n';
    return;
  }
  if (!report.heading.empty()) out << wrapped(report.heading, report.width, 0) << "\n\n";
  const auto columns =
      report.columns.empty() ? usual_terminal_columns(report.rows) : report.columns;
  const auto table = text_columns(report.rows, columns, true);
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

}  // namespace pippin
