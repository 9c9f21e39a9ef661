// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/compare/comparison.h"
#include "reports/json_writer.h"

namespace pippin {

namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinity: what is no number is null.
Json number(std::optional<double> value) {
  return value && std::isfinite(*value) ? Json(*value) : Json();
}

Json ratio(double logarithm) { return number(std::exp(logarithm)); }

Json side(const ComparedSide& side) {
  return {{"step_time_s", number(side.mean_s)},
          {"allocations", side.allocations},
          {"days", side.days == 0 ? Json() : Json(side.days)}};
}

Json joined(const std::vector<std::string>& remarks) {
  std::string text;
  for (const auto& remark : remarks) text += (text.empty() ? "" : "; ") + remark;
  return text.empty() ? Json() : Json(text);
}

Json row_json(const ComparedRow& row) {
  const auto end = [&](auto of) { return row.difference ? ratio(of(*row.difference)) : Json(); };
  Json json{{"point", row.point.name},
            {"id", row.point.id},
            {"ratio", ratio(row.estimate)},
            {"low", end([](const Difference& d) { return d.low(0.95); })},
            {"high", end([](const Difference& d) { return d.high(0.95); })},
            {"p", number(row.p)},
            {"p_adjusted", number(row.p_adjusted)},
            {"verdict", text_of(row.verdict)},
            {"unit", row.unit},
            {"paired", row.paired},
            {"minimum_detectable", number(row.minimum_detectable)},
            {"more_allocations", row.more_allocations ? Json(*row.more_allocations) : Json()},
            {"remark", joined(row.remarks)}};
  json["base"] = side(row.base);
  json["new"] = side(row.other);
  return json;
}

Json common_json(const CommonMode& common, std::size_t of) {
  return {{"ratio", ratio(common.difference.estimate)},
          {"low", ratio(common.difference.low(0.95))},
          {"high", ratio(common.difference.high(0.95))},
          {"p", number(common.difference.p())},
          {"verdict", text_of(common.verdict)},
          {"rows", common.rows},
          {"of", of}};
}

Json names_json(const std::vector<Uncompared>& points) {
  Json names = Json::array();
  for (const auto& entry : points) names.push_back(entry.point);
  return names;
}

}  // namespace

void write_comparison_json(const ComparisonTable& table, std::ostream& out) {
  const Comparison& comparison = table.comparison;
  Json rows = Json::array();
  for (const auto& row : comparison.rows) rows.push_back(row_json(row));
  Json failed = Json::array();
  for (const auto* side : {&comparison.only_base, &comparison.only_other, &comparison.on_neither}) {
    for (const auto& entry : *side) {
      if (!entry.reason.empty())
        failed.push_back({{"point", entry.point}, {"reason", entry.reason}});
    }
  }
  const Json whole{
      {"base", comparison.base},
      {"new", comparison.other},
      {"margin", comparison.judgement.margin},
      {"rows", std::move(rows)},
      {"common_mode",
       comparison.common ? common_json(*comparison.common, comparison.rows.size()) : Json()},
      {"only_base", names_json(comparison.only_base)},
      {"only_new", names_json(comparison.only_other)},
      {"on_neither", names_json(comparison.on_neither)},
      {"not_measured", std::move(failed)},
      {"set_aside", comparison.set_aside}};
  // Names are users' texts: what is no UTF-8 must not end the report.
  out << quiet_json(whole.dump(1, ' ', false, Json::error_handler_t::replace)) << '\n';
}

}  // namespace pippin
