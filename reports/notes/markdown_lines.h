// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace pippin {

/// A line of a Markdown document and what it is there.
struct MarkdownLine {
  enum class Kind {
    kBlank,
    kText,      ///< a paragraph's, or a table's
    kListItem,  ///< the first of one; its content is without the marker
    kHeading,
    kUnderline,  ///< "====": makes a heading of the line before it
    kRule,       ///< "----" after a blank line
    kCode,       ///< fenced or indented
    kComment,    ///< of HTML
  };
  Kind kind = Kind::kBlank;
  std::size_t from = 0;            ///< first byte of the line
  std::size_t begin = 0, end = 0;  ///< content: without quote marks, list marker, blanks around it
  std::size_t level = 0;           ///< of a heading, 1 to 6
  std::size_t quotes = 0, indent = 0;  ///< what the line lies in: quote marks, a list item's column
};

/// The lines of a document, in its order; a line ends in \n or \r\n, the last one may not.
/// Source: CommonMark 0.30, of which this keeps what decides whether a line may be a table's.
std::vector<MarkdownLine> markdown_lines(std::string_view document);

}  // namespace pippin
