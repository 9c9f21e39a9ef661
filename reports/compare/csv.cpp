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

}  // namespace

void write_comparison_csv(const ComparisonTable& table, std::ostream& out) {
  out << csv_line({"point", "point_id", "base_step_time_s", "base_allocations", "new_step_time_s",
                   "new_allocations", "ratio", "low", "high", "df", "p", "p_adjusted", "verdict",
                   "unit", "paired", "minimum_detectable", "more_allocations", "remarks"});
  for (const auto& row : table.comparison.rows) {
    std::string low, high, df;
    if (row.difference) {
      low = number(std::exp(row.difference->low(0.95)));
      high = number(std::exp(row.difference->high(0.95)));
      df = number(row.difference->df);
    }
    out << csv_line({row.point.name, row.point.id, number(row.base.mean_s),
                     std::to_string(row.base.allocations), number(row.other.mean_s),
                     std::to_string(row.other.allocations), number(std::exp(row.estimate)), low,
                     high, df, number(row.p), number(row.p_adjusted), text_of(row.verdict),
                     row.unit, row.paired ? "1" : "0", number(row.minimum_detectable),
                     row.more_allocations ? std::to_string(*row.more_allocations) : "",
                     join(row.remarks, "; ")});
  }
}

}  // namespace pippin
