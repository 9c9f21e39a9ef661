// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pippin {

/// A cell, and where it stands in its document.
struct MarkdownCell {
  std::string text;                ///< without the blanks around it, "\|" as "|"
  std::size_t begin = 0, end = 0;  ///< bytes of that text in the document
  std::size_t from = 0, to = 0;    ///< with the blanks around it: from pipe to pipe
};

struct MarkdownRow {
  std::size_t line = 0;             ///< 1-based, in the document
  std::size_t begin = 0, end = 0;   ///< its bytes, without indentation and line end
  std::vector<MarkdownCell> cells;  ///< as many as were written: fewer or more than the header has

  /// The text of a cell; empty where the row is too short.
  std::string_view text(std::size_t column) const;
};

/// A pipe table with what stands above it.
struct MarkdownTable {
  enum class Align { kNone, kLeft, kCenter, kRight };
  MarkdownRow header, rule;   ///< the rule is the line of dashes; as many cells in both
  std::vector<Align> aligns;  ///< one per cell of the header
  std::vector<MarkdownRow> rows;
  std::size_t begin = 0, end = 0;  ///< whole lines, but for the end of the last

  std::vector<std::string> headings;  ///< that it stands under, the outermost first; "" is skipped
  std::vector<std::string> captions;  ///< lines all in bold since the last heading: one, or one
                                      ///< under the other
  std::vector<std::string> above;     ///< lines since the last of those, table, rule or code block;
                                      ///< list items with "- " before them
};

/// The tables of a document, in its order.
/// Shape: GitHub's: a header, a rule of as many cells, rows until a blank line or another block;
/// with or without pipes at the ends of a line; not in code blocks and HTML comments; also in lists
/// and quotes. A pipe in a code span separates, but where a row has too many cells because of it.
/// Other than GitHub, a line without any pipe is no row.
/// Source: GitHub Flavored Markdown 0.29, "Tables".
std::vector<MarkdownTable> markdown_tables(std::string_view document);

/// A change of some bytes of a document.
struct TextEdit {
  std::size_t begin = 0, end = 0;
  std::string text;
};

/// The document with all edits made. Requires edits in its order that don't overlap.
std::string edited(std::string_view document, const std::vector<TextEdit>& edits);

}  // namespace pippin
