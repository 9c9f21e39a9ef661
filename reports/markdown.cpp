#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

#include "core/base/text.h"
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
  if (by_run) columns.push_back(usual_columns({"run"})[0]);
  std::vector<std::string> layout{"gpus", "size", "tp", "pp", "dp"};
  if (has_context_parallel(rows)) layout.emplace_back("cp");
  layout.insert(layout.end(), {"mbs", "gas", "gbs"});
  for (auto& column : usual_columns(layout)) columns.push_back(std::move(column));
  for (auto& column : axis_columns(rows)) columns.push_back(std::move(column));
  if (!by_run && look_alike(rows, columns))
    columns.insert(columns.begin(), usual_columns({"point"})[0]);
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

/// A text in which nothing means anything to Markdown: "mbs*gas" is no emphasis, and a "*" at the
/// beginning no list.
std::string literal(const std::string& text) {
  constexpr std::string_view kSpecial = "\\*`<[";
  const auto in_word = [&](std::size_t i) {
    return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i]));
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool emphasis = text[i] == '_' && !(i > 0 && in_word(i - 1) && in_word(i + 1));
    if (emphasis || kSpecial.find(text[i]) != std::string_view::npos) out += '\\';
    out += text[i];
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
  for (const auto& remark : remarks) out << "- " << literal(remark) << '\n';
}

}  // namespace pippin
