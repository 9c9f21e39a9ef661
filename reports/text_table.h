// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "reports/cells.h"

namespace pippin {

/// How a cell is to strike the eye, where colours are shown.
enum class Tone { kNormal, kBad };

struct TextColumn {
  enum class Align { kLeft, kRight };
  std::string title;
  Align align = Align::kRight;
  int importance = 0;          ///< where room is short, the least important column goes first
  bool must_stay = false;      ///< however little room there is
  bool may_move = false;       ///< to the caption, where all its cells are equal
  bool may_shorten = false;    ///< its cells, where room is short; unlike ones stay so if they can
  bool is_strip = false;       ///< its cells are drawings that want a legend
  bool is_ranking = false;     ///< its cells need one too
  bool keep = false;           ///< also where no cell is known
  bool is_of_point = false;    ///< says what the rows' points are
  bool repeats_point = false;  ///< says it once more, as a name
  bool is_markdown = false;    ///< its cells are, and no plain text
  Cells cells;                 ///< one per row; empty: unknown
  std::vector<Tone> tones;     ///< one per row, or none
};

/// A table for a terminal; plain text but for `colours`, which are ANSI escapes.
/// Shape: a caption of what all rows share (and what a leading "…" stands for), titles, a rule,
/// rows. Columns without any known cell are left out; an unknown cell is "-". Returns the titles of
/// what was left out for lack of room.
std::vector<std::string> write_table(std::vector<TextColumn> columns, std::size_t width,
                                     std::ostream& out, bool colours = false);

}  // namespace pippin
