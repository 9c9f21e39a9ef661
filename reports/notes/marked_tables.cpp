// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/marked_tables.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <sstream>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/records/fields.h"
#include "reports/column_names.h"
#include "reports/notes/kept_lines.h"
#include "reports/notes/markdown_lines.h"
#include "reports/table.h"

namespace pippin {

namespace {

constexpr std::string_view kBegin = "pippin:begin", kEnd = "pippin:end";

/// What a comment of one line says; nothing where the line is none.
std::optional<std::string_view> comment_in(std::string_view line) {
  constexpr std::string_view kOpen = "<!--", kClose = "-->";
  if (!line.starts_with(kOpen)) return std::nullopt;
  line.remove_prefix(kOpen.size());
  if (!line.ends_with(kClose)) return std::nullopt;
  line.remove_suffix(kClose.size());
  return trim(line);
}

bool says(std::string_view comment, std::string_view word) {
  if (!comment.starts_with(word)) return false;
  comment.remove_prefix(word.size());
  return comment.empty() || comment.front() == ' ' || comment.front() == '\t';
}

/// What would be no marker, or one whose table cannot stand where it is, though a person meant it.
/// `before`: what stands on its line before it.
void refuse_odd_marker(std::string_view comment, std::string_view before,
                       const std::string& place) {
  if (!comment.starts_with(kBegin) && !comment.starts_with(kEnd)) return;
  if (!says(comment, kBegin) && !says(comment, kEnd))
    bad_input("{}: no marker is called '{}'; there is {} and {}", place,
              printable(comment.substr(0, comment.find_first_of(" \t"))), kBegin, kEnd);
  if (!before.empty())
    bad_input("{}: a marker stands at the beginning of its line, not behind '{}'", place,
              printable(before));
}

/// Splits as a shell does: blanks, '…', "…", \x. In "…" a backslash stands for itself but before
/// one of "\$`.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  /// Nothing where a quote is not closed.
  std::optional<std::vector<std::string>> all() {
    for (; at_ < text_.size(); ++at_) take();
    flush();
    return quote_ == 0 ? std::optional(std::move(words_)) : std::nullopt;
  }

 private:
  void take() {
    const char c = text_[at_];
    if (quote_ != 0 && c == quote_) {
      quote_ = 0;
    } else if (quote_ == 0 && (c == '\'' || c == '"')) {
      quote_ = c;
      open_ = true;
    } else if (c == '\\' && escapes_next()) {
      add(text_[++at_]);
    } else if (quote_ == 0 && (c == ' ' || c == '\t')) {
      flush();
    } else {
      add(c);
    }
  }

  bool escapes_next() const {
    if (quote_ == '\'' || at_ + 1 >= text_.size()) return false;
    return quote_ == 0 || std::string_view("\"\\$`").find(text_[at_ + 1]) != std::string_view::npos;
  }

  void add(char c) {
    word_ += c;
    open_ = true;
  }

  void flush() {
    if (open_) words_.push_back(std::move(word_));
    word_.clear();
    open_ = false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  char quote_ = 0;
  bool open_ = false;
  std::string word_;
  std::vector<std::string> words_;
};

/// What decides which row a line of a table is.
bool is_identity(const Column& column) {
  static const auto kNames = [] {
    std::set<std::string, std::less<>> names{"sweep", "point", "run", "trainer", "size"};
    for_each_count(Point(), [&](std::string_view name, const Count&) { names.emplace(name); });
    return names;
  }();
  return !column.kind || kNames.count(column.kind->name) > 0;
}

bool is_kind(const Column& column, std::string_view name) {
  return column.kind && column.kind->name == name;
}

std::optional<std::size_t> notes_column(const MarkdownTable& table) {
  for (std::size_t i = 0; i < table.header.cells.size(); ++i) {
    const ColumnName* known = find_column_name(table.header.cells[i].text);
    if (known && known->name == "notes") return i;
  }
  return std::nullopt;
}

/// A note, and the row that it stands in.
struct KeptNote {
  std::size_t line = 0;
  std::string text, markdown;
  std::vector<std::string> identity;
  std::string time;
};

/// The columns that both tables have, as places in the old one and in the new.
struct SharedColumns {
  std::vector<std::pair<std::size_t, std::size_t>> identity;
  std::optional<std::pair<std::size_t, std::size_t>> time;
};

/// Of equal titles the first with the first.
SharedColumns shared_columns(const MarkdownTable& old, const std::vector<Column>& columns) {
  SharedColumns shared;
  std::set<std::size_t> taken;
  for (std::size_t i = 0; i < old.header.cells.size(); ++i) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      if (printable(columns[j].title) != old.header.cells[i].text || !taken.insert(j).second)
        continue;
      if (is_identity(columns[j])) shared.identity.emplace_back(i, j);
      if (is_kind(columns[j], "step_time")) shared.time = std::pair(i, j);
      break;
    }
  }
  return shared;
}

