// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace pippin {

// As logs have them, whatever the locale.
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

/// Without the blanks and tabs in front.
inline std::string_view left_trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

}  // namespace pippin
