// SPDX-License-Identifier: Apache-2.0
#include "reports/page/page_json.h"

#include <cmath>

#include "core/base/text.h"
#include "reports/values.h"

namespace pippin {

void write_exact(const std::string& text, JsonWriter& json) {
  constexpr std::size_t kExactDigits = 15;  // that a double holds
  if (text.empty()) return json.null();
  const bool is_short = text.size() <= kExactDigits;
  if (const auto whole = parse_integer(text); is_short && whole && std::to_string(*whole) == text)
    return json.integer(*whole);
  constexpr double kMostWritten = 1e9;  // from here on the two write a number otherwise
  const auto number = parse_number(text);
  const bool is_same = number && std::abs(*number) < kMostWritten && exact_number(*number) == text;
  is_short&& is_same ? json.number(*number) : json.text(text);
}

void write_exact(const std::optional<double>& number, JsonWriter& json) {
  number ? write_exact(exact_number(*number), json) : json.null();
}

void write_texts(const char* key, const std::vector<std::string>& texts, JsonWriter& json) {
  json.key(key).begin_array();
  for (const auto& text : texts) json.text(text);
  json.end_array();
}

void begin_document(const std::string& kind, const std::string& title, const std::string& command,
                    std::int64_t made_at, JsonWriter& json) {
  json.begin_object();
  json.key("format").integer(1);
  json.key("kind").text(kind);
  json.key("title").text(title);
  json.key("command").text(command);
  json.key("made_at").integer(made_at);
}

void write_column_heads(const std::vector<ColumnHead>& columns, JsonWriter& json) {
  json.key("columns").begin_array();
  for (const auto& column : columns) {
    json.begin_object();
    json.key("name").text(column.name);
    json.key("title").text(column.title);
    json.key("kind").text(column.is_text ? "text" : "number");
    json.key("shown").truth(column.is_shown);
    column.csv ? json.key("csv").natural(*column.csv) : json.key("csv").null();
    column.better.empty() ? json.key("better").null() : json.key("better").text(column.better);
    json.end_object();
  }
  json.end_array();
}

std::string safe_in_script(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  // Only texts have one, and there it could end the script.
  for (const char c : json) c == '<' ? text += "\\u003c" : text += c;
  return text;
}

}  // namespace pippin
