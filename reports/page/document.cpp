// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <set>
#include <sstream>

#include "core/base/text.h"
#include "reports/exact_columns.h"
#include "reports/page/page_json.h"
#include "reports/page/parts.h"
#include "reports/point_columns.h"
#include "reports/remarks.h"
#include "reports/table.h"

namespace pippin {

namespace {

/// A column of the page's table; it is there for programs alone where it has no cells.
struct PageColumn {
  ColumnHead head;
  std::string kind;  ///< of what people read, its name in column_kinds.h
  std::optional<Cells> cells;
  bool is_shared = false;  ///< all rows have the same, which is said once
  std::function<std::string(const Summary& row)> value;  ///< exactly
};

std::string better_of(const std::string& name) {
  static const std::set<std::string> kHigh{"tflops", "mfu", "hfu", "samples_per_s", "busbw"};
  if (name == "step_time" || name == "memory") return "low";
  return kHigh.count(name) == 1 ? "high" : "";
}

std::function<std::string(const Summary&)> value_of(const Field* field, const std::string& axis) {
  if (!field) return [axis](const Summary& row) { return axis_cell(row.point, axis); };
  return [field](const Summary& row) { return exact_text(*field, row); };
}

/// Those that people read, whose drawings the page draws itself.
std::vector<PageColumn> shown_columns(const Report& report, RemarkCollector& collector) {
  const RowRange rows = rows_of(report);
  const auto columns = terminal_columns(report);
  auto table = text_columns(rows, columns, false, [&](const Summary& row) { collector.add(row); });
  std::vector<PageColumn> shown;
  auto text = table.begin();
  for (const auto& column : columns) {
    if (text == table.end() || text->title != column.title) continue;  // nothing is known in it
    if (!text->is_strip) {
      PageColumn made;
      const Field* field =
          column.kind && !column.kind->fields.empty() ? &column.kind->fields.front() : nullptr;
      made.kind = column.kind ? column.kind->name : "";
      made.head.name = field ? field->name : column.kind ? made.kind : column.axis;
      made.head.title = column.title;
      made.head.is_text = text->align == TextColumn::Align::kLeft;
      made.head.better = better_of(made.kind);
      made.is_shared =
          !column.asked && text->may_move && rows.size() > 1 && text->cells.all_equal();
      made.head.is_shown = !made.is_shared && made.kind != "point" && made.kind != "run";
      made.cells = std::move(text->cells);
      if (field || !column.kind) made.value = value_of(field, column.axis);
      shown.push_back(std::move(made));
    }
    ++text;
  }
  // What came out stands before what was asked for.
  static const std::set<std::string> kResults{"state", "step_time", "busbw",     "tflops",
                                              "best",  "vs",        "difference"};
  std::stable_partition(shown.begin(), shown.end(),
                        [&](const PageColumn& column) { return kResults.count(column.kind) == 1; });
  return shown;
}

/// What CSV has: of the columns above, and more.
void add_exact_columns(const Report& report, std::vector<PageColumn>& columns) {
  std::size_t place = 0;
  for (const auto& exact : exact_columns(report)) {
    const auto known = std::find_if(columns.begin(), columns.end(), [&](const auto& column) {
      return column.head.name == exact.name && column.value && !column.head.csv;
    });
    if (known != columns.end()) {
      known->head.csv = place++;
      continue;
    }
    PageColumn made;
    made.head.name = made.head.title = exact.name;
    made.head.csv = place++;
    made.head.is_text = exact.field && !exact.field->number;
    made.value = value_of(exact.field, exact.axis);
    columns.push_back(std::move(made));
  }
}

template <typename Write>
void write_column(const char* name, const RowRange& rows, JsonWriter& json, Write write) {
  json.key(name).begin_array();
  for (const Summary& row : rows) write(row);
  json.end_array();
}

void write_columns(const std::vector<PageColumn>& columns, JsonWriter& json) {
  std::vector<ColumnHead> heads;
  heads.reserve(columns.size());
  for (const auto& column : columns) heads.push_back(column.head);
  write_column_heads(heads, json);
}

void write_shared(const std::vector<PageColumn>& columns, JsonWriter& json) {
  json.key("shared").begin_array();
  for (const auto& column : columns) {
    if (!column.is_shared || column.cells->front().empty()) continue;
    json.begin_object();
    json.key("title").text(column.head.title);
    json.key("cell").text(column.cells->front());
    json.end_object();
  }
  json.end_array();
}

void write_addresses(const std::map<std::string, std::string>& addresses, JsonWriter& json) {
  json.key("addresses").begin_object();
  for (const auto& [kind, address] : addresses) json.key(kind).text(address);
  json.end_object();
}

/// What a row stands for: "run" or "point", and by what it is found.
void write_things(const RowRange& rows, JsonWriter& json) {
  const auto is_run = [](const Summary& row) { return row.run_number > 0; };
  write_column("of", rows, json,
               [&](const Summary& row) { json.text(is_run(row) ? "run" : "point"); });
  write_column("id", rows, json, [&](const Summary& row) {
    json.text(is_run(row) ? std::to_string(row.run_number) : row.point.id);
  });
}

void write_rows(const Page& page, const RowRange& rows, const std::vector<PageColumn>& columns,
                JsonWriter& json) {
  json.key("rows").begin_object();
  if (!page.addresses.empty()) write_things(rows, json);
  write_column("name", rows, json,
               [&](const Summary& row) { json.text(row.run.empty() ? row.point.name : row.run); });
  write_column("state", rows, json, [&](const Summary& row) {
    json.text(row.left ? "left" : std::string(text_of(row.state)));
  });
  write_column("reason", rows, json, [&](const Summary& row) { json.text(row.reason); });
  write_column("mean_s", rows, json, [&](const Summary& row) {
    write_exact(row.step_time_s ? std::optional(row.step_time_s->mean) : std::nullopt, json);
  });
  write_column("low_s", rows, json, [&](const Summary& row) {
    write_exact(row.step_time_s ? row.step_time_s->low : std::nullopt, json);
  });
  write_column("high_s", rows, json, [&](const Summary& row) {
    write_exact(row.step_time_s ? row.step_time_s->high : std::nullopt, json);
  });
  json.key("notes").begin_array();
  for (const Summary& row : rows) {
    json.begin_array();
    for (const auto& note : row.notes) json.text(note);
    json.end_array();
  }
  json.end_array();
  json.key("cells").begin_array();
  for (const auto& column : columns) {
    if (!column.cells) {
      json.null();
      continue;
    }
    json.begin_array();
    for (const auto cell : *column.cells) json.text(cell);
    json.end_array();
  }
  json.end_array();
  json.key("values").begin_array();
  for (const auto& column : columns) {
    json.begin_array();
    if (column.value) {
      for (const Summary& row : rows) write_exact(column.value(row), json);
    }
    json.end_array();
  }
  json.end_array();
  json.end_object();
}

void write_rates(const RowRange& rows, JsonWriter& json) {
  write_column("gpus", rows, json, [&](const Summary& row) {
    row.point.layout.gpus ? json.integer(*row.point.layout.gpus) : json.null();
  });
  write_column("tflops", rows, json, [&](const Summary& row) { write_exact(row.tflops, json); });
  write_column("samples_per_s", rows, json,
               [&](const Summary& row) { write_exact(row.samples_per_s, json); });
}

/// What differs between the points of rows: an axis of a plot each.
void write_axes(const RowRange& rows, JsonWriter& json) {
  json.key("axes").begin_array();
  const auto write = [&](const std::string& name, const std::string& title, const auto& value) {
    std::set<std::string> values;
    for (const Summary& row : rows) values.insert(value(row));
    if (values.size() < 2) return;
    json.begin_object();
    json.key("name").text(name);
    json.key("title").text(title);
    write_column("values", rows, json, [&](const Summary& row) { write_exact(value(row), json); });
    json.end_object();
  };
  std::vector<std::string> taken;
  for (std::size_t i = 0; i < point_columns().size(); ++i) {
    const PointColumn& column = point_columns()[i];
    taken.emplace_back(column.name);
    write(column.name, column.title,
          [i](const Summary& row) { return point_cells(row.point).at(i); });
  }
  for (const auto& axis : axis_columns(facts_of(rows), taken))
    write(axis.title, axis.title,
          [&](const Summary& row) { return axis_cell(row.point, axis.axis); });
  json.end_array();
}

std::vector<std::string> remarks_of(const Page& page, const RemarkCollector& collector) {
  std::vector<std::string> remarks = collector.lines();
  if (!page.table.heading.empty()) remarks.insert(remarks.begin(), page.table.heading);
  if (!page.table.dropped.empty()) remarks.push_back(page.table.dropped);
  if (page.table.left_out > 0)
    remarks.push_back(fmt::format("{} behind these (--limit)",
                                  counted(static_cast<std::int64_t>(page.table.left_out), "row")));
  return remarks;
}

}  // namespace

std::string page_document(const Page& page) {
  std::ostringstream text;
  {
    RemarkCollector collector;
    auto columns = shown_columns(page.table, collector);
    add_exact_columns(page.table, columns);
    const RowRange rows = rows_of(page.table);
    JsonWriter json(text, 0);
    begin_document(page.kind, page.title, page.command, page.made_at, json);
    write_texts("said", page.said, json);
    json.key("methods").text(page.methods);
    write_texts("remarks", remarks_of(page, collector), json);
    if (page.progress) write_progress(*page.progress, json);
    write_columns(columns, json);
    write_shared(columns, json);
    if (!page.addresses.empty()) write_addresses(page.addresses, json);
    write_rows(page, rows, columns, json);
    write_rates(rows, json);
    write_axes(rows, json);
    if (page.runs) write_runs(page, rows, json);
    if (!page.phases.empty()) write_phases(page.phases, json);
    if (page.noise) write_noise(*page.noise, json);
    if (page.sheet) write_sheet(*page.sheet, json);
    json.end_object();
  }
  return safe_in_script(std::move(text).str());
}

}  // namespace pippin
