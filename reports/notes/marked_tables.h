// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/format.h"
#include "reports/notes/markdown.h"

namespace pippin {

/// A table that a document asks for: what stands between `<!-- pippin:begin WORDS -->` and
/// `<!-- pippin:end -->`, each on a line of its own.
struct MarkedTable {
  std::size_t line = 0;            ///< of the first marker
  std::vector<std::string> words;  ///< as a shell splits them, with quotes and backslashes
  std::size_t begin = 0, end = 0;  ///< bytes of the lines between the markers
};

/// In the order of the document; not in code blocks. Errors: Error (bad input) `FILE:LINE: …` for a
/// marker without its partner, one that is no comment of a single line, or one in a quote or list.
std::vector<MarkedTable> marked_tables(std::string_view document, const std::string& file);

/// The tables of a document that people keep: those that pippin writes between markers are not.
/// Errors: as marked_tables().
std::vector<MarkdownTable> tables_by_hand(std::string_view document, const std::string& file);

/// Lines of a person between the markers of a table, as they stand; blank ones part paragraphs.
struct KeptLines {
  std::vector<std::string> before, after;  ///< the table
};

/// Gives the rows the notes that people wrote into the table that stood there before.
/// Shape: a row is found again by what both tables say of its configuration, and by its time where
/// that is not enough. A note that pippin itself wrote there is none. Where a report has no column
/// of notes and some are kept, it gets one. Errors: Error (bad input) `FILE:LINE: …` where a note's
/// row is in the table no longer, or is not the only one; where a second table, a broken one or a
/// row too long for its header, or a column of a person's own stands there: nothing that people
/// wrote into it gets lost.
/// `tables`: markdown_tables() of the document. Returns what people wrote above and below the
/// table.
KeptLines keep_notes(Report& report, std::string_view document,
                     const std::vector<MarkdownTable>& tables, const MarkedTable& place,
                     const std::string& file);

/// The lines between the markers anew, with the line ends of the document.
std::string marked_text(const Report& report, std::string_view document, const KeptLines& kept);

}  // namespace pippin
