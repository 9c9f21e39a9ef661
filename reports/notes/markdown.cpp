// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/markdown.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "reports/notes/markdown_lines.h"

namespace pippin {

namespace {

using Kind = MarkdownLine::Kind;
using Align = MarkdownTable::Align;

/// How many backticks begin at `from`.
std::size_t backticks_at(std::string_view line, std::size_t from) {
  return std::min(line.find_first_not_of('`', from), line.size()) - from;
}

/// Behind the code that begins at `from`; behind its backticks where as many never follow.
/// Source: CommonMark 0.31, "Code spans".
std::size_t end_of_code(std::string_view line, std::size_t from) {
  const std::size_t length = backticks_at(line, from), begin = from + length;
  for (auto at = line.find('`', begin); at != std::string_view::npos; at = line.find('`', at)) {
    const std::size_t other = backticks_at(line, at);
    at += other;
    if (other == length) return at;
  }
  return begin;
}

/// The places of the pipes that separate cells.
std::vector<std::size_t> pipes_in(std::string_view line, bool code_protects) {
  std::vector<std::size_t> pipes;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool escaped = i > 0 && line[i - 1] == '\\';
    if (line[i] == '|' && !escaped) pipes.push_back(i);
    if (line[i] == '`' && !escaped && code_protects) i = end_of_code(line, i) - 1;
  }
  return pipes;
}

bool is_punctuation(char c) { return std::ispunct(static_cast<unsigned char>(c)) != 0; }

/// Source: CommonMark 0.31, "Backslash escapes".
std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && is_punctuation(text[i + 1])) ++i;
    result += text[i];
  }
  return result;
}

MarkdownCell cell_of(std::string_view document, std::size_t from, std::size_t to) {
  const std::string_view whole = document.substr(from, to - from);
  const std::string_view text = trim(whole);
  MarkdownCell cell{unescaped(text), 0, 0, from, to};
  // An empty cell's text would stand behind its first blank.
  cell.begin = text.empty() ? std::min(from + 1, to)
                            : static_cast<std::size_t>(text.data() - document.data());
  cell.end = cell.begin + text.size();
  return cell;
}

std::vector<MarkdownCell> cells_of(std::string_view document, const MarkdownLine& line,
                                   bool code_protects) {
  const std::string_view text = document.substr(line.begin, line.end - line.begin);
  std::vector<MarkdownCell> cells;
  std::size_t from = 0;
  for (const std::size_t pipe : pipes_in(text, code_protects)) {
    if (pipe > 0) cells.push_back(cell_of(document, line.begin + from, line.begin + pipe));
    from = pipe + 1;
  }
  if (from < text.size()) cells.push_back(cell_of(document, line.begin + from, line.end));
  return cells;
}

bool has_pipe(std::string_view document, const MarkdownLine& line) {
  return !pipes_in(document.substr(line.begin, line.end - line.begin), false).empty();
}

/// A row of a table of `columns` cells.
MarkdownRow row_of(std::string_view document, const MarkdownLine& line, std::size_t number,
                   std::size_t columns) {
  MarkdownRow row{number, line.begin, line.end, cells_of(document, line, false)};
  if (row.cells.size() > columns) {
    auto protecting = cells_of(document, line, true);
    if (protecting.size() == columns) row.cells = std::move(protecting);
  }
  return row;
}

/// ":--", "--:", ":-:" or "---"; nothing for another text.
std::optional<Align> align_of(std::string_view rule) {
  const bool left = !rule.empty() && rule.front() == ':';
  if (left) rule.remove_prefix(1);
  const bool right = !rule.empty() && rule.back() == ':';
  if (right) rule.remove_suffix(1);
  if (rule.empty() || rule.find_first_not_of('-') != std::string_view::npos) return std::nullopt;
  if (left && right) return Align::kCenter;
  return left ? Align::kLeft : right ? Align::kRight : Align::kNone;
}

/// Nothing where the line is no line of dashes.
std::optional<std::vector<Align>> aligns_of(const MarkdownRow& rule) {
  std::vector<Align> aligns;
  for (const auto& cell : rule.cells) {
    const auto align = align_of(cell.text);
    if (!align) return std::nullopt;
    aligns.push_back(*align);
  }
  return aligns;
}

/// "Title" of "## Title" and of "## Title ##", but "C#" of "## C#".
std::string heading_text(std::string_view text) {
  text = trim(text.substr(std::min(text.find_first_not_of('#'), text.size())));
  const auto last = text.find_last_not_of('#');
  if (last == std::string_view::npos) return "";
  const bool closed = text[last] == ' ' || text[last] == '\t';
  return std::string(closed ? trim(text.substr(0, last)) : text);
}

/// What stands in "**…**" or "__…__" (also with a colon after it) where that is the whole line.
std::optional<std::string> bold_line(std::string_view text) {
  constexpr std::size_t kMark = 2;
  if (!text.empty() && text.back() == ':') text.remove_suffix(1);
  if (text.size() <= 2 * kMark) return std::nullopt;
  const std::string_view mark = text.substr(0, kMark);
  if (mark != "**" && mark != "__") return std::nullopt;
  if (text.find(mark, kMark) != text.size() - kMark) return std::nullopt;
  return std::string(trim(text.substr(kMark, text.size() - 2 * kMark)));
}

