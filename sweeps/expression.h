// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/records/value.h"

namespace pippin {

/// A compiled expression over the variables of a point: numbers, texts in quotes, names,
/// `+ - * / % == != < <= > >= && || !` and parentheses, with C's precedence.
/// Shape: comparisons give 1 or 0. Texts know == and != only; a text never equals a number, but for
/// `true` and `false`, which are the texts YAML has (also `True`, `TRUE`) and count as 1 and 0
/// beside numbers. A part that has no value (it divides by zero, calculates with text) spoils the
/// result only where the result depends on it: `zero > 0 && mbs % zero == 0` is 0 at zero = 0. Not
/// thread-safe.
class Expression {
 public:
  /// Errors: Error (bad input) where `text` is no expression (a lone `=` is none), or one of more
  /// than 2000 characters.
  /// The message is one line without the place: "in 'pp = 8': …".
  explicit Expression(std::string_view text);
  ~Expression();
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;

  const std::string& text() const;
  /// The variables, each once, in the order of their first use.
  const std::vector<std::string>& names() const;

  /// The value at `variables`, which stand in the order of names(). Requires as many, none null.
  /// Errors: Error (bad input) where there is none, saying why.
  Value evaluate(const std::vector<const Value*>& variables);
  /// Whether the value is true: a number but 0, or the text "true".
  /// Errors: also where it is another text than "true" or "false".
  bool holds(const std::vector<const Value*>& variables);

  struct Compiled;  ///< its own

 private:
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace pippin
