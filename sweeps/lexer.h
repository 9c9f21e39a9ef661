// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pippin {

/// One word of an expression.
struct Token {
  enum class Kind { kNumber, kText, kName, kOperator };
  Kind kind = Kind::kOperator;
  std::string text;   ///< of kText without its quotes
  double number = 0;  ///< of kNumber
};

/// Splits an expression into words. Operators come out as `+ - * / % == != < <= > >= && || ! ( )`.
/// Errors: Error (bad input), one line without the place, for every other character, a text
/// without its closing quote, and a lone `=`, `&` or `|`.
std::vector<Token> tokens_of(std::string_view expression);

}  // namespace pippin
