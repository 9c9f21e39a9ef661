#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace pippin {

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
