// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "core/base/text.h"
#include "reports/display_text.h"
#include "reports/plot/sparkline.h"
#include "reports/show/sheet.h"

namespace pippin {

namespace {

constexpr std::size_t kIndent = 2;

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t own = display_width(text);
  return text + std::string(width > own ? width - own : 0, ' ');
}

void write_title(const std::string& title, const SheetTable& look, std::ostream& out) {
  out << '\n' << (look.colours ? "\033[1m" + title + "\033[0m" : title) << '\n';
}

/// A line each, or more where its text is long.
void write_facts(const std::vector<SheetFact>& facts, const SheetTable& look, std::ostream& out) {
  std::size_t widest = 0;
  for (const auto& fact : facts)
    if (!fact.title.empty()) widest = std::max(widest, display_width(fact.title));
  for (const auto& fact : facts) {
    if (fact.title.empty()) continue;
    const std::string line =
        std::string(kIndent, ' ') + padded(fact.title, widest) + std::string(kIndent, ' ');
    out << wrapped(line + fact.text, look.width, display_width(line)) << '\n';
  }
}

void write_values(const SheetPart& part, const SheetTable& look, std::ostream& out) {
  constexpr std::size_t kWidest = 80;
  if (part.values.empty()) return;
  const std::size_t room = look.width > kIndent ? look.width - kIndent : kWidest;
  out << std::string(kIndent, ' ') << sparkline(part.values, std::min(room, kWidest), look.ascii)
      << '\n'
      << wrapped(std::string(kIndent, ' ') + part.values_are, look.width, kIndent) << '\n';
}

bool has_titles(const FlatTable& table) {
  return std::any_of(table.columns.begin(), table.columns.end(),
                     [](const FlatColumn& column) { return !column.shown.title.empty(); });
}

void write_part(const SheetPart& part, const SheetTable& look, std::ostream& out) {
  write_title(part.title, look, out);
  write_facts(part.facts, look, out);
  write_values(part, look, out);
  if (part.table && has_titles(*part.table)) {
    FlatTable table = *part.table;
    table.width = look.width;
    table.colours = look.colours;
    flat_format_named("terminal").write(table, out);
  }
  for (const auto line : split(part.code, '\n'))
    if (!trim(line).empty()) out << std::string(kIndent, ' ') << printable(line) << '\n';
  for (const auto& remark : part.remarks)
    out << wrapped(std::string(kIndent, ' ') + remark, look.width, kIndent) << '\n';
}

}  // namespace

void write_sheet_terminal(const SheetTable& look, std::ostream& out) {
  const Sheet& sheet = look.sheet;
  const std::string title = sheet.kind + " " + sheet.name;
  out << (look.colours ? "\033[1m" + title + "\033[0m" : title) << '\n';
  for (const auto& sentence : sheet.said) out << wrapped(sentence, look.width) << '\n';
  for (const auto& part : sheet.parts) {
    const bool is_for_people =
        (part.table && has_titles(*part.table)) || !part.values.empty() || !part.remarks.empty() ||
        !part.code.empty() ||
        std::any_of(part.facts.begin(), part.facts.end(),
                    [](const SheetFact& fact) { return !fact.title.empty(); });
    if (is_for_people) write_part(part, look, out);
  }
}

}  // namespace pippin
