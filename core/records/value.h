// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pippin {

/// One value of an axis: the text that reaches a command line, and the number it stands for where
/// it stands for one ("5e8" stays "5e8" on the command line and is 500000000 in an expression).
struct Value {
  std::string text;
  std::optional<double> number;

  /// Equal numbers are the same value however they were written.
  friend bool operator==(const Value& a, const Value& b) {
    return a.number && b.number ? *a.number == *b.number
                                : !a.number && !b.number && a.text == b.text;
  }
};

/// A number where the whole text reads as one, else a string.
Value value_of(std::string text);
Value value_of(double number);

/// Named values in a fixed order: the axes of a sweep, the arguments of a log.
using NamedValues = std::vector<std::pair<std::string, Value>>;

/// Variables of a run's environment; the values may be templates.
using Environment = std::vector<std::pair<std::string, std::string>>;

/// Nothing where no entry has that name.
const Value* find_value(const NamedValues& values, const std::string& name);

}  // namespace pippin
