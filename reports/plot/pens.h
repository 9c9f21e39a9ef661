// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pippin {

/// How series are told apart: the first have a mark and a colour each, all others share one.
inline constexpr std::size_t kPens = 8;
inline constexpr std::size_t kOtherPen = kPens;
/// Of what stands behind all of them, faintly.
inline constexpr std::size_t kRulePen = kPens + 1;

/// The pen of the series of that number.
constexpr std::size_t pen_of(std::size_t series) { return series < kPens ? series : kOtherPen; }

/// "●", "■", …; "a", "b", … in ASCII; "·" and "+" of the others.
const char* mark_of(std::size_t pen, bool ascii);

/// A text in the colour of a pen, for a terminal of 256 colours; as it is without `colours`.
/// Source of the colours: M. Okabe and K. Ito, "Color Universal Design", 2008; the nearest that
/// can be read on black and on white.
std::string coloured(std::string_view text, std::size_t pen, bool colours);

}  // namespace pippin
