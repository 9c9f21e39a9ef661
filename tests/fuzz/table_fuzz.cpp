// SPDX-License-Identifier: Apache-2.0
// Tables: those of `pippin estimate --points`, in lines with tabs, and our own CSV.
//
// Shape: a byte that says whether rates are learned of it, or cells are written as CSV; the table.
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "reports/csv_text.h"
#include "sweeps/estimate/point_rows.h"
#include "sweeps/judge_points.h"
#include "tests/fuzz/input.h"

using namespace pippin;

namespace {

constexpr std::size_t kMostRows = 20, kMostLearned = 3;  // learning searches for long

void judge(std::string_view table, bool learn) {
  const auto rows = read_point_rows(table, "points.tsv");
  if (rows.size() > kMostRows) return;
  PointJudge judge;
  if (learn && rows.size() <= kMostLearned) judge.calibrate_on(rows);
  for (const auto& row : rows) {
    const PointJudgement said = judge.judge(row);
    fuzz::expect(!said.why.empty() || said.step_s.has_value(), "what is not known has its reason");
  }
}

/// The cells of a line of CSV, by RFC 4180.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool is_quote = line[i] == '"';
    const bool is_pair = quoted && is_quote && i + 1 < line.size() && line[i + 1] == '"';
    if (is_pair) cells.back() += line[++i];
    if (!is_pair && is_quote) quoted = !quoted;
    if (!is_quote && line[i] == ',' && !quoted) cells.emplace_back();
    if (!is_quote && (line[i] != ',' || quoted)) cells.back() += line[i];
  }
  return cells;
}

void write_csv(std::string_view text) {
  std::vector<std::string> cells;
  for (const auto cell : split(text, '\t')) cells.emplace_back(cell);
  std::string line = csv_line(cells);
  fuzz::expect(line.ends_with('\n'), "a line of CSV has its end");
  line.pop_back();
  fuzz::expect(cells_of(line) == cells, "the cells of a line of CSV are read back");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::uint8_t what = input.byte();
  if (what % 4 == 3) {
    write_csv(input.rest());
  } else {
    fuzz::refusable([&] { judge(input.rest(), what % 32 == 2); });
  }
  return 0;
}
