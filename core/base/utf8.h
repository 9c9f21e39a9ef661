#pragma once

#include <cstddef>
#include <string_view>

namespace pippin {

/// The character that begins a text.
struct Character {
  std::string_view bytes;  ///< a byte that is no UTF-8 is one of its own
  std::size_t width = 1;   ///< columns on a terminal: 0, 1 or 2
  bool valid = true;
};

/// Requires a text that is not empty.
Character first_character(std::string_view text);

}  // namespace pippin
