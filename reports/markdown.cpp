#include <algorithm>
#include <map>
#include <set>

#include "core/base/text.h"
#include "reports/format.h"
#include "reports/machine_columns.h"
#include "reports/markdown_table.h"
#include "reports/remarks.h"
#include "reports/table.h"

namespace pippin {

namespace {

/// Whether two points have the same in all columns: then their names must tell them apart.
bool look_alike(const std::vector<Summary>& rows, const std::vector<Column>& columns) {
  const auto table = text_columns(rows, columns, false);
  std::map<std::vector<std::string>, const std::string*> first_id;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::vector<std::string> cells;
    cells.reserve(table.size());
    for (const auto& column : table) cells.push_back(column.cells[row]);
    const auto [same, is_new] = first_id.try_emplace(cells, &rows[row].point.id);
    if (!is_new && *same->second != rows[row].point.id) return true;
  }
  return false;
}

std::vector<Column> usual_markdown_columns(const std::vector<Summary>& rows) {
  std::set<std::string> sweeps;
  for (const auto& row : rows) sweeps.insert(row.sweep);
  const bool by_run =
      std::any_of(rows.begin(), rows.end(), [](const auto& row) { return !row.run.empty(); });
  std::vector<Column> columns;
  if (sweeps.size() > 1) columns = usual_columns({"sweep"});
  std::vector<std::string> names = naming_columns(rows);
  if (std::any_of(rows.begin(), rows.end(),
                  [](const auto& row) { return row.state != RunState::kOk && row.step_time_s; }))
    names.emplace_back("state");
  names.erase(std::remove(names.begin(), names.end(), "point"), names.end());
  for (auto& column : usual_columns(names)) columns.push_back(std::move(column));
  std::vector<std::string> layout{"gpus", "size", "tp", "pp", "dp"};
  if (has_context_parallel(rows)) layout.emplace_back("cp");
  layout.insert(layout.end(), {"mbs", "gas", "gbs"});
  for (auto& column : usual_columns(layout)) columns.push_back(std::move(column));
  for (auto& column : axis_columns(rows)) columns.push_back(std::move(column));
  if (std::any_of(rows.begin(), rows.end(),
                  [](const auto& row) { return !row.difference.empty(); }))
    columns.push_back(usual_columns({"difference"})[0]);
  if (!by_run && look_alike(rows, columns))
    columns.insert(columns.begin(), usual_columns({"point"})[0]);
  for (auto& column : usual_columns({"step_time", "spread", "busbw", "tflops", "best", "mfu", "hfu",
                                     "vs", "memory", "notes"}))
    columns.push_back(std::move(column));
  return named_for_machine(std::move(columns), rows);
}

}  // namespace

std::vector<Column> markdown_columns(const Report& report) {
  return report.columns.empty() ? usual_markdown_columns(report.rows) : report.columns;
}

void write_markdown(const Report& report, std::ostream& out) {
  if (report.rows.empty()) {
    out << "no points\n";
    return;
  }
  const auto table = text_columns(report.rows, markdown_columns(report), false);
  write_markdown_table(table, out);
  auto remarks = remarks_on(report.rows);
  if (std::any_of(table.begin(), table.end(), [](const auto& column) { return column.is_ranking; }))
    remarks.emplace_back(kBestLegend);
  if (!report.heading.empty()) remarks.insert(remarks.begin(), "of " + report.heading);
  if (!report.dropped.empty()) remarks.push_back(report.dropped);
  if (!remarks.empty()) out << '\n';
  for (const auto& remark : remarks) out << "- " << markdown_literal(remark) << '\n';
}

}  // namespace pippin
