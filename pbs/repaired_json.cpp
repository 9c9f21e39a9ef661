// SPDX-License-Identifier: Apache-2.0
#include "pbs/repaired_json.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>

#include "core/base/text.h"
#include "core/base/utf8.h"

namespace pippin::pbs {

namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Whether JSON has such a word without quotes.
bool is_word_of_json(std::string_view word) {
  if (word == "true" || word == "false" || word == "null") return true;
  const std::string_view digits = word.starts_with('-') ? word.substr(1) : word;
  if (digits.empty() || !is_digit(digits.front()) || !is_digit(digits.back())) return false;
  if (digits.size() > 1 && digits[0] == '0' && is_digit(digits[1])) return false;
  const auto point = digits.find('.');
  if (point != std::string_view::npos && !is_digit(digits[point + 1])) return false;
  if (digits.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return false;
  const auto number = parse_number(word);
  return number && std::isfinite(*number);
}

/// How many characters the escape that begins a text has; 0: it is none.
std::size_t escape_in(std::string_view text) {
  constexpr std::size_t kOfNumber = 6;
  if (text.size() < 2 || text[0] != '\\') return 0;
  if (std::string_view("\"\\/bfnrt").find(text[1]) != std::string_view::npos) return 2;
  if (text[1] != 'u' || text.size() < kOfNumber) return 0;
  const auto digits = text.substr(2, kOfNumber - 2);
  const bool is_number =
      digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
  return is_number ? kOfNumber : 0;
}

/// As it stands between quotes; `is_escaped`: by JSON's escapes, or the like.
void add_text(std::string_view text, bool is_escaped, std::string& json) {
  json += '"';
  while (!text.empty()) {
    const Character next = first_character(text);
    std::size_t length = is_escaped ? escape_in(text) : 0;
    if (length > 0) {
      json += text.substr(0, length);
    } else {
      length = next.bytes.size();
      if (next.bytes == "\\") json += '\\';
      json += !next.valid ? "?" : next.code < ' ' ? " " : next.bytes;
    }
    text.remove_prefix(length);
  }
  json += '"';
}

/// Of the text whose first quote is at `begin`: the place of the last.
std::size_t end_of_text(std::string_view answer, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < answer.size() && answer[end] != '"') end += answer[end] == '\\' ? 2 : 1;
  return std::min(end, answer.size());
}

}  // namespace

std::string repaired_json(std::string_view answer) {
  std::string json;
  json.reserve(answer.size());
  for (std::size_t i = 0; i < answer.size(); ++i) {
    const char c = answer[i];
    if (c == '"') {
      const std::size_t end = end_of_text(answer, i);
      add_text(answer.substr(i + 1, end - i - 1), true, json);
      i = end;
      continue;
    }
    const std::size_t end = std::min(answer.find_first_of(",:{}[]\" \t\r\n", i), answer.size());
    if (end == i) {
      json += c;
      continue;
    }
    const std::string_view word = answer.substr(i, end - i);
    if (is_word_of_json(word))
      json += word;
    else
      add_text(word, false, json);
    i = end - 1;
  }
  return json;
}

}  // namespace pippin::pbs
