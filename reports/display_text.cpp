// SPDX-License-Identifier: Apache-2.0
#include "reports/display_text.h"

#include <algorithm>
#include <vector>

#include "core/base/text.h"
#include "core/base/utf8.h"

namespace pippin {

namespace {

std::vector<Character> characters_of(std::string_view text) {
  std::vector<Character> characters;
  while (!text.empty()) {
    characters.push_back(first_character(text));
    text.remove_prefix(characters.back().bytes.size());
  }
  return characters;
}

/// As many leading characters as fit.
std::string head_of(const std::vector<Character>& characters, std::size_t width) {
  std::string head;
  for (const auto& character : characters) {
    if (character.width > width) break;
    width -= character.width;
    head += character.bytes;
  }
  return head;
}

std::string tail_of(std::vector<Character> characters, std::size_t width) {
  std::size_t from = characters.size();
  while (from > 0 && characters[from - 1].width <= width) width -= characters[--from].width;
  std::string tail;
  for (; from < characters.size(); ++from) tail += characters[from].bytes;
  return tail;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(text.begin(), text.end(), is_ascii)) return text.size();  // nearly always
  std::size_t width = 0;
  for (const auto& character : characters_of(text)) width += character.width;
  return width;
}

std::string shortened(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  const auto characters = characters_of(text);
  const std::size_t tail = (width - 1) / 2;
  return head_of(characters, width - 1 - tail) + "…" + tail_of(characters, tail);
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  const std::size_t start = std::min(text.find_first_not_of(' '), text.size());
  std::string result(start, ' ');
  std::size_t column = start;
  for (std::string_view word : split(text.substr(start), ' ')) {
    const std::size_t length = display_width(word);
    if (column > start && width > 0 && column + 1 + length > width) {
      result.erase(result.find_last_not_of(' ') + 1);
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > start) {
      result += ' ';
      ++column;
    }
    result += word;
    column += length;
  }
  return result;
}

}  // namespace pippin
