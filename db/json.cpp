#include "db/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace pippin::db {

namespace {

bool stands_for_itself(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }

std::string json_text(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), stands_for_itself)) {
    std::string quoted = "\"";
    quoted += text;
    return quoted += '"';
  }
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string json_of(const Value& value) {
  // printable() leaves valid UTF-8 without control characters.
  return value.number ? number_text(*value.number) : json_text(printable(value.text));
}

std::string json_pairs_of(const NamedValues& values) {
  std::string json = "[";
  for (const auto& [name, value] : values) {
    json += json.size() > 1 ? ",[" : "[";
    json += json_text(name);
    json += ',';
    json += json_text(value.text);
    json += ']';
  }
  return json += ']';
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
