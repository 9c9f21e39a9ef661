// SPDX-License-Identifier: Apache-2.0
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "reports/compare/comparison.h"
#include "reports/page/page.h"
#include "reports/page/page_json.h"

namespace pippin {

namespace {

const ComparedField& field_named(std::string_view name) {
  for (const auto& field : compared_fields())
    if (name == field.name) return field;
  throw std::logic_error("no such field of a comparison");
}

/// Those that people read, and behind them what CSV has.
void write_columns(const std::vector<TextColumn>& shown, JsonWriter& json) {
  std::vector<ColumnHead> heads;
  const auto fields = fields_of_comparison_columns();
  for (std::size_t i = 0; i < shown.size(); ++i)
    heads.push_back({fields.at(i), shown[i].title, shown[i].align != TextColumn::Align::kRight,
                     i > 0, std::nullopt, ""});
  std::size_t place = 0;
  for (const auto& field : compared_fields())
    heads.push_back({field.name, field.name, !field.is_number, false, place++, ""});
  write_column_heads(heads, json);
}

void write_field(const char* key, const char* field, const std::vector<ComparedRow>& rows,
                 JsonWriter& json) {
  json.key(key).begin_array();
  for (const auto& row : rows) write_exact(field_named(field).text(row), json);
  json.end_array();
}

void write_rows(const std::vector<ComparedRow>& rows, const std::vector<TextColumn>& shown,
                JsonWriter& json) {
  json.key("rows").begin_object();
  json.key("name").begin_array();
  for (const auto& row : rows) json.text(row.point.name);
  json.end_array();
  json.key("state").begin_array();
  for (std::size_t i = 0; i < rows.size(); ++i) json.text("ok");
  json.end_array();
  write_field("mean_s", "new_step_time_s", rows, json);
  json.key("cells").begin_array();
  for (const auto& column : shown) {
    json.begin_array();
    for (const auto cell : column.cells) json.text(cell);
    json.end_array();
  }
  for (std::size_t i = 0; i < compared_fields().size(); ++i) json.null();
  json.end_array();
  json.key("values").begin_array();
  const auto write_values = [&](const ComparedField& field) {
    json.begin_array();
    for (const auto& row : rows) write_exact(field.text(row), json);
    json.end_array();
  };
  for (const char* field : fields_of_comparison_columns()) write_values(field_named(field));
  for (const auto& field : compared_fields()) write_values(field);
  json.end_array();
  json.end_object();
}

void write_ratios(const Comparison& comparison, JsonWriter& json) {
  json.key("ratios").begin_array();
  for (const auto& row : comparison.rows) {
    json.begin_object();
    json.key("name").text(row.point.name);
    for (const char* field : {"ratio", "low", "high"})
      write_exact(field_named(field).text(row), json.key(field));
    json.key("verdict").text(text_of(row.verdict));
    json.key("margin").number(comparison.judgement.margin);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string comparison_document(const ComparisonTable& table) {
  const Comparison& comparison = table.comparison;
  std::ostringstream text;
  {
    const auto shown = comparison_columns(comparison);
    JsonWriter json(text, 0);
    begin_document("compare", comparison.base + " → " + comparison.other, table.command,
                   table.made_at, json);
    auto remarks = comparison_remarks(comparison);
    std::vector<std::string> said;
    if (comparison.common) {  // which each row stands beside
      said.push_back(std::move(remarks.front()));
      remarks.erase(remarks.begin());
    }
    write_texts("said", said, json);
    write_texts("remarks", remarks, json);
    write_columns(shown, json);
    write_rows(comparison.rows, shown, json);
    write_ratios(comparison, json);
    json.end_object();
  }
  return safe_in_script(std::move(text).str());
}

void write_comparison_html(const ComparisonTable& table, std::ostream& out) {
  write_html_file(comparison_document(table), out);
}

}  // namespace pippin