std::vector<KeptNote> notes_in(std::string_view document, const MarkdownTable& old,
                               const SharedColumns& shared) {
  std::vector<KeptNote> notes;
  const auto column = notes_column(old);
  if (!column) return notes;
  for (const auto& row : old.rows) {
    if (row.text(*column).empty()) continue;
    const auto& cell = row.cells[*column];
    const auto markdown = document.substr(cell.begin, cell.end - cell.begin);
    KeptNote note{row.line, cell.text, std::string(markdown), {}, {}};
    for (const auto& place : shared.identity) note.identity.emplace_back(row.text(place.first));
    if (shared.time) note.time = row.text(shared.time->first);
    notes.push_back(std::move(note));
  }
  return notes;
}

/// Rows of the new table that may be the one a note stood in.
class Rows {
 public:
  Rows(const Report& report, std::vector<Column> columns, const SharedColumns& shared) {
    for (auto& column : columns) column.asked = true;  // so that each has its cells
    const auto cells = text_columns(report.rows, columns, false);
    const auto text = [&](std::size_t column, std::size_t row) {
      return std::string(trim(cells[column].cells[row]));
    };
    for (std::size_t row = 0; row < report.rows.size(); ++row) {
      std::vector<std::string>& identity = identities_.emplace_back();
      for (const auto& place : shared.identity) identity.push_back(text(place.second, row));
      times_.push_back(shared.time ? text(shared.time->second, row) : "");
    }
  }

  std::vector<std::size_t> matching(const KeptNote& note) const {
    std::vector<std::size_t> same, same_time;
    for (std::size_t row = 0; row < identities_.size(); ++row) {
      if (identities_[row] != note.identity) continue;
      same.push_back(row);
      if (times_[row] == note.time) same_time.push_back(row);
    }
    return same.size() > 1 && !same_time.empty() ? same_time : same;
  }

  /// Whether nothing in the table tells these rows apart.
  bool alike(const std::vector<std::size_t>& rows) const {
    return std::all_of(rows.begin(), rows.end(),
                       [&](std::size_t row) { return times_[row] == times_[rows.front()]; });
  }

 private:
  std::vector<std::vector<std::string>> identities_;
  std::vector<std::string> times_;
};

/// "a; b" where a and b are of `said`.
bool consists_of(std::string_view text, const std::set<std::string>& said) {
  return std::any_of(said.begin(), said.end(), [&](const std::string& note) {
    if (note.empty() || !text.starts_with(note)) return false;
    const std::string_view rest = text.substr(note.size());
    return rest.empty() || (rest.starts_with("; ") && consists_of(rest.substr(2), said));
  });
}

/// Whether a note is what `pippin note` says, or once said, of runs, as a cell has it.
bool is_our_own(const std::string& text, const std::vector<std::string>& notes) {
  std::set<std::string> said;
  for (const auto& note : notes) said.insert(printable(note));
  return consists_of(text, said);
}

/// A note of a person, and the rows that it may belong to.
struct PlacedNote {
  KeptNote note;
  std::vector<std::size_t> rows;
};

/// The notes that are not our own.
std::vector<PlacedNote> notes_of_people(const Report& report, const Rows& rows,
                                        const std::vector<KeptNote>& notes) {
  std::vector<PlacedNote> result;
  const std::vector<std::string> all_said(report.said.begin(), report.said.end());
  for (const auto& note : notes) {
    auto matching = rows.matching(note);
    const bool own = std::any_of(matching.begin(), matching.end(), [&](std::size_t row) {
      return is_our_own(note.text, report.rows[row].past_notes);
    });
    const bool of_a_row_left_out = matching.empty() && is_our_own(note.text, all_said);
    if (!own && !of_a_row_left_out) result.push_back({note, std::move(matching)});
  }
  return result;
}

