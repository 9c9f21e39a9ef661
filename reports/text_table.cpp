// SPDX-License-Identifier: Apache-2.0
#include "reports/text_table.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string_view>

#include "core/base/text.h"
#include "reports/display_text.h"

namespace pippin {

namespace {

constexpr std::size_t kGap = 2;  // blanks between columns
/// Widths that a column which may be shortened is tried at: the first that keeps its cells apart.
constexpr std::array<std::size_t, 5> kShortWidths{20, 28, 36, 44, 52};

constexpr const char* kNoEscape = "";
constexpr const char* kBold = "\033[1m";
constexpr const char* kRed = "\033[31m";

void append_toned(std::string& line, std::string_view text, std::string_view escape) {
  line += escape;
  line += text;
  if (!escape.empty()) line += "\033[0m";
}

/// Escapes take no room: they go around the text alone.
void append_padded(std::string& line, std::string_view text, std::size_t width,
                   TextColumn::Align align, std::string_view escape = kNoEscape) {
  const std::size_t own = display_width(text), blanks = width > own ? width - own : 0;
  if (align == TextColumn::Align::kRight) line.append(blanks, ' ');
  append_toned(line, text, escape);
  if (align == TextColumn::Align::kLeft) line.append(blanks, ' ');
}

void drop_unknown(std::vector<TextColumn>& columns) {
  const auto unknown = [](const TextColumn& column) {
    return !column.keep && column.cells.all_equal() &&
           (column.cells.empty() || column.cells.front().empty());
  };
  columns.erase(std::remove_if(columns.begin(), columns.end(), unknown), columns.end());
}

/// Takes out what all rows share: "TP 4  DP 1  seq 1024".
std::string take_caption(std::vector<TextColumn>& columns) {
  std::string caption;
  std::vector<TextColumn> kept;
  for (auto& column : columns) {
    if (column.may_move && column.cells.all_equal()) {
      caption += (caption.empty() ? "" : "  ") + column.title + " ";
      caption += column.cells.front();
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

std::vector<std::size_t> full_widths(const std::vector<TextColumn>& columns) {
  std::vector<std::size_t> widths;
  widths.reserve(columns.size());
  for (const auto& column : columns) widths.push_back(full_width(column));
  return widths;
}

/// Length of what all cells begin with, up to and with its last '-': that may go without loss.
std::size_t common_start(const Cells& cells) {
  const std::string_view first = cells.front();
  std::size_t length = first.size();
  for (const auto cell : cells) {
    const auto* const end =
        std::mismatch(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(length),
                      cell.begin(), cell.end())
            .first;
    length = static_cast<std::size_t>(end - first.begin());
  }
  const auto dash = first.substr(0, length).rfind('-');
  return dash == std::string_view::npos ? 0 : dash + 1;
}

/// The cells in `width` columns: first without what all begin with, then each on its own.
Cells shortened_alike(const Cells& cells, std::size_t width) {
  const std::size_t start = common_start(cells);
  Cells result;
  for (const auto cell : cells) {
    const std::string rest =
        (start > 1 ? "…" : "") + std::string(cell.substr(start > 1 ? start : 0));
    result.push_back(shortened(rest, width));
  }
  return result;
}

std::size_t distinct(const Cells& cells) {
  std::vector<std::string_view> sorted(cells.begin(), cells.end());
  std::sort(sorted.begin(), sorted.end());
  return static_cast<std::size_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
}

std::size_t least_width(const TextColumn& column) {
  const std::size_t full = full_width(column);
  if (!column.may_shorten) return full;
  for (std::size_t width : kShortWidths) {
    if (width >= full) break;
    if (distinct(shortened_alike(column.cells, width)) == distinct(column.cells)) return width;
  }
  return full;
}

std::vector<std::size_t> least_widths(const std::vector<TextColumn>& columns) {
  std::vector<std::size_t> widths;
  widths.reserve(columns.size());
  for (const auto& column : columns) widths.push_back(least_width(column));
  return widths;
}

std::size_t with_gaps(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
}

/// The column to drop first: the least important, of equals the last; none where all must stay.
std::optional<std::size_t> least_important(const std::vector<TextColumn>& columns) {
  std::optional<std::size_t> least;
  for (std::size_t i = columns.size(); i-- > 0;) {
    if (columns[i].must_stay) continue;
    if (!least || columns[i].importance < columns[*least].importance) least = i;
  }
  return least;
}

/// Drops columns until the rest fits; returns their titles in the order of the table.
std::vector<std::string> drop_to_fit(std::vector<TextColumn>& columns, std::size_t width) {
  std::vector<std::string> titles;
  titles.reserve(columns.size());
  for (const auto& column : columns) titles.push_back(column.title);
  auto widths = least_widths(columns);
  while (columns.size() > 1 && with_gaps(widths) > width) {
    const auto least = least_important(columns);
    if (!least) break;
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(*least));
    widths.erase(widths.begin() + static_cast<std::ptrdiff_t>(*least));
  }
  for (const auto& column : columns) {
    titles.erase(std::find(titles.begin(), titles.end(), column.title));
  }
  return titles;
}

/// Shortens cells of the columns that may be, from the left, by what is too much. Returns what a
/// column's "…" at the start stands for, as a caption has it.
std::string shorten_to_fit(std::vector<TextColumn>& columns, std::size_t width) {
  std::string starts;
  auto widths = full_widths(columns);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::size_t whole = with_gaps(widths);
    if (!columns[i].may_shorten || whole <= width) continue;
    const std::size_t wanted = widths[i] - std::min(widths[i], whole - width);
    const std::size_t target = std::max(kShortWidths.front(), wanted);
    if (target >= widths[i]) continue;
    const std::size_t start = common_start(columns[i].cells);
    if (start > 1)
      starts +=
          "  " + columns[i].title + " " + std::string(columns[i].cells[0].substr(0, start)) + "…";
    columns[i].cells = shortened_alike(columns[i].cells, target);
    widths[i] = full_width(columns[i]);
  }
  return starts;
}

void end_line(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

void write_rows(const std::vector<TextColumn>& columns, std::ostream& out, bool colours) {
  const auto widths = full_widths(columns);
  std::string line;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) line.append(kGap, ' ');
    append_padded(line, columns[i].title, widths[i], columns[i].align);
  }
  end_line(line);
  std::string heading;
  append_toned(heading, line, colours ? kBold : kNoEscape);
  out << heading << '\n' << std::string(with_gaps(widths), '-') << '\n';
  for (std::size_t row = 0; row < columns.front().cells.size(); ++row) {
    line.clear();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string_view cell = columns[i].cells[row];
      const bool bad = row < columns[i].tones.size() && columns[i].tones[row] == Tone::kBad;
      if (i > 0) line.append(kGap, ' ');
      append_padded(line, cell.empty() ? "-" : cell, widths[i], columns[i].align,
                    colours && bad ? kRed : kNoEscape);
    }
    end_line(line);
    out << line << '\n';
  }
}

}  // namespace

std::vector<std::string> write_table(std::vector<TextColumn> columns, std::size_t width,
                                     std::ostream& out, bool colours) {
  drop_unknown(columns);
  std::string caption = take_caption(columns);
  std::vector<std::string> dropped;
  if (width > 0 && !columns.empty()) {
    dropped = drop_to_fit(columns, width);
    caption += shorten_to_fit(columns, width);
  }
  if (!caption.empty()) out << wrapped(trim(caption), width) << "\n\n";
  if (!columns.empty()) write_rows(columns, out, colours);
  return dropped;
}

}  // namespace pippin
