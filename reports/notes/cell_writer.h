// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "reports/notes/markdown.h"

namespace pippin {

/// Puts other texts into cells of one column so that the table keeps its looks.
class CellWriter {
 public:
  /// Both must outlive this.
  CellWriter(std::string_view document, const MarkdownTable& table, std::size_t column);

  /// The edit that gives a row's cell another text.
  /// Shape: the cell keeps its width, or gets that of all others in the column where they agree;
  /// the blanks go to the side where it had more of them. A cell without a pipe on both sides, or
  /// with tabs, keeps its blanks. Requires that the row has the cell.
  TextEdit write(const MarkdownRow& row, const std::string& text) const;

 private:
  std::size_t wanted_width(std::size_t own) const;
  bool to_the_right(const MarkdownRow& row, std::size_t lead, std::size_t trail) const;

  std::string_view document_;
  const MarkdownTable& table_;
  std::size_t column_;
  std::map<std::size_t, std::size_t> widths_;  // from pipe to pipe, and how many cells have it
};

}  // namespace pippin
