// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/base/text.h"
#include "reports/exact_columns.h"
#include "reports/json_writer.h"
#include "reports/remarks.h"

namespace pippin {

namespace {

/// A number with the digits that CSV has; null where unknown.
void write_number(const std::string& text, JsonWriter& json) {
  if (const auto whole = parse_integer(text)) return json.integer(*whole);
  const auto number = parse_number(text);
  number ? json.number(*number) : json.null();
}

void write_value(const ExactColumn& column, const Summary& row, JsonWriter& json) {
  if (column.field) {
    const std::string text = exact_text(*column.field, row);
    if (column.field->number) return write_number(text, json);
    return text.empty() ? json.null() : json.text(text);
  }
  const Value* value = find_value(row.point.axes, column.axis);
  if (!value) return json.null();
  if (!value->number) return json.text(value->text);
  // "5e8" is a whole number too.
  write_number(parse_integer(value->text) ? value->text : number_text(*value->number), json);
}

/// Those that an object can have: of equal names the last, where the first stood.
std::vector<ExactColumn> unlike_columns(const std::vector<ExactColumn>& columns) {
  std::vector<ExactColumn> unlike;
  for (const auto& column : columns) {
    const auto same = std::find_if(unlike.begin(), unlike.end(),
                                   [&](const auto& other) { return other.name == column.name; });
    same == unlike.end() ? unlike.push_back(column) : void(*same = column);
  }
  return unlike;
}

}  // namespace

void write_json(const Report& report, std::ostream& out) {
  const auto columns = unlike_columns(exact_columns(report));
  RemarkCollector collector;
  {
    // Names and values are users' texts: what is no UTF-8 must not end the report.
    JsonWriter json(out, 1);
    json.begin_object();
    json.key("rows").begin_array();
    for (const Summary& row : rows_of(report)) {
      collector.add(row);
      json.begin_object();
      for (const auto& column : columns) write_value(column, row, json.key(column.name));
      json.end_object();
    }
    json.end_array();
    auto remarks = collector.lines();
    if (!report.heading.empty()) remarks.insert(remarks.begin(), "of " + report.heading);
    if (!report.dropped.empty()) remarks.push_back(report.dropped);
    json.key("remarks").begin_array();
    for (const auto& remark : remarks) json.text(remark);
    json.end_array();
    json.end_object();
  }
  out << '\n';
}

}  // namespace pippin
