// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/point_rows.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/text.h"

namespace pippin {

std::string PointRow::text(const std::string& column) const {
  const auto cell = cells_.find(column);
  return cell == cells_.end() ? "" : cell->second;
}

std::int64_t PointRow::count(const std::string& column) const {
  const auto value = number(column);
  return value && *value >= 1 && *value < 1e15 ? std::llround(*value) : 0;
}

std::optional<double> PointRow::number(const std::string& column) const {
  return parse_number(text(column));
}

PointRow PointRow::with(const std::string& column, const std::string& text) const {
  PointRow row = *this;
  row.cells_[column] = text;
  return row;
}

bool PointRow::says(const std::string& column, std::string_view part) const {
  return text(column).find(part) != std::string::npos;
}

std::vector<std::string> PointRow::unknown_columns() const {
  const auto& known = point_columns();
  std::vector<std::string> unknown;
  for (const auto& [column, cell] : cells_)
    if (!column.empty() && std::find(known.begin(), known.end(), column) == known.end())
      unknown.push_back(column);
  return unknown;
}

const std::vector<std::string>& point_columns() {
  static const std::vector<std::string> columns{
      "id",     "group",     "model",  "layers",     "hidden",    "heads",      "kv_heads",
      "ffn",    "seq",       "vocab",  "precision",  "gpu",       "gpu_mem_gb", "gpus_per_node",
      "n_gpus", "tp",        "pp",     "vpp",        "dp",        "cp",         "ep",
      "mbs",    "gbs",       "gas",    "zero",       "recompute", "seq_par",    "act_fn",
      "attn",   "framework", "step_s", "tflops_gpu", "mem_gib",   "mem_kind",   "node_gb_per_s",
      "source", "notes"};
  return columns;
}

namespace {

/// Spreadsheets quote a cell that has quotes in it, and double these.
std::string cell_of(std::string_view written) {
  std::string_view inner = trim(written);
  if (inner.size() < 2 || !inner.starts_with('"') || !inner.ends_with('"'))
    return std::string(inner);
  inner.remove_prefix(1);
  inner.remove_suffix(1);
  std::string cell;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    cell += inner[i];
    if (inner.substr(i, 2) == "\"\"") ++i;
  }
  return std::string(trim(cell));
}

}  // namespace

std::vector<PointRow> read_point_rows(std::string_view text, const std::string& where) {
  std::vector<PointRow> rows;
  std::vector<std::string> names;
  std::int64_t number = 0;
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // as spreadsheets begin a file
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  for (std::string_view line : split(text, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    const auto cells = split(line, '\t');
    if (names.empty()) {
      for (const std::string_view name : cells) names.push_back(cell_of(name));
      std::unordered_set<std::string> taken;
      for (const std::string& name : names)
        if (!taken.insert(name).second)
          bad_input("{}:1: two columns are named '{}'", where, printable(name));
      if (std::find(names.begin(), names.end(), "id") == names.end())
        bad_input("{}:1: no column 'id'; a table begins with a line of names, parted by tabs",
                  where);
      continue;
    }
    if (cells.size() != names.size())
      bad_input("{}:{}: {} cells, and {} columns", where, number, cells.size(), names.size());
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < cells.size(); ++i) row[names[i]] = cell_of(cells[i]);
    rows.emplace_back(std::move(row));
  }
  if (names.empty())
    bad_input("{}: it is empty; a table begins with a line of names, parted by tabs", where);
  return rows;
}

}  // namespace pippin