/// The first of `rows` that no note was given to yet.
std::optional<std::size_t> free_one(const std::vector<std::size_t>& rows,
                                    const std::set<std::size_t>& given) {
  for (const std::size_t row : rows) {
    if (!given.count(row)) return row;
  }
  return std::nullopt;
}

/// Returns how many it gave.
std::size_t give_notes(Report& report, const Rows& rows, const std::vector<KeptNote>& notes,
                       const std::string& file) {
  std::set<std::size_t> given;
  std::map<std::vector<std::size_t>, std::size_t> wanted;
  const auto placed = notes_of_people(report, rows, notes);
  for (const auto& [note, matching] : placed) ++wanted[matching];
  for (const auto& [note, matching] : placed) {
    const auto row = free_one(matching, given);
    if (!row) {
      bad_input(
          "{}:{}: the note '{}' stands in a row that the table has no longer; move or delete it, "
          "then repeat the command",
          file, note.line, printable(note.text));
    }
    // In their order, where each of the rows that look alike has one.
    const bool in_order = rows.alike(matching) && wanted[matching] == matching.size();
    if (matching.size() > 1 && !in_order) {
      bad_input(
          "{}:{}: the note '{}' may belong to {} rows; add a column that tells them apart, or move "
          "it, then repeat the command",
          file, note.line, printable(note.text), matching.size());
    }
    given.insert(*row);
    report.rows[*row].notes = {note.markdown};
    report.rows[*row].notes_are_markdown = true;
  }
  return given.size();
}

/// A table whose header and rule are unlike is a paragraph to Markdown: its notes would be lost.
void refuse_broken_table(std::string_view document, const MarkedTable& place,
                         const std::string& file) {
  std::size_t number = place.line;
  for (const auto line : split(document.substr(place.begin, place.end - place.begin), '\n')) {
    ++number;
    if (!trim(line).starts_with('|')) continue;
    bad_input(
        "{}:{}: this is no table that Markdown knows: its header and its rule have not as many "
        "cells; mend it, then repeat the command",
        file, number);
  }
}

/// Markdown does not show what stands in cells that the header has not.
void refuse_long_rows(const MarkdownTable& table, const std::string& file) {
  const std::size_t columns = table.header.cells.size();
  for (const auto& row : table.rows) {
    for (std::size_t i = columns; i < row.cells.size(); ++i) {
      if (row.text(i).empty()) continue;
      bad_input(
          "{}:{}: a row of {} cells under a header of {}: write a pipe in a text as '\\|', then "
          "repeat the command",
          file, row.line, row.cells.size(), columns);
    }
  }
}

/// Those of `tables`, which are in the order of their document, that begin between the markers.
std::span<const MarkdownTable> tables_between(const std::vector<MarkdownTable>& tables,
                                              const MarkedTable& place) {
  const auto from = [&](std::size_t byte) {
    return std::lower_bound(tables.begin(), tables.end(), byte,
                            [](const MarkdownTable& table, auto at) { return table.begin < at; });
  };
  return {from(place.begin), std::max(from(place.begin), from(place.end))};
}

/// Refuses what stands between the markers and could not be kept. Returns the table there, or null.
const MarkdownTable* old_table(std::string_view document, const std::vector<MarkdownTable>& tables,
                               const MarkedTable& place, const std::string& file) {
  const auto old = tables_between(tables, place);
  if (old.empty()) {
    refuse_broken_table(document, place, file);
    return nullptr;
  }
  if (old.size() > 1) {
    bad_input(
        "{}:{}: a second table stands between the markers and would be lost; move it out, then "
        "repeat the command",
        file, old[1].header.line);
  }
  refuse_long_rows(old[0], file);
  return old.data();
}

}  // namespace

