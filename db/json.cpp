#include "db/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace pippin::db {

namespace {

bool stands_for_itself(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }

void add_text(std::string& json, std::string_view text) {
  if (std::all_of(text.begin(), text.end(), stands_for_itself)) {
    json += '"';
    json += text;
    json += '"';
  } else {
    json += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
}

}  // namespace

std::string json_of(const Value& value) {
  // printable() leaves valid UTF-8 without control characters.
  if (value.number) return number_text(*value.number);
  std::string json;
  add_text(json, printable(value.text));
  return json;
}

std::string json_pairs_of(const NamedValues& values) {
  constexpr std::size_t kUsualBytes = 48;  // of a pair
  std::string json = "[";
  json.reserve(values.size() * kUsualBytes);
  for (const auto& [name, value] : values) {
    json += json.size() > 1 ? ",[" : "[";
    add_text(json, name);
    json += ',';
    add_text(json, value.text);
    json += ']';
  }
  return json += ']';
}

NamedValues pairs_in(const std::string& json) {
  NamedValues values;
  if (json.empty()) return values;
  for (const auto& pair : nlohmann::json::parse(json))
    values.emplace_back(pair.at(0).get<std::string>(), value_of(pair.at(1).get<std::string>()));
  return values;
}

std::vector<std::string> texts_in(const std::string& json) {
  std::vector<std::string> texts;
  for (const auto& text : nlohmann::json::parse(json))
    if (text.is_string()) texts.push_back(text.get<std::string>());
  return texts;
}

NamedValues values_in(const std::string& json) {
  NamedValues values;
  const auto object = nlohmann::ordered_json::parse(json);
  for (const auto& [name, value] : object.items())
    values.emplace_back(name, value.is_number() ? value_of(value.get<double>())
                                                : Value{value.get<std::string>(), {}});
  return values;
}

}  // namespace pippin::db
