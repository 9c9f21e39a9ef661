// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace pippin {

/// `text` in ASCII, for terminals that have no more: "±" is "+-", "×" is "x"; "…" and what has no
/// near sign keep their width.
std::string ascii_of(std::string_view text);

}  // namespace pippin
