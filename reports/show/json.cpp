// SPDX-License-Identifier: Apache-2.0
#include "reports/json_writer.h"
#include "reports/show/sheet.h"

namespace pippin {

namespace {

void write_part(const SheetPart& part, JsonWriter& json) {
  json.begin_object();
  for (const auto& fact : part.facts) write_flat_value(json.key(fact.name), fact.value);
  if (part.table) write_flat_rows(*part.table, json);
  if (!part.remarks.empty()) {
    json.key("remarks").begin_array();
    for (const auto& remark : part.remarks) json.text(remark);
    json.end_array();
  }
  json.end_object();
}

}  // namespace

void write_sheet_json(const SheetTable& table, std::ostream& out) {
  {
    const Sheet& sheet = table.sheet;
    JsonWriter json(out, 1);
    json.begin_object();
    json.key("kind").text(sheet.kind);
    json.key("name").text(sheet.name);
    json.key("said").begin_array();
    for (const auto& sentence : sheet.said) json.text(sentence);
    json.end_array();
    for (const auto& part : sheet.parts) {
      json.key(part.name);
      write_part(part, json);
    }
    json.end_object();
  }
  out << '\n';
}

}  // namespace pippin
