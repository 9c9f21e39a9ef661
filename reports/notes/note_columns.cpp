// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/note_columns.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>

#include "core/base/text.h"
#include "reports/column_names.h"
#include "reports/notes/outcome_words.h"
#include "reports/notes/quantities.h"
#include "reports/notes/times.h"
#include "reports/notes/written.h"

namespace pippin {

namespace {

bool is_usual(std::string_view title, const ColumnName& column) {
  const std::string text = lower(plain_text(title));
  return text == column.name || text == lower(column.title);
}

/// What a person's column is: their remarks are notes, and their days say when something ran.
std::string name_in_notes(const ColumnName& column) {
  if (column.name == "remarks") return "notes";
  return column.name == "day" ? "started" : column.name;
}

bool is_gpus_per_node(std::string_view title) {
  const std::string text = lower(plain_text(title));
  return text == "gpus/node" || text == "gpus per node" || text == "gpus_per_node";
}

constexpr std::array<std::string_view, 8> kTimeWords{"time",    "times",    "duration",  "latency",
                                                     "elapsed", "walltime", "wallclock", "runtime"};

/// What a time may be of other than a step. A column "load" or "warm-up" may count something else:
/// a unit tells.
constexpr std::array<std::string_view, 28> kOtherParts{
    "init",          "initialization", "initialisation",
    "startup",       "setup",          "compile",
    "compiling",     "compilation",    "load",
    "loading",       "warmup",         "forward",
    "fwd",           "backward",       "bwd",
    "optimizer",     "optim",          "comm",
    "communication", "save",           "saving",
    "checkpoint",    "evaluation",     "eval",
    "validation",    "epoch",          "total",
    "first"};

/// Its words in lower case, "warm-up" as one.
std::vector<std::string> words_of(std::string_view title) {
  std::vector<std::string> words{""};
  for (const char c : lower(title)) {
    if (c == '-') continue;
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.size() > 1 && words.back().empty()) words.pop_back();
  return words;
}

template <typename Words>
bool has_word(const std::vector<std::string>& words, const Words& wanted) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(wanted.begin(), wanted.end(), word) != wanted.end();
  });
}

/// Whether a column has times with their units, and nothing else.
bool has_only_times(const MarkdownTable& table, std::size_t place) {
  bool any = false;
  for (const auto& row : table.rows) {
    const std::string_view text = row.text(place);
    if (plain_text(text).empty() || outcome_in(text)) continue;
    if (number_in(text) || !time_in(text, "")) return false;
    any = true;
  }
  return any;
}

/// Whether a title that is no known column's is that of times.
bool is_other_time(const MarkdownTable& table, std::size_t place) {
  const std::string_view title = table.header.text(place);
  const auto words = words_of(title);
  if (has_word(words, kTimeWords)) return true;
  if (!has_word(words, kOtherParts)) return false;
  const auto inside = bracketed(title);
  return is_time_unit(inside ? *inside : words.back()) || has_only_times(table, place);
}

}  // namespace

NoteColumns::NoteColumns(const MarkdownTable& table, const std::string& step_time) : table_(table) {
  std::map<std::string, std::vector<std::size_t>> usual;
  for (std::size_t i = 0; i < table.header.cells.size(); ++i) {
    const ColumnName* column = find_column_name(table.header.text(i));
    sort_out(i);
    if (is_gpus_per_node(table.header.text(i))) places_["gpus_per_node"].push_back(i);
    if (!column) continue;
    const std::string name = name_in_notes(*column);
    names_[i] = name;
    places_[name].push_back(i);
    if (name == column->name && is_usual(table.header.text(i), *column)) usual[name].push_back(i);
  }
  for (const auto& [name, places] : usual) places_[name] = places;
  if (!step_time.empty()) choose_step_time(step_time);
}

/// Columns beyond column_names().
void NoteColumns::sort_out(std::size_t place) {
  const std::string_view title = table_.header.text(place);
  const auto unit = rate_unit_of_title(title);
  if (unit || is_bare_throughput(title)) {
    rates_.push_back({place, unit});
  } else if (!find_column_name(title) && is_other_time(table_, place)) {
    other_times_.push_back(place);
  }
}

void NoteColumns::choose_step_time(const std::string& title) {
  const auto wanted = lower(plain_text(title));
  for (std::size_t i = 0; i < table_.header.cells.size(); ++i) {
    if (lower(plain_text(table_.header.text(i))) == wanted) places_[names_[i] = "step_time"] = {i};
  }
}

std::optional<std::size_t> NoteColumns::find(std::string_view name) const {
  const auto found = places_.find(name);
  if (found == places_.end() || found->second.size() > 1) return std::nullopt;
  return found->second.front();
}

std::string_view NoteColumns::name_of(std::size_t place) const {
  const auto found = names_.find(place);
  return found == names_.end() ? std::string_view() : found->second;
}

std::string NoteColumns::doubt(std::string_view name) const {
  const auto found = places_.find(name);
  if (found == places_.end() || found->second.size() == 1) return "";
  return fmt::format("two columns may be {}: '{}' and '{}'", name,
                     printable(table_.header.text(found->second[0])),
                     printable(table_.header.text(found->second[1])));
}

std::string_view NoteColumns::text(const MarkdownRow& row, std::string_view name) const {
  const auto place = find(name);
  return place ? row.text(*place) : std::string_view();
}

std::string_view NoteColumns::title(std::string_view name) const {
  return text(table_.header, name);
}

}  // namespace pippin
