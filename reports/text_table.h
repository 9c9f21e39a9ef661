#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace pippin {

/// Columns that `text` takes on a terminal. Source: Unicode UAX #11 (wide), general category Mn.
std::size_t display_width(std::string_view text);

/// `text` in at most `width` columns, its middle replaced by "…" where it is longer: names of
/// points differ at their ends.
std::string shortened(std::string_view text, std::size_t width);

/// `text` broken at blanks into lines of at most `width` columns (0: no limit), the second and
/// later ones indented. A longer word stays whole.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

struct TextColumn {
  enum class Align { kLeft, kRight };
  std::string title;
  Align align = Align::kRight;
  int importance = 0;        ///< where room is short, the least important column goes first
  bool must_stay = false;    ///< however little room there is
  bool may_move = false;     ///< to the caption, where all its cells are equal
  bool may_shorten = false;  ///< its cells, where room is short; unlike ones stay so if they can
  std::vector<std::string> cells;  ///< one per row; empty: unknown
};

/// A table for a terminal, plain text.
/// Shape: a caption of what all rows share (and what a leading "…" stands for), titles, a rule,
/// rows. Columns without any known cell are left out; an unknown cell is "-". Returns the titles of
/// what was left out for lack of room.
std::vector<std::string> write_table(std::vector<TextColumn> columns, std::size_t width,
                                     std::ostream& out);

}  // namespace pippin
