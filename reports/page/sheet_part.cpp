// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reports/page/page_json.h"
#include "reports/page/parts.h"
#include "reports/statistics/sample.h"

namespace pippin {

namespace {

constexpr std::size_t kMostPoints = 10'000;  // more than a plot can show

/// Of more points than can be shown, the medians of neighbours; one is marked where all of them
/// are.
SheetSeries thinned(const SheetSeries& series) {
  const std::size_t of_each = (series.y.size() + kMostPoints - 1) / kMostPoints;
  if (of_each <= 1) return series;
  SheetSeries thin = series;
  thin.lead += " Each stands for " + std::to_string(of_each) + ", by their median.";
  thin.x.clear();
  thin.y.clear();
  thin.marks.clear();
  for (std::size_t begin = 0; begin < series.y.size(); begin += of_each) {
    const std::size_t end = std::min(begin + of_each, series.y.size());
    const auto from = static_cast<std::ptrdiff_t>(begin), to = static_cast<std::ptrdiff_t>(end);
    thin.x.push_back(series.x[begin]);
    thin.y.push_back(median_of({series.y.begin() + from, series.y.begin() + to}));
    if (series.marks.empty()) continue;
    const auto plain = std::find(series.marks.begin() + from, series.marks.begin() + to, 0U);
    thin.marks.push_back(plain == series.marks.begin() + to ? series.marks[begin] : 0);
  }
  return thin;
}

void write_numbers(const std::vector<double>& numbers, JsonWriter& json) {
  json.begin_array();
  for (const double number : numbers) write_exact(std::optional(number), json);
  json.end_array();
}

void write_series(const SheetSeries& whole, JsonWriter& json) {
  const SheetSeries series = thinned(whole);
  json.key("series").begin_object();
  json.key("title").text(series.title);
  json.key("lead").text(series.lead);
  json.key("x_title").text(series.x_title);
  json.key("y_title").text(series.y_title);
  json.key("x_is_moment").truth(series.x_is_moment);
  json.key("y_is_seconds").truth(series.y_is_seconds);
  write_numbers(series.x, json.key("x"));
  write_numbers(series.y, json.key("y"));
  json.key("marks").begin_array();
  for (const auto mark : series.marks) json.natural(mark);
  json.end_array();
  write_texts("mark_texts", series.mark_texts, json);
  json.end_object();
}

void write_stacks(const SheetStacks& stacks, JsonWriter& json) {
  json.key("stacks").begin_object();
  json.key("title").text(stacks.title);
  json.key("lead").text(stacks.lead);
  json.key("unit").text(stacks.unit);
  write_texts("bars", stacks.bars, json);
  write_texts("parts", stacks.parts, json);
  json.key("sizes").begin_array();
  for (const auto& of_bar : stacks.sizes) write_numbers(of_bar, json);
  json.end_array();
  write_exact(stacks.limit, json.key("limit"));
  json.key("limit_text").text(stacks.limit_text);
  json.end_object();
}

/// What the column's cells name, where that may have a page of its own.
void write_named_things(const FlatTable& table, const FlatColumn& column, JsonWriter& json) {
  const bool is_run = column.name == "number" && table.rows_are == "runs";
  if (!is_run && column.name != "node") return;
  json.key("of").text(is_run ? "run" : "node");
  json.key("ids").begin_array();
  for (const auto& id : column.values) write_flat_value(json, id);
  json.end_array();
}

/// The columns that people read.
void write_table(const FlatTable& table, JsonWriter& json) {
  std::vector<const FlatColumn*> shown;
  for (const auto& column : table.columns)
    if (!column.shown.title.empty()) shown.push_back(&column);
  if (shown.empty()) return;
  json.key("columns").begin_array();
  for (const auto* column : shown) {
    json.begin_object();
    json.key("title").text(column->shown.title);
    json.key("number").truth(column->shown.align == TextColumn::Align::kRight);
    write_named_things(table, *column, json);
    json.key("cells").begin_array();
    for (const auto cell : column->shown.cells) json.text(cell);
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

void write_part(const SheetPart& part, JsonWriter& json) {
  json.begin_object();
  json.key("id").text(part.name);
  json.key("title").text(part.title);
  json.key("facts").begin_array();
  for (const auto& fact : part.facts) {
    if (fact.title.empty()) continue;
    json.begin_object();
    json.key("title").text(fact.title);
    json.key("text").text(fact.text);
    json.end_object();
  }
  json.end_array();
  if (part.table) write_table(*part.table, json);
  if (!part.code.empty()) json.key("code").text(part.code);
  write_texts("remarks", part.remarks, json);
  if (part.series) write_series(*part.series, json);
  if (part.stacks) write_stacks(*part.stacks, json);
  json.end_object();
}

}  // namespace

void write_sheet(const Sheet& sheet, JsonWriter& json) {
  json.key("sheet").begin_array();
  for (const auto& part : sheet.parts) write_part(part, json);
  json.end_array();
}

}  // namespace pippin
