// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pippin {

/// The character that begins a text.
struct Character {
  std::string_view bytes;  ///< a byte that is no UTF-8 is one of its own
  std::size_t width = 1;   ///< columns on a terminal: 0, 1 or 2
  bool valid = true;
  std::uint32_t code = 0;  ///< Unicode's number; of a byte that is no UTF-8 its own
  /// It shows nothing and steers what others do: C0, C1, the directions of text, zero widths, the
  /// ends of lines and paragraphs. Source: Unicode's categories Cc, Cf, Zl and Zp.
  bool steers = false;
};

/// Requires a text that is not empty.
Character first_character(std::string_view text);

}  // namespace pippin
