// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/base/text.h"
#include "reports/compare/comparison.h"
#include "reports/csv_text.h"
#include "reports/values.h"

namespace pippin {

namespace {

std::string number(std::optional<double> value) {
  return value && std::isfinite(*value) ? exact_number(*value) : "";
}

/// A bound of the ratio; empty where a side has one allocation.
std::string bound(const ComparedRow& row, double (Difference::*bound)(double) const) {
  constexpr double kLevel = 0.95;
  return row.difference ? number(std::exp((*row.difference.*bound)(kLevel))) : "";
}

}  // namespace

const std::vector<ComparedField>& compared_fields() {
  using Row = const ComparedRow&;
  static const std::vector<ComparedField> kFields{
      {"point", [](Row row) { return row.point.name; }, false},
      {"point_id", [](Row row) { return row.point.id; }, false},
      {"base_step_time_s", [](Row row) { return number(row.base.mean_s); }},
      {"base_allocations", [](Row row) { return std::to_string(row.base.allocations); }},
      {"new_step_time_s", [](Row row) { return number(row.other.mean_s); }},
      {"new_allocations", [](Row row) { return std::to_string(row.other.allocations); }},
      {"ratio", [](Row row) { return number(std::exp(row.estimate)); }},
      {"low", [](Row row) { return bound(row, &Difference::low); }},
      {"high", [](Row row) { return bound(row, &Difference::high); }},
      {"df", [](Row row) { return row.difference ? number(row.difference->df) : ""; }},
      {"p", [](Row row) { return number(row.p); }},
      {"p_adjusted", [](Row row) { return number(row.p_adjusted); }},
      {"verdict", [](Row row) { return std::string(text_of(row.verdict)); }, false},
      {"unit", [](Row row) { return row.unit; }, false},
      {"paired", [](Row row) { return std::string(row.paired ? "1" : "0"); }},
      {"minimum_detectable", [](Row row) { return number(row.minimum_detectable); }},
      {"more_allocations",
       [](Row row) { return row.more_allocations ? std::to_string(*row.more_allocations) : ""; }},
      {"remarks", [](Row row) { return join(row.remarks, "; "); }, false}};
  return kFields;
}

void write_comparison_csv(const ComparisonTable& table, std::ostream& out) {
  std::vector<std::string> cells;
  for (const auto& field : compared_fields()) cells.emplace_back(field.name);
  out << csv_line(cells);
  for (const auto& row : table.comparison.rows) {
    cells.clear();
    for (const auto& field : compared_fields()) cells.push_back(field.text(row));
    out << csv_line(cells);
  }
}

}  // namespace pippin
