// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/cell_writer.h"

#include <algorithm>

#include "reports/display_text.h"

namespace pippin {

namespace {

std::size_t width_of(std::string_view document, const MarkdownCell& cell) {
  return display_width(document.substr(cell.from, cell.to - cell.from));
}

/// Whether there are pipes on both sides, and nothing but blanks between them and the text.
bool is_framed(std::string_view document, const MarkdownRow& row, const MarkdownCell& cell) {
  const std::string_view whole = document.substr(cell.from, cell.to - cell.from);
  return cell.from > row.begin && cell.to < row.end && whole.find('\t') == std::string_view::npos;
}

}  // namespace

CellWriter::CellWriter(std::string_view document, const MarkdownTable& table, std::size_t column)
    : document_(document), table_(table), column_(column) {
  ++widths_[width_of(document, table.header.cells[column])];
  ++widths_[width_of(document, table.rule.cells[column])];
  for (const auto& row : table.rows) {
    if (column < row.cells.size()) ++widths_[width_of(document, row.cells[column])];
  }
}

std::size_t CellWriter::wanted_width(std::size_t own) const {
  auto others = widths_;
  if (--others[own] == 0) others.erase(own);
  return others.size() == 1 ? others.begin()->first : own;
}

/// Where a cell's own blanks don't tell, those of the row's other cells do, then the table's rule.
bool CellWriter::to_the_right(const MarkdownRow& row, std::size_t lead, std::size_t trail) const {
  if (lead != trail) return lead > trail;
  int votes = 0;
  for (const auto& cell : row.cells) {
    const std::size_t before = cell.begin - cell.from, after = cell.to - cell.end;
    if (cell.text.empty() || before == after) continue;
    votes += before > after ? 1 : -1;
  }
  if (votes != 0) return votes > 0;
  return table_.aligns[column_] == MarkdownTable::Align::kRight;
}

TextEdit CellWriter::write(const MarkdownRow& row, const std::string& text) const {
  const MarkdownCell& cell = row.cells[column_];
  if (!is_framed(document_, row, cell)) return {cell.begin, cell.end, text};
  const std::size_t width = wanted_width(width_of(document_, cell));
  const std::size_t lead = cell.begin - cell.from, trail = cell.to - cell.end;
  const std::size_t taken = display_width(text);
  const std::size_t blanks = width > taken ? width - taken : 0;
  // The side with fewer blanks keeps them as long as the other side has as many.
  const std::size_t kept = std::min({lead, trail, std::max<std::size_t>(blanks / 2, 1)});
  const std::size_t rest = blanks > kept ? blanks - kept : kept;
  const bool right = to_the_right(row, lead, trail);
  return {cell.from, cell.to,
          std::string(right ? rest : kept, ' ') + text + std::string(right ? kept : rest, ' ')};
}

}  // namespace pippin
