#include "reports/csv_text.h"

#include "core/base/text.h"

namespace pippin {

namespace {
std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string result = "\"";
  for (char c : cell) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}
}  // namespace

std::string csv_line(const std::vector<std::string>& cells) {
  std::vector<std::string> quoted_cells;
  quoted_cells.reserve(cells.size());
  for (const auto& cell : cells) quoted_cells.push_back(quoted(cell));
  return join(quoted_cells, ",") + "\n";
}

}  // namespace pippin
