// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/kept_lines.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "reports/column_names.h"

namespace pippin {

namespace {

constexpr std::string_view kWrote = "<!-- pippin:wrote", kClose = "-->";

std::string short_hash(std::string_view text) {
  constexpr std::size_t kDigits = 5;
  return hash_of(trim(text)).substr(0, kDigits);
}

std::vector<std::string_view> lines_between(std::string_view document, const MarkedTable& place) {
  std::vector<std::string_view> lines;
  for (std::string_view line : split(document.substr(place.begin, place.end - place.begin), '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
  }
  return lines;
}

using Hashes = std::set<std::string, std::less<>>;

/// What pippin has written there by its own account; nothing where it gives none.
std::optional<Hashes> written(std::string_view document, const MarkedTable& place) {
  for (std::string_view line : lines_between(document, place)) {
    if (!line.starts_with(kWrote) || !line.ends_with(kClose)) continue;
    line = line.substr(kWrote.size(), line.size() - kWrote.size() - kClose.size());
    Hashes hashes;
    for (const auto word : split(trim(line), ' ')) hashes.emplace(word);
    return hashes;
  }
  return std::nullopt;
}

bool is_item(std::string_view line) { return line.starts_with("- "); }

/// Takes lines one by one and leaves what is a person's.
class Sieve {
 public:
  explicit Sieve(std::optional<Hashes> own) : own_(std::move(own)) {}

  void take(std::string_view line, bool of_table) {
    if (of_table) {
      below_ = true;
    } else if (!is_own(line)) {
      (below_ ? kept_.after : kept_.before).emplace_back(line);
    }
    // The first list below the table ends with it.
    listed_ = listed_ || (below_ && is_item(line));
    list_over_ = list_over_ || (listed_ && !is_item(line));
  }

  KeptLines kept() && {
    for (auto* lines : {&kept_.before, &kept_.after}) strip(*lines);
    return std::move(kept_);
  }

 private:
  bool is_own(std::string_view line) const {
    if (line.starts_with(kWrote)) return true;
    if (!below_ || !is_item(line)) return false;
    return own_ ? own_->count(short_hash(line)) > 0 : !list_over_;
  }

  /// Blank lines at the ends, and all but one between.
  static void strip(std::vector<std::string>& lines) {
    const auto blank = [](const std::string& line) { return trim(line).empty(); };
    lines.erase(std::unique(lines.begin(), lines.end(),
                            [&](const auto& a, const auto& b) { return blank(a) && blank(b); }),
                lines.end());
    while (!lines.empty() && blank(lines.back())) lines.pop_back();
    if (!lines.empty() && blank(lines.front())) lines.erase(lines.begin());
  }

  std::optional<Hashes> own_;
  KeptLines kept_;
  bool below_ = false, listed_ = false, list_over_ = false;
};

}  // namespace

KeptLines kept_lines(std::string_view document, const MarkedTable& place,
                     const MarkdownTable* table) {
  Sieve sieve(written(document, place));
  for (const auto line : lines_between(document, place)) {
    const auto at = static_cast<std::size_t>(line.data() - document.data());
    sieve.take(line, table && at >= table->begin && at < table->end);
  }
  return std::move(sieve).kept();
}

void refuse_columns_of_people(std::string_view document, const MarkedTable& place,
                              const MarkdownTable& old, const Report& report,
                              const std::string& file) {
  Hashes titles;
  for (const auto& column : markdown_columns(report)) titles.insert(printable(column.title));
  const auto own = written(document, place);
  for (std::size_t i = 0; i < old.header.cells.size(); ++i) {
    const std::string& title = old.header.cells[i].text;
    const ColumnName* known = find_column_name(title);
    const bool is_known = titles.count(title) > 0 || (known && (!own || known->name == "notes"));
    if (is_known || (own && own->count(short_hash(title)))) continue;
    const bool empty = std::all_of(old.rows.begin(), old.rows.end(),
                                   [&](const auto& row) { return row.text(i).empty(); });
    if (empty) continue;
    bad_input(
        "{}:{}: the column '{}' is not pippin's and would be lost; move it out of the markers, or "
        "write it as notes, then repeat the command",
        file, old.header.line, printable(title));
  }
}

std::string wrote_comment(const std::vector<std::string>& texts) {
  std::string hashes;
  for (const auto& text : texts) hashes += " " + short_hash(text);
  return fmt::format("{}{} {}", kWrote, hashes, kClose);
}

}  // namespace pippin
