// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/retable.h"

#include <fmt/format.h>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "reports/notes/cell_writer.h"
#include "reports/notes/fitting_options.h"
#include "reports/notes/marked_tables.h"
#include "reports/notes/note_columns.h"
#include "reports/notes/row_values.h"
#include "reports/notes/tflops_cells.h"

namespace pippin {

namespace {

/// A computable row.
struct Claim {
  const MarkdownRow* row;
  StatedTflops stated;
  double tflops = 0;  ///< as they should be
};

/// A table that has every column it takes, and its computable rows.
struct ClaimedTable {
  const MarkdownTable* table;
  std::size_t column = 0;  ///< of the TFLOPS
  std::vector<Claim> claims;
};

/// Why a table of TFLOPS cannot be read; empty where it can.
std::string doubt_of(const NoteColumns& columns) {
  if (!columns.has("tflops") && columns.doubt("tflops").empty()) return "";
  for (const std::string name : {"size", "gbs", "step_time", "gpus", "tflops", "seq"}) {
    const std::string doubt = columns.doubt(name);
    if (!doubt.empty()) return doubt + "; rename one, the table is left as it is";
  }
  return "";
}

/// What a table's TFLOPS follow from and nothing says; empty where all is said.
std::string unsaid_in(const TableFacts& facts, const MarkdownTable& table) {
  const auto unsaid = unsaid_of_tflops(facts);
  if (unsaid.empty()) return "";
  std::string text = fmt::format(
      "{}, column '{}': nothing says {}; the table is left as it is; say it, such as {}",
      facts.name(), printable(facts.columns().title("tflops")), join(unsaid, " and "),
      as_options(unsaid));
  const std::string fitting = fitting_options(facts, table);
  if (!fitting.empty()) text += fmt::format("; its figures fit {}", fitting);
  return text;
}

std::vector<Claim> claims_of(const MarkdownTable& table, const TableFacts& facts) {
  std::vector<Claim> claims;
  const FlopsLaw law = said_law(facts.settings()).value();
  for (const auto& row : table.rows) {
    const auto stated = stated_tflops(facts.columns().text(row, "tflops"));
    const auto values = row_values(facts, row);
    if (!stated || !values) continue;
    const auto tflops = tflops_of(*values, law);
    if (tflops) claims.push_back({&row, *stated, *tflops});
  }
  return claims;
}

void count_styles(const ClaimedTable& table, Styles& right, Styles& any) {
  for (const auto& claim : table.claims) {
    if (!claim.stated.style) continue;
    ++any[*claim.stated.style];
    if (claim.stated.is_right(claim.tflops)) ++right[*claim.stated.style];
  }
}

/// The cell's text with another number in it: emphasis stays.
std::string replaced(const std::string& text, std::string_view digits, const std::string& number) {
  const auto at = static_cast<std::size_t>(digits.data() - text.data());
  return std::string(text).replace(at, digits.size(), number);
}

void change_cells(std::string_view document, const ClaimedTable& table, Surroundings around,
                  std::vector<CellChange>& changes) {
  count_styles(table, around.right, around.any);
  std::optional<CellWriter> writer;
  for (const auto& claim : table.claims) {
    const auto style = style_for(claim.stated, claim.tflops, around);
    const bool wrong_comma = claim.stated.style && claim.stated.style->comma && !style.comma;
    if (claim.stated.is_right(claim.tflops) && !wrong_comma) continue;
    const std::string& text = claim.row->cells[table.column].text;
    const std::string number = number_text(claim.tflops, style);
    if (!writer) writer.emplace(document, *table.table, table.column);
    changes.push_back({claim.row->line, std::string(claim.stated.digits), number,
                       writer->write(*claim.row, replaced(text, claim.stated.digits, number))});
  }
}

/// Takes in what one table says; its claims where it can be computed.
void add_table(const MarkdownTable& table, const NoteSettings& settings, Retabled& result,
               std::vector<ClaimedTable>& claimed) {
  const TableFacts facts(table, settings);
  const NoteColumns& columns = facts.columns();
  for (const auto& row : table.rows) {
    std::string what = contradiction_in(columns, row);
    if (!what.empty()) result.contradictions.push_back({row.line, std::move(what)});
  }
  std::string doubt = doubt_of(columns);
  const auto column = columns.find("tflops");
  if (doubt.empty() && (!column || !has_values(facts))) return;
  if (doubt.empty()) doubt = unsaid_in(facts, table);
  if (!doubt.empty()) {
    result.doubts.push_back({table.header.line, std::move(doubt), true});
    return;
  }
  claimed.push_back({&table, *column, claims_of(table, facts)});
  result.computable += claimed.back().claims.size();
}

}  // namespace

Retabled retable(std::string_view document, const NoteSettings& settings) {
  Retabled result;
  const auto tables = tables_by_hand(document, "notes");
  std::vector<ClaimedTable> claimed;
  for (const auto& table : tables) add_table(table, settings, result, claimed);
  Surroundings around;
  for (const auto& table : claimed) count_styles(table, around.document_right, around.document_any);
  result.tables = claimed.size();
  for (const auto& table : claimed) change_cells(document, table, around, result.changes);
  return result;
}

}  // namespace pippin
