// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/records/value.h"

namespace pippin {

/// A value while an expression is worked out.
struct Operand {
  enum class Kind {
    kNumber,
    kTruth,   ///< the texts true and false of YAML; beside numbers 1 and 0
    kText,    ///< knows == and != only
    kSpoiled  ///< has no value
  };
  Kind kind = Kind::kNumber;
  double number = 0;        ///< of a number; 1 or 0 of a truth
  std::string_view text{};  ///< of a text; lives elsewhere
  const char* why = "";     ///< of one without a value: "it divides by zero"
};

/// `value` must outlive it where it is a text.
Operand operand_of(const Value& value);
/// As YAML writes them: true, True, TRUE, false, …
bool is_truth(std::string_view text);
/// Requires one that has a value.
Value value_of(const Operand& operand);

/// For calculations: a text has no value there.
Operand number_of(const Operand& operand);

using Binary = Operand (*)(const Operand&, const Operand&);
using Unary = Operand (*)(const Operand&);

/// An operator between two values. Of two that stand side by side the tighter goes first.
struct BinaryOperator {
  std::string_view name;
  Binary apply;
  int precedence;
};
/// C's. Nothing where no operator between two values has that name.
const BinaryOperator* find_binary(std::string_view name);
/// Of `-`, `+` and `!` before a value, which bind tighter than all between two.
Unary find_prefix(std::string_view name);

}  // namespace pippin
