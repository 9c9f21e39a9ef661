#include "db/json.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace pippin::db {

namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  // printable() leaves valid UTF-8 without control characters.
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

}  // namespace

std::string json_of(const NamedValues& values) {
  std::string text = "{";
  for (const auto& [name, value] : values) {
    text += fmt::format("{}{}:{}", text.size() > 1 ? "," : "", quoted(name),
                        value.number ? number_text(*value.number) : quoted(value.text));
  }
  return text + '}';
}

}  // namespace pippin::db
