// SPDX-License-Identifier: Apache-2.0
#include "reports/markdown_table.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "reports/display_text.h"

namespace pippin {

namespace {

using Align = TextColumn::Align;

constexpr std::size_t kLeastRule = 3;  // dashes and a colon that every renderer takes for a rule

/// A text as a cell.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : markdown_literal(std::string(text))) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string cell_of(const TextColumn& column, std::size_t row) {
  return column.is_markdown ? std::string(column.cells[row]) : escaped(column.cells[row]);
}

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::string blanks(width - std::min(width, display_width(text)), ' ');
  return align == Align::kLeft ? text + blanks : blanks + text;
}

std::string rule(std::size_t width, Align align) {
  return align == Align::kLeft ? std::string(width, '-') : std::string(width - 1, '-') + ':';
}

}  // namespace

void write_markdown_table(const std::vector<TextColumn>& columns, std::ostream& out) {
  std::vector<std::size_t> widths;
  std::string titles = "|", rules = "|";
  for (const auto& column : columns) {
    std::size_t width = std::max(kLeastRule, display_width(escaped(column.title)));
    for (std::size_t row = 0; row < column.cells.size(); ++row)
      width = std::max(width, display_width(cell_of(column, row)));
    widths.push_back(width);
    titles += " " + padded(escaped(column.title), width, column.align) + " |";
    rules += " " + rule(width, column.align) + " |";
  }
  out << titles << '\n' << rules << '\n';
  const std::size_t rows = columns.empty() ? 0 : columns.front().cells.size();
  std::string line;
  for (std::size_t row = 0; row < rows; ++row) {
    line = "|";
    for (std::size_t i = 0; i < columns.size(); ++i)
      line += " " + padded(cell_of(columns[i], row), widths[i], columns[i].align) + " |";
    out << line << '\n';
  }
}

std::string markdown_cell(std::string_view text) { return escaped(text); }

std::string markdown_literal(const std::string& text) {
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

}  // namespace pippin
