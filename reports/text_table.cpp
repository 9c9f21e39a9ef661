#include "reports/text_table.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

#include "harness/base/text.h"

namespace pippin {

namespace {

constexpr std::size_t kGap = 2;            // blanks between columns
constexpr std::size_t kShortestName = 20;  // of a column that may be shortened

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

std::string padded(const std::string& text, std::size_t width, TextColumn::Align align) {
  const std::size_t own = display_width(text);
  const std::string blanks(width > own ? width - own : 0, ' ');
  return align == TextColumn::Align::kLeft ? text + blanks : blanks + text;
}

bool all_equal(const TextColumn& column) {
  const auto& cells = column.cells;
  return std::all_of(cells.begin(), cells.end(),
                     [&](const auto& cell) { return cell == cells.front(); });
}

void drop_unknown(std::vector<TextColumn>& columns) {
  const auto unknown = [](const TextColumn& column) {
    return all_equal(column) && (column.cells.empty() || column.cells.front().empty());
  };
  columns.erase(std::remove_if(columns.begin(), columns.end(), unknown), columns.end());
}

/// Takes out what all rows share: "TP 4  DP 1  seq 1024".
std::string take_caption(std::vector<TextColumn>& columns) {
  std::string caption;
  std::vector<TextColumn> kept;
  for (auto& column : columns) {
    if (column.may_move && all_equal(column)) {
      caption += (caption.empty() ? "" : "  ") + column.title + " " + column.cells.front();
    } else {
      kept.push_back(std::move(column));
    }
  }
  columns = std::move(kept);
  return caption;
}

std::size_t full_width(const TextColumn& column) {
  std::size_t width = display_width(column.title);
  for (const auto& cell : column.cells) width = std::max(width, display_width(cell));
  return width;
}

std::size_t least_width(const TextColumn& column) {
  const std::size_t full = full_width(column);
  return column.may_shorten ? std::min(full, kShortestName) : full;
}

std::size_t least_width(const std::vector<TextColumn>& columns) {
  std::size_t width = kGap * (columns.size() - 1);
  for (const auto& column : columns) width += least_width(column);
  return width;
}

/// Drops the least important columns, of equals the last, until the rest fits or one is left.
std::vector<std::string> drop_to_fit(std::vector<TextColumn>& columns, std::size_t width) {
  std::vector<std::string> dropped;
  while (columns.size() > 1 && least_width(columns) > width) {
    const auto least =
        std::min_element(columns.rbegin(), columns.rend(),
                         [](const auto& a, const auto& b) { return a.importance < b.importance; });
    dropped.insert(dropped.begin(), least->title);
    columns.erase(std::next(least).base());
  }
  return dropped;
}

/// Shortens cells of the columns that may be, from the left, by what is too much.
void shorten_to_fit(std::vector<TextColumn>& columns, std::size_t width) {
  std::size_t total = kGap * (columns.size() - 1);
  for (const auto& column : columns) total += full_width(column);
  for (auto& column : columns) {
    if (!column.may_shorten || total <= width) continue;
    const std::size_t full = full_width(column);
    const std::size_t target =
        std::max(std::min(kShortestName, full), full - std::min(full, total - width));
    for (auto& cell : column.cells) cell = shortened(cell, target);
    total -= full - target;
  }
}

std::string line_of(const std::vector<std::string>& cells) {
  std::string line = join(cells, std::string(kGap, ' '));
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

void write_rows(const std::vector<TextColumn>& columns, std::ostream& out) {
  std::vector<std::size_t> widths;
  for (const auto& column : columns) widths.push_back(full_width(column));
  std::vector<std::string> titles;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    titles.push_back(padded(columns[i].title, widths[i], columns[i].align));
  }
  const std::size_t whole =
      std::accumulate(widths.begin(), widths.end(), kGap * (columns.size() - 1));
  out << line_of(titles) << '\n' << std::string(whole, '-') << '\n';
  for (std::size_t row = 0; row < columns.front().cells.size(); ++row) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string& cell = columns[i].cells[row];
      cells.push_back(padded(cell.empty() ? "-" : cell, widths[i], columns[i].align));
    }
    out << line_of(cells) << '\n';
  }
}

}  // namespace

std::size_t display_width(std::string_view text) {
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
  std::string result;
  std::size_t column = 0;
  for (std::string_view word : split(text, ' ')) {
    const std::size_t length = display_width(word);
    if (column > 0 && width > 0 && column + 1 + length > width) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!result.empty()) {
      result += ' ';
      ++column;
    }
    result += word;
    column += length;
  }
  return result;
}

std::vector<std::string> write_table(std::vector<TextColumn> columns, std::size_t width,
                                     std::ostream& out) {
  drop_unknown(columns);
  const std::string caption = take_caption(columns);
  if (!caption.empty()) out << wrapped(caption, width) << "\n\n";
  if (columns.empty()) return {};
  std::vector<std::string> dropped;
  if (width > 0) {
    dropped = drop_to_fit(columns, width);
    shorten_to_fit(columns, width);
  }
  write_rows(columns, out);
  return dropped;
}

}  // namespace pippin
