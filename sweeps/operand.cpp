// SPDX-License-Identifier: Apache-2.0
#include "sweeps/operand.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace pippin {

namespace {

using Kind = Operand::Kind;

constexpr std::array<std::string_view, 3> kTrue{"true", "True", "TRUE"};
constexpr std::array<std::string_view, 3> kFalse{"false", "False", "FALSE"};

template <typename Words>
bool contains(const Words& words, std::string_view text) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

Operand number(double value) { return {Kind::kNumber, value}; }
Operand spoiled(const char* why) { return {Kind::kSpoiled, 0, {}, why}; }
bool is_spoiled(const Operand& operand) { return operand.kind == Kind::kSpoiled; }

template <typename Operation>
Operand calculate(const Operand& left, const Operand& right, Operation operation) {
  const Operand a = number_of(left), b = number_of(right);
  if (is_spoiled(a)) return a;
  if (is_spoiled(b)) return b;
  const double result = operation(a.number, b.number);
  return std::isfinite(result) ? number(result) : spoiled("the number is too large");
}

template <typename Operation>
Operand divided(const Operand& a, const Operand& b, Operation operation) {
  const Operand divisor = number_of(b);
  const bool by_zero = !is_spoiled(number_of(a)) && !is_spoiled(divisor) && divisor.number == 0;
  return by_zero ? spoiled("it divides by zero") : calculate(a, b, operation);
}

Operand add(const Operand& a, const Operand& b) { return calculate(a, b, std::plus<>()); }
Operand subtract(const Operand& a, const Operand& b) { return calculate(a, b, std::minus<>()); }
Operand multiply(const Operand& a, const Operand& b) {
  return calculate(a, b, std::multiplies<>());
}
Operand divide(const Operand& a, const Operand& b) { return divided(a, b, std::divides<>()); }
Operand remainder_of(const Operand& a, const Operand& b) {
  return divided(a, b, [](double x, double y) { return std::fmod(x, y); });
}

Operand less(const Operand& a, const Operand& b) { return calculate(a, b, std::less<>()); }
Operand less_or_equal(const Operand& a, const Operand& b) {
  return calculate(a, b, std::less_equal<>());
}
Operand greater(const Operand& a, const Operand& b) { return calculate(a, b, std::greater<>()); }
Operand greater_or_equal(const Operand& a, const Operand& b) {
  return calculate(a, b, std::greater_equal<>());
}

/// A text never equals a number.
bool are_equal(const Operand& a, const Operand& b) {
  if (a.kind == Kind::kText || b.kind == Kind::kText) return a.kind == b.kind && a.text == b.text;
  return a.number == b.number;
}

Operand equal(const Operand& a, const Operand& b) {
  if (is_spoiled(a)) return a;
  if (is_spoiled(b)) return b;
  return number(are_equal(a, b) ? 1 : 0);
}
Operand unequal(const Operand& a, const Operand& b) {
  const Operand same = equal(a, b);
  return is_spoiled(same) ? same : number(1 - same.number);
}

/// What decides alone comes first, from whichever side; then what has no value.
Operand connect(const Operand& left, const Operand& right, bool deciding) {
  const Operand a = number_of(left), b = number_of(right);
  const auto decides = [&](const Operand& x) {
    return !is_spoiled(x) && (x.number != 0) == deciding;
  };
  if (decides(a) || decides(b)) return number(deciding ? 1 : 0);
  if (is_spoiled(a)) return a;
  if (is_spoiled(b)) return b;
  return number(deciding ? 0 : 1);
}
Operand both(const Operand& a, const Operand& b) { return connect(a, b, false); }
Operand either(const Operand& a, const Operand& b) { return connect(a, b, true); }

Operand negated(const Operand& a) { return subtract(number(0), a); }
Operand unchanged(const Operand& a) { return add(number(0), a); }
Operand not_true(const Operand& a) { return equal(number_of(a), number(0)); }

constexpr std::array<BinaryOperator, 13> kBinary{{
    {"||", either, 1},
    {"&&", both, 2},
    {"==", equal, 3},
    {"!=", unequal, 3},
    {"<", less, 4},
    {"<=", less_or_equal, 4},
    {">", greater, 4},
    {">=", greater_or_equal, 4},
    {"+", add, 5},
    {"-", subtract, 5},
    {"*", multiply, 6},
    {"/", divide, 6},
    {"%", remainder_of, 6},
}};

}  // namespace

bool is_truth(std::string_view text) { return contains(kTrue, text) || contains(kFalse, text); }

Operand operand_of(const Value& value) {
  if (value.number) return number(*value.number);
  if (!is_truth(value.text)) return {Kind::kText, 0, value.text};
  return {Kind::kTruth, contains(kTrue, value.text) ? 1.0 : 0.0};
}

Value value_of(const Operand& operand) {
  if (operand.kind == Kind::kText) return {std::string(operand.text), std::nullopt};
  if (operand.kind == Kind::kTruth) return {operand.number != 0 ? "true" : "false", std::nullopt};
  return value_of(operand.number);
}

Operand number_of(const Operand& operand) {
  if (operand.kind == Kind::kText)
    return spoiled("it calculates with a text; texts know == and != only");
  return operand.kind == Kind::kTruth ? number(operand.number) : operand;
}

const BinaryOperator* find_binary(std::string_view name) {
  const auto found = std::find_if(kBinary.begin(), kBinary.end(),
                                  [&](const BinaryOperator& each) { return each.name == name; });
  return found == kBinary.end() ? nullptr : &*found;
}

Unary find_prefix(std::string_view name) {
  if (name == "-") return negated;
  if (name == "+") return unchanged;
  return name == "!" ? not_true : nullptr;
}

}  // namespace pippin
