#include "reports/csv_text.h"

#include <algorithm>

namespace pippin {

namespace {
void append_quoted(std::string& line, const std::string& cell) {
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
