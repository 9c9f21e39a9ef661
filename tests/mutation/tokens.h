// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace pippin::mutation {

struct Token {
  enum class Kind { kName, kNumber, kString, kRawString, kCharacter, kMark };
  Kind kind;
  std::size_t begin, end;
  std::string_view text;
  bool blank_before = false;  ///< white space or a comment stands before it

  bool is(std::string_view other) const { return text == other; }
};

/// The tokens of a C++ source, without comments and preprocessor lines. `<`, `>` and `>>` that
/// belong to a template are tokens like others: clang-format puts no blank before them.
std::vector<Token> tokens_of(std::string_view source);

}  // namespace pippin::mutation
