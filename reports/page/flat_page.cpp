// SPDX-License-Identifier: Apache-2.0
#include "reports/page/flat_page.h"

#include <algorithm>
#include <functional>
#include <set>
#include <sstream>
#include <unordered_map>

#include "reports/page/page_json.h"
#include "reports/page/parts.h"
#include "reports/point_columns.h"
#include "reports/values.h"

namespace pippin {

namespace {

/// A column, and its place in CSV.
struct PlacedColumn {
  const FlatColumn* column;
  std::optional<std::size_t> csv;
};

/// What came out stands before what rows differ in.
std::vector<PlacedColumn> columns_of(const FlatPage& page) {
  const auto is_axis = [&](const PlacedColumn& one) {
    return std::any_of(page.axes.begin(), page.axes.end(),
                       [&](const PageAxis& axis) { return axis.name == one.column->name; });
  };
  std::vector<PlacedColumn> columns;
  std::size_t place = 0;
  for (const FlatColumn& column : page.table.columns)
    columns.push_back({&column, column.name.empty() ? std::nullopt : std::optional(place++)});
  std::stable_partition(columns.begin(), columns.end(), std::not_fn(is_axis));
  return columns;
}

void write_columns(const FlatPage& page, const std::vector<PlacedColumn>& columns,
                   JsonWriter& json) {
  std::vector<ColumnHead> heads;
  for (const auto& [placed, csv] : columns) {
    const TextColumn& shown = placed->shown;
    heads.push_back({placed->name, shown.title.empty() ? placed->name : shown.title,
                     shown.align != TextColumn::Align::kRight,
                     !shown.title.empty() && placed->name != page.name_column, csv, ""});
  }
  write_column_heads(heads, json);
}

/// A number as CSV has it.
void write_value(const FlatValue& value, JsonWriter& json) {
  const auto* number = std::get_if<double>(&value);
  number ? write_exact(std::optional(*number), json) : write_flat_value(json, value);
}

template <typename Write>
void write_each(const char* key, const std::vector<FlatPageRow>& rows, JsonWriter& json,
                Write write) {
  json.key(key).begin_array();
  for (const auto& row : rows) write(row);
  json.end_array();
}

void write_rows(const FlatPage& page, const std::vector<PlacedColumn>& columns, JsonWriter& json) {
  json.key("rows").begin_object();
  write_each("name", page.rows, json, [&](const auto& row) { json.text(row.name); });
  write_each("state", page.rows, json, [&](const auto& row) { json.text(text_of(row.state)); });
  write_each("reason", page.rows, json, [&](const auto& row) { json.text(row.reason); });
  write_each("mean_s", page.rows, json, [&](const auto& row) { write_exact(row.seconds, json); });
  write_each("low_s", page.rows, json, [&](const auto& row) { write_exact(row.low, json); });
  write_each("high_s", page.rows, json, [&](const auto& row) { write_exact(row.high, json); });
  json.key("cells").begin_array();
  for (const auto& one : columns) {
    if (one.column->shown.title.empty()) {
      json.null();
      continue;
    }
    json.begin_array();
    for (const auto cell : one.column->shown.cells) json.text(cell);
    json.end_array();
  }
  json.end_array();
  json.key("values").begin_array();
  for (const auto& one : columns) {
    json.begin_array();
    for (const auto& value : one.column->values) write_value(value, json);
    json.end_array();
  }
  json.end_array();
  json.end_object();
}

/// Those that differ between rows.
void write_axes(const std::vector<PageAxis>& axes, JsonWriter& json) {
  json.key("axes").begin_array();
  for (const auto& axis : axes) {
    if (std::set(axis.values.begin(), axis.values.end()).size() < 2) continue;
    json.begin_object();
    json.key("name").text(axis.name);
    json.key("title").text(axis.title);
    json.key("values").begin_array();
    for (const auto& value : axis.values) write_exact(value, json);
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::vector<PageAxis> axes_of(const std::vector<Point>& points) {
  std::vector<PageAxis> axes;
  for (const PointColumn& column : point_columns()) axes.push_back({column.name, column.title, {}});
  for (const Point& point : points) {
    const auto cells = readable_point_cells(point);
    for (std::size_t i = 0; i < cells.size(); ++i) axes[i].values.push_back(cells[i]);
  }
  std::unordered_map<std::string, std::size_t> own;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (const auto& [name, value] : points[i].axes) {
      const auto [place, is_new] = own.emplace(name, axes.size());
      if (is_new) axes.push_back({name, name, std::vector<std::string>(points.size())});
      axes[place->second].values[i] = value.text;
    }
  }
  return axes;
}

std::string flat_page_document(const FlatPage& page) {
  std::ostringstream text;
  {
    JsonWriter json(text, 0);
    begin_document(page.kind, page.title, page.command, page.made_at, json);
    write_texts("said", page.said, json);
    write_texts("remarks", page.table.remarks, json);
    const auto columns = columns_of(page);
    write_columns(page, columns, json);
    write_rows(page, columns, json);
    write_axes(page.axes, json);
    if (page.sheet) write_sheet(*page.sheet, json);
    json.end_object();
  }
  return safe_in_script(std::move(text).str());
}

}  // namespace pippin
