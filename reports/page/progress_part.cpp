// SPDX-License-Identifier: Apache-2.0
#include "reports/page/page_json.h"
#include "reports/page/parts.h"

namespace pippin {

namespace {

void write_bar(const Progress& bar, JsonWriter& json) {
  json.key("bar").begin_object();
  json.key("total").natural(bar.total);
  json.key("done").natural(bar.done);
  json.key("failed").natural(bar.failed);
  json.key("running").natural(bar.running);
  json.key("words").text(progress_text(bar));
  json.end_object();
}

void write_lists(const PageProgress& progress, JsonWriter& json) {
  json.key("lists").begin_array();
  for (const auto& list : lists_of(progress.status, progress.now)) {
    json.begin_object();
    json.key("title").text(list.title);
    json.key("lines").begin_array();
    for (const auto& line : list.lines) {
      json.begin_array();
      for (const auto* words : {&line.what, &line.words, &line.remedy}) json.text(*words);
      json.end_array();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

void write_table(const PageTable& table, JsonWriter& json) {
  json.begin_object();
  json.key("title").text(table.title);
  write_texts("titles", table.titles, json);
  json.key("rows").begin_array();
  for (const auto& row : table.rows) {
    json.begin_array();
    for (const auto& cell : row) json.text(cell);
    json.end_array();
  }
  json.end_array();
  if (!table.runs.empty()) {
    json.key("runs").begin_array();
    for (const auto number : table.runs) json.integer(number);
    json.end_array();
  }
  json.end_object();
}

}  // namespace

void write_progress(const PageProgress& progress, JsonWriter& json) {
  json.key("progress").begin_object();
  write_bar(progress.status.progress, json);
  write_lists(progress, json);
  json.key("tables").begin_array();
  for (const auto& table : progress.tables) write_table(table, json);
  json.end_array();
  json.end_object();
}

}  // namespace pippin
