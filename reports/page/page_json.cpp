// SPDX-License-Identifier: Apache-2.0
#include "reports/page/page_json.h"

#include "core/base/text.h"
#include "reports/values.h"

namespace pippin {

void write_exact(const std::string& text, JsonWriter& json) {
  constexpr std::size_t kExactDigits = 15;  // that a double holds
  if (text.empty()) return json.null();
  const bool is_short = text.size() <= kExactDigits;
  if (const auto whole = parse_integer(text); is_short && whole && std::to_string(*whole) == text)
    return json.integer(*whole);
  const auto number = parse_number(text);
  const bool is_plain = text.find_first_not_of("0123456789.-") == std::string::npos;
  if (is_short && is_plain && number && exact_number(*number) == text) return json.number(*number);
  json.text(text);
}

void write_exact(const std::optional<double>& number, JsonWriter& json) {
  number ? write_exact(exact_number(*number), json) : json.null();
}

void write_texts(const char* key, const std::vector<std::string>& texts, JsonWriter& json) {
  json.key(key).begin_array();
  for (const auto& text : texts) json.text(text);
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
