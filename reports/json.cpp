#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "reports/exact_columns.h"
#include "reports/remarks.h"

namespace pippin {

namespace {

using Json = nlohmann::ordered_json;

/// A number with the digits that CSV has; null where unknown.
Json number_json(const std::string& text) {
  if (const auto whole = parse_integer(text)) return *whole;
  const auto number = parse_number(text);
  return number ? Json(*number) : Json();
}

Json json_of(const ExactColumn& column, const Summary& row) {
  if (column.field && column.field->number) return number_json(exact_text(*column.field, row));
  if (column.field) {
    const std::string text = exact_text(*column.field, row);
    return text.empty() ? Json() : Json(text);
  }
  const Value* value = find_value(row.point.axes, column.axis);
  if (!value) return {};
  if (!value->number) return value->text;
  // "5e8" is a whole number too.
  return number_json(parse_integer(value->text) ? value->text : number_text(*value->number));
}

}  // namespace

void write_json(const Report& report, std::ostream& out) {
  const auto columns = exact_columns(report);
  Json rows = Json::array();
  for (const auto& row : report.rows) {
    Json& json = rows.emplace_back(Json::object());
    for (const auto& column : columns) json[column.name] = json_of(column, row);
  }
  auto remarks = remarks_on(report.rows);
  if (!report.heading.empty()) remarks.insert(remarks.begin(), "of " + report.heading);
  if (!report.dropped.empty()) remarks.push_back(report.dropped);
  const Json whole{{"rows", std::move(rows)}, {"remarks", std::move(remarks)}};
  // Names and values are users' texts: what is no UTF-8 must not end the report.
  out << whole.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace pippin