std::vector<MarkedTable> marked_tables(std::string_view document, const std::string& file) {
  std::vector<MarkedTable> tables;
  bool open = false;
  std::size_t number = 0;
  for (const auto& line : markdown_lines(document)) {
    ++number;
    if (line.kind == MarkdownLine::Kind::kCode) continue;
    const std::string_view text = document.substr(line.begin, line.end - line.begin);
    const bool marker = text.starts_with("<!--") && (text.find(kBegin) != std::string_view::npos ||
                                                     text.find(kEnd) != std::string_view::npos);
    if (!marker) continue;
    const auto comment = comment_in(text);
    if (!comment)
      bad_input("{}:{}: a marker is one line: '<!-- pippin:begin SWEEP -->'", file, number);
    refuse_odd_marker(*comment, trim(document.substr(line.from, line.begin - line.from)),
                      fmt::format("{}:{}", file, number));
    if (says(*comment, kBegin)) {
      if (open)
        bad_input(
            "{}:{}: the table that begins in line {} has no '<!-- pippin:end -->' before this",
            file, number, tables.back().line);
      const auto words = Words(comment->substr(kBegin.size())).all();
      if (!words) bad_input("{}:{}: a quote is not closed", file, number);
      const std::size_t next = document.find('\n', line.end);
      const std::size_t begin = next == std::string_view::npos ? document.size() : next + 1;
      tables.push_back({number, *words, begin, begin});
      open = true;
    } else if (says(*comment, kEnd)) {
      if (!open)
        bad_input("{}:{}: '<!-- pippin:end -->' without a '<!-- pippin:begin … -->'", file, number);
      tables.back().end = line.from;
      open = false;
    }
  }
  if (open) bad_input("{}:{}: this table has no '<!-- pippin:end -->'", file, tables.back().line);
  return tables;
}

std::vector<MarkdownTable> tables_by_hand(std::string_view document, const std::string& file) {
  const auto marked = marked_tables(document, file);
  auto tables = markdown_tables(document);
  auto place = marked.begin();
  std::erase_if(tables, [&](const MarkdownTable& table) {
    while (place != marked.end() && place->end <= table.begin) ++place;
    return place != marked.end() && table.begin >= place->begin;
  });
  return tables;
}

KeptLines keep_notes(Report& report, std::string_view document,
                     const std::vector<MarkdownTable>& tables, const MarkedTable& place,
                     const std::string& file) {
  const MarkdownTable* old = old_table(document, tables, place, file);
  KeptLines kept = kept_lines(document, place, old);
  if (!old) return kept;
  refuse_columns_of_people(document, place, *old, report, file);
  const auto columns = markdown_columns(report);
  const SharedColumns shared = shared_columns(*old, columns);
  const auto notes = notes_in(document, *old, shared);
  if (notes.empty() || give_notes(report, Rows(report, columns, shared), notes, file) == 0)
    return kept;
  const bool shown = std::any_of(columns.begin(), columns.end(),
                                 [](const auto& column) { return is_kind(column, "notes"); });
  if (!shown) report.columns.push_back(usual_columns({"notes"})[0]);
  return kept;
}

namespace {

void append(std::string& text, const std::vector<std::string>& lines) {
  for (const auto& line : lines) text += line + "\n";
  if (!lines.empty()) text += "\n";
}

/// The titles of a table in Markdown, and the list items below it.
std::vector<std::string> texts_to_know(const Report& report, std::string_view table) {
  std::vector<std::string> texts;
  for (const auto& column : markdown_columns(report)) texts.push_back(printable(column.title));
  for (const auto line : split(table, '\n'))
    if (line.starts_with("- ")) texts.emplace_back(line);
  return texts;
}

std::string with_returns(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n') result += '\r';
    result += c;
  }
  return result;
}

}  // namespace

std::string marked_text(const Report& report, std::string_view document, const KeptLines& kept) {
  std::ostringstream table;
  write_markdown(report, table);
  std::string text = "\n";
  append(text, kept.before);
  text += table.str() + "\n";
  append(text, kept.after);
  text += wrote_comment(texts_to_know(report, table.str())) + "\n\n";
  const std::size_t end = document.find('\n');
  const bool crlf = end != std::string_view::npos && end > 0 && document[end - 1] == '\r';
  return crlf ? with_returns(text) : text;
}

}  // namespace pippin
