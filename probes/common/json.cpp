// SPDX-License-Identifier: Apache-2.0
#include "probes/common/json.h"

#include <charconv>
#include <cmath>

#include "probes/common/text.h"

namespace pippin::probes {

namespace {

std::string number_text(double value) {
  if (!std::isfinite(value)) return "null";
  char buffer[64];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

}  // namespace

std::string json_text(const std::string& word) {
  std::string result = "\"";
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      result += {'\\', c};
    else if (byte < 0x20)
      result += text("\\u%04x", byte);
    else
      result += c;
  }
  return result + "\"";
}

JsonObject& JsonObject::value(const std::string& key, const std::string& json) {
  members_ += (members_.empty() ? "" : ",") + json_text(key) + ":" + json;
  return *this;
}

JsonObject& JsonObject::number(const std::string& key, double number) {
  return value(key, number_text(number));
}

JsonObject& JsonObject::whole(const std::string& key, std::int64_t number) {
  return value(key, std::to_string(number));
}

JsonObject& JsonObject::word(const std::string& key, const std::string& word) {
  return value(key, json_text(word));
}

JsonObject& JsonObject::flag(const std::string& key, bool flag) {
  return value(key, flag ? "true" : "false");
}

std::string json_array(const std::vector<std::string>& values) {
  std::string result;
  for (const auto& value : values) result += (result.empty() ? "" : ",") + value;
  return "[" + result + "]";
}

}  // namespace pippin::probes
