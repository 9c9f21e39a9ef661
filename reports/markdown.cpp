#include <algorithm>
#include <map>
#include <set>

#include "harness/base/text.h"
#include "reports/display_text.h"
#include "reports/format.h"
#include "reports/remarks.h"
#include "reports/table.h"

namespace pippin {

namespace {

using Align = TextColumn::Align;

constexpr std::size_t kLeastRule = 3;  // dashes and a colon that every renderer takes for a rule

/// Whether two points have the same in all columns: then their names must tell them apart.
bool look_alike(const std::vector<Summary>& rows, const std::vector<Column>& columns) {
  const auto table = text_columns(rows, columns, false);
  std::map<std::vector<std::string>, const std::string*> first_id;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::vector<std::string> cells;
    for (const auto& column : table) cells.push_back(column.cells[row]);
    const auto [same, is_new] = first_id.try_emplace(cells, &rows[row].point.id);
    if (!is_new && *same->second != rows[row].point.id) return true;
  }
  return false;
}

/// A remark as an item of a list: its own sign must not begin another one.
std::string list_item(const std::string& remark) {
  const bool sign = !remark.empty() && (remark[0] == '*' || remark[0] == '~');
  return std::string("- ") + (sign ? "\\" : "") + remark + "\n";
}

std::vector<Column> usual_markdown_columns(const std::vector<Summary>& rows) {
  std::set<std::string> sweeps;
  for (const auto& row : rows) sweeps.insert(row.sweep);
  std::vector<Column> columns;
  if (sweeps.size() > 1) columns = usual_columns({"sweep"});
  std::vector<std::string> layout{"gpus", "size", "tp", "pp", "dp"};
  if (has_context_parallel(rows)) layout.emplace_back("cp");
  layout.insert(layout.end(), {"mbs", "gas", "gbs"});
  for (auto& column : usual_columns(layout)) columns.push_back(std::move(column));
  for (auto& column : axis_columns(rows)) columns.push_back(std::move(column));
  if (look_alike(rows, columns)) columns.insert(columns.begin(), usual_columns({"point"})[0]);
  for (auto& column :
       usual_columns({"step_time", "spread", "tflops", "mfu", "hfu", "vs", "memory", "notes"}))
    columns.push_back(std::move(column));
  return columns;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::string blanks(width - std::min(width, display_width(text)), ' ');
  return align == Align::kLeft ? text + blanks : blanks + text;
}

std::string rule(std::size_t width, Align align) {
  return align == Align::kLeft ? std::string(width, '-') : std::string(width - 1, '-') + ':';
}

void write_rows(const std::vector<TextColumn>& columns, std::ostream& out) {
  std::vector<std::size_t> widths;
  std::string titles = "|", rules = "|";
  for (const auto& column : columns) {
    std::size_t width = std::max(kLeastRule, display_width(escaped(column.title)));
    for (const auto& cell : column.cells) width = std::max(width, display_width(escaped(cell)));
    widths.push_back(width);
    titles += " " + padded(escaped(column.title), width, column.align) + " |";
    rules += " " + rule(width, column.align) + " |";
  }
  out << titles << '\n' << rules << '\n';
  const std::size_t rows = columns.empty() ? 0 : columns.front().cells.size();
  for (std::size_t row = 0; row < rows; ++row) {
    out << '|';
    for (std::size_t i = 0; i < columns.size(); ++i)
      out << ' ' << padded(escaped(columns[i].cells[row]), widths[i], columns[i].align) << " |";
    out << '\n';
  }
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
  write_rows(text_columns(report.rows, markdown_columns(report), false), out);
  const auto remarks = remarks_on(report.rows);
  if (!remarks.empty()) out << '\n';
  for (const auto& remark : remarks) out << list_item(remark);
}

}  // namespace pippin
