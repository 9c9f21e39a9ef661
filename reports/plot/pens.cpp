// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/pens.h"

#include <array>
#include <fmt/format.h>

namespace pippin {

namespace {

struct Pen {
  const char *mark, *ascii;
  const char* colour;  // ANSI: one of xterm's 256, or faint
};

constexpr std::array<Pen, kPens + 2> kAll{{{"●", "a", "38;5;32"},
                                           {"■", "b", "38;5;172"},
                                           {"▲", "c", "38;5;36"},
                                           {"◆", "d", "38;5;175"},
                                           {"○", "e", "38;5;166"},
                                           {"□", "f", "38;5;74"},
                                           {"△", "g", "38;5;142"},
                                           {"◇", "h", "38;5;97"},
                                           {"·", "+", "38;5;245"},
                                           {"┊", ":", "2"}}};

}  // namespace

const char* mark_of(std::size_t pen, bool ascii) {
  return ascii ? kAll.at(pen).ascii : kAll.at(pen).mark;
}

std::string coloured(std::string_view text, std::size_t pen, bool colours) {
  return colours ? fmt::format("\033[{}m{}\033[0m", kAll.at(pen).colour, text) : std::string(text);
}

}  // namespace pippin
