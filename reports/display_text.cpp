#include "reports/display_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/base/text.h"

namespace pippin {

namespace {

struct Range {
  std::uint32_t first, last;
};

bool in(std::uint32_t code, const Range* begin, const Range* end) {
  return std::any_of(begin, end, [&](const Range& r) { return r.first <= code && code <= r.last; });
}

std::size_t code_point_width(std::uint32_t code) {
  static constexpr std::array<Range, 6> kNone{{{0x0300, 0x036F},
                                               {0x0483, 0x0489},
                                               {0x0591, 0x05BD},
                                               {0x200B, 0x200F},
                                               {0x20D0, 0x20FF},
                                               {0xFE00, 0xFE0F}}};
  static constexpr std::array<Range, 9> kWide{{{0x1100, 0x115F},
                                               {0x2E80, 0xA4CF},
                                               {0xAC00, 0xD7A3},
                                               {0xF900, 0xFAFF},
                                               {0xFE30, 0xFE6F},
                                               {0xFF00, 0xFF60},
                                               {0xFFE0, 0xFFE6},
                                               {0x1F300, 0x1FAFF},
                                               {0x20000, 0x3FFFD}}};
  if (in(code, kNone.data(), kNone.data() + kNone.size())) return 0;
  return in(code, kWide.data(), kWide.data() + kWide.size()) ? 2 : 1;
}

/// The characters of a text: bytes that belong together, and their width. An invalid byte is one.
struct Character {
  std::string_view bytes;
  std::size_t width = 1;
};

std::vector<Character> characters_of(std::string_view text) {
  std::vector<Character> characters;
  while (!text.empty()) {
    const auto first = static_cast<unsigned char>(text[0]);
    std::size_t length = 1;
    std::uint32_t code = first < 0x80 ? first : first < 0xE0 ? first & 0x1F : first & 0x0F;
    if (first >= 0xF0) code = first & 0x07;
    while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) {
      code = code << 6 | (static_cast<unsigned char>(text[length++]) & 0x3F);
    }
    characters.push_back({text.substr(0, length), code_point_width(code)});
    text.remove_prefix(length);
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