/// Walks over the lines, and keeps what a table has above it.
class TableFinder {
 public:
  explicit TableFinder(std::string_view document)
      : document_(document), lines_(markdown_lines(document)) {}

  std::vector<MarkdownTable> find() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (auto table = table_at(i)) {
        i += 1 + table->rows.size();
        above_from_ = i + 1;
        tables_.push_back(*std::move(table));
      } else {
        note(i);
      }
    }
    return std::move(tables_);
  }

 private:
  std::string_view text(std::size_t i) const {
    return document_.substr(lines_[i].begin, lines_[i].end - lines_[i].begin);
  }

  /// Whether line i may be a row of a table that the line before it is in.
  bool goes_on(std::size_t i) const {
    if (i >= lines_.size()) return false;
    const MarkdownLine &line = lines_[i], &before = lines_[i - 1];
    return line.kind == Kind::kText && line.quotes == before.quotes &&
           line.indent == before.indent && has_pipe(document_, line);
  }

  std::optional<MarkdownTable> table_at(std::size_t i) const {
    const bool may_begin = lines_[i].kind == Kind::kText || lines_[i].kind == Kind::kListItem;
    if (!may_begin || !goes_on(i + 1) || !has_pipe(document_, lines_[i])) return std::nullopt;
    MarkdownTable table;
    table.rule = row_of(document_, lines_[i + 1], i + 2, SIZE_MAX);
    auto aligns = aligns_of(table.rule);
    if (!aligns) return std::nullopt;
    table.aligns = *std::move(aligns);
    table.header = row_of(document_, lines_[i], i + 1, table.aligns.size());
    if (table.header.cells.size() != table.aligns.size()) return std::nullopt;
    std::size_t next = i + 2;
    for (; goes_on(next); ++next) {
      table.rows.push_back(row_of(document_, lines_[next], next + 1, table.aligns.size()));
    }
    table.begin = lines_[i].from;
    table.end = lines_[next - 1].end;
    add_context(table, i);
    return table;
  }

  void add_context(MarkdownTable& table, std::size_t header) const {
    for (const auto& heading : headings_) {
      if (!heading.empty()) table.headings.push_back(heading);
    }
    table.captions = captions_;
    for (std::size_t i = above_from_; i < header; ++i) {
      const char* mark = lines_[i].kind == Kind::kListItem ? "- " : "";
      table.above.push_back(mark + std::string(text(i)));
    }
  }

  void note(std::size_t i) {
    const MarkdownLine& line = lines_[i];
    if (line.kind == Kind::kHeading) {
      note_heading(i, line.level, heading_text(text(i)));
    } else if (line.kind == Kind::kUnderline) {
      // Under a table's last row it is a rule.
      if (i > above_from_) note_heading(i, line.level, std::string(text(i - 1)));
      above_from_ = i + 1;
    } else if (line.kind == Kind::kRule || line.kind == Kind::kCode ||
               line.kind == Kind::kComment) {
      above_from_ = i + 1;
    } else if (line.kind == Kind::kText) {
      if (auto caption = bold_line(text(i))) note_caption(i, *std::move(caption));
    }
  }

  void note_heading(std::size_t i, std::size_t level, std::string heading) {
    headings_.resize(level - 1);
    headings_.push_back(std::move(heading));
    captions_.clear();
    above_from_ = i + 1;
  }

  /// A caption right under another is one more; elsewhere it replaces them.
  void note_caption(std::size_t i, std::string caption) {
    std::size_t before = i;
    while (before > 0 && lines_[before - 1].kind == Kind::kBlank) --before;
    const bool under_another = before > 0 && before == after_caption_;
    if (!under_another) captions_.clear();
    captions_.push_back(std::move(caption));
    above_from_ = after_caption_ = i + 1;
  }

  std::string_view document_;
  std::vector<MarkdownLine> lines_;
  std::vector<MarkdownTable> tables_;
  std::vector<std::string> headings_;  // by level; "" where one is skipped
  std::vector<std::string> captions_;
  std::size_t above_from_ = 0;     // the first line that stands between
  std::size_t after_caption_ = 0;  // the line after the last caption
};

}  // namespace

std::string_view MarkdownRow::text(std::size_t column) const {
  return column < cells.size() ? std::string_view(cells[column].text) : std::string_view();
}

std::vector<MarkdownTable> markdown_tables(std::string_view document) {
  return TableFinder(document).find();
}

std::string edited(std::string_view document, const std::vector<TextEdit>& edits) {
  std::string result;
  std::size_t copied = 0;
  for (const auto& edit : edits) {
    result += document.substr(copied, edit.begin - copied);
    result += edit.text;
    copied = edit.end;
  }
  result += document.substr(copied);
  return result;
}

}  // namespace pippin
