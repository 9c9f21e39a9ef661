// SPDX-License-Identifier: Apache-2.0
#include "db/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/moderate_json.h"
#include "core/base/text.h"

namespace pippin::db {

namespace {

using Json = nlohmann::ordered_json;

/// Nothing of what is no JSON, as a damaged file may have it.
Json value_in(const std::string& json) {
  constexpr std::size_t kMostValues = 100'000'000;  // which the database's own texts do not come to
  const bool is_moderate = is_moderate_json(json, kMostValues);
  const Json value = is_moderate ? Json::parse(json, nullptr, false) : Json();
  return value.is_discarded() ? Json() : value;
}

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
  for (const auto& pair : value_in(json)) {
    const bool is_pair =
        pair.is_array() && pair.size() == 2 && pair[0].is_string() && pair[1].is_string();
    if (is_pair)
      values.emplace_back(pair[0].get<std::string>(), value_of(pair[1].get<std::string>()));
  }
  return values;
}

std::vector<std::string> texts_in(const std::string& json) {
  std::vector<std::string> texts;
  for (const auto& text : value_in(json))
    if (text.is_string()) texts.push_back(text.get<std::string>());
  return texts;
}

NamedValues values_in(const std::string& json) {
  NamedValues values;
  const Json object = value_in(json);
  if (!object.is_object()) return values;
  for (const auto& [name, value] : object.items()) {
    if (value.is_number()) values.emplace_back(name, value_of(value.get<double>()));
    if (value.is_string()) values.emplace_back(name, Value{value.get<std::string>(), {}});
  }
  return values;
}

}  // namespace pippin::db
