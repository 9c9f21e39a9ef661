// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pippin {

/// A stretch of a template: text to copy, or a name whose value stands there.
struct Piece {
  bool is_name = false;
  std::string text;
  friend bool operator==(const Piece&, const Piece&) = default;
};

/// Splits a template such as `train --tp {tp} --out ${HOME}/{name}` into its pieces, in order.
/// Shape: `{name}` is a name where it looks like an identifier and no `$` stands before it
/// (`${HOME}` is bash's); `{{name}}` is the literal text `{name}`; every other brace is itself, so
/// that `awk '{ print $1 }'` and JSON pass unchanged. Neighbouring literal text is one piece.
std::vector<Piece> placeholders(std::string_view text);

/// [A-Za-z_][A-Za-z0-9_]*
bool is_identifier(std::string_view text);

}  // namespace pippin
