// SPDX-License-Identifier: Apache-2.0
#include "reports/csv_text.h"

#include <algorithm>
#include <string_view>

#include "core/base/text.h"

namespace pippin {

namespace {

bool formulas_are_text = false;

/// Whether a spreadsheet would compute a cell, or what it begins with.
bool is_formula(const std::string& cell) {
  constexpr std::string_view kFirst = "=+-@\t\r";
  return !cell.empty() && kFirst.find(cell[0]) != std::string_view::npos && !parse_number(cell);
}

void append_quoted(std::string& line, const std::string& cell) {
  if (formulas_are_text && is_formula(cell)) return append_quoted(line, "'" + cell);
  const auto is_odd = [](char c) { return c == ',' || c == '"' || c == '\r' || c == '\n'; };
  if (std::none_of(cell.begin(), cell.end(), is_odd)) {
    line += cell;
    return;
  }
  line += '"';
  for (const char c : cell) line.append(c == '"' ? 2 : 1, c);
  line += '"';
}

}  // namespace

void write_formulas_as_text() { formulas_are_text = true; }

std::string csv_line(const std::vector<std::string>& cells) {
  std::size_t size = cells.size();
  for (const auto& cell : cells) size += cell.size();
  std::string line;
  line.reserve(size);
  for (const auto& cell : cells) {
    append_quoted(line, cell);
    line += ',';
  }
  if (cells.empty()) return "\n";
  line.back() = '\n';
  return line;
}

}  // namespace pippin
