// SPDX-License-Identifier: Apache-2.0
#include "reports/flat_table.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "reports/csv_text.h"
#include "reports/display_text.h"
#include "reports/format_among.h"
#include "reports/json_writer.h"
#include "reports/markdown_table.h"
#include "reports/values.h"

namespace pippin {

namespace {

std::vector<TextColumn> shown_columns(const FlatTable& table) {
  std::vector<TextColumn> shown;
  for (const auto& column : table.columns) {
    if (!column.shown.title.empty()) shown.push_back(column.shown);
  }
  return shown;
}

/// Unknown cells are "-"; columns of nothing else are left out.
std::vector<TextColumn> known_columns(std::vector<TextColumn> columns) {
  std::vector<TextColumn> known;
  for (auto& column : columns) {
    std::vector<std::string> cells;
    bool any = column.cells.empty();
    for (const auto cell : column.cells) {
      any = any || !cell.empty();
      cells.emplace_back(cell.empty() ? "-" : cell);
    }
    if (!any) continue;
    column.cells = Cells(cells);
    known.push_back(std::move(column));
  }
  return known;
}

void write_flat_terminal(const FlatTable& table, std::ostream& out) {
  if (table.columns.empty() || table.columns.front().values.empty()) return;
  const auto left_out = write_table(shown_columns(table), table.width, out, table.colours);
  if (!table.remarks.empty()) out << '\n';
  for (const auto& remark : table.remarks) out << wrapped(remark, table.width) << '\n';
  if (!left_out.empty())
    out << fmt::format("no room for: {}; --format csv has all\n", join(left_out, ", "));
}

void write_flat_markdown(const FlatTable& table, std::ostream& out) {
  write_markdown_table(known_columns(shown_columns(table)), out);
  for (const auto& remark : table.remarks) out << '\n' << markdown_literal(remark) << '\n';
}

std::string csv_text_of(const FlatValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* count = std::get_if<std::int64_t>(&value)) return std::to_string(*count);
  if (const auto* number = std::get_if<double>(&value)) return exact_number(*number);
  return "";
}

/// What programs read, a column behind the other.
std::vector<const FlatColumn*> named_columns(const FlatTable& table) {
  std::vector<const FlatColumn*> named;
  for (const auto& column : table.columns) {
    if (!column.name.empty()) named.push_back(&column);
  }
  return named;
}

std::size_t rows_of(const FlatTable& table) {
  return table.columns.empty() ? 0 : table.columns.front().values.size();
}

void write_flat_csv(const FlatTable& table, std::ostream& out) {
  const auto columns = named_columns(table);
  std::vector<std::string> cells;
  cells.reserve(columns.size());
  for (const auto* column : columns) cells.push_back(column->name);
  out << csv_line(cells);
  for (std::size_t row = 0; row < rows_of(table); ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      cells[i] = csv_text_of(columns[i]->values[row]);
    out << csv_line(cells);
  }
}

void write_flat_json(const FlatTable& table, std::ostream& out) {
  {
    JsonWriter json(out, 1);
    json.begin_object();
    write_flat_rows(table, json);
    json.end_object();
  }
  out << '\n';
}

const std::vector<FlatFormat>& flat_formats() {
  static const std::vector<FlatFormat> kFormats{{"terminal", write_flat_terminal},
                                                {"markdown", write_flat_markdown},
                                                {"csv", write_flat_csv},
                                                {"json", write_flat_json}};
  return kFormats;
}

}  // namespace

void write_flat_value(JsonWriter& json, const FlatValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return json.text(*text);
  if (const auto* count = std::get_if<std::int64_t>(&value)) return json.integer(*count);
  if (const auto* number = std::get_if<double>(&value)) return json.number(*number);
  json.null();
}

void write_flat_rows(const FlatTable& table, JsonWriter& json) {
  const auto columns = named_columns(table);
  json.key(table.rows_are).begin_array();
  for (std::size_t row = 0; row < rows_of(table); ++row) {
    json.begin_object();
    for (const auto* column : columns)
      write_flat_value(json.key(column->name), column->values[row]);
    json.end_object();
  }
  json.end_array();
}

const FlatFormat& flat_format_named(const std::string& name) {
  return format_among(flat_formats(), name);
}

bool is_page_format(const std::string& name) {
  auto formats = flat_formats();
  formats.push_back({"html", nullptr});
  return format_among(formats, name).write == nullptr;
}

FlatValue flat(const std::optional<double>& number) {
  return number ? FlatValue(*number) : FlatValue();
}

FlatValue flat(const std::optional<std::int64_t>& number) {
  return number ? FlatValue(*number) : FlatValue();
}

FlatValue flat(const std::string& text) { return text.empty() ? FlatValue() : FlatValue(text); }

}  // namespace pippin
