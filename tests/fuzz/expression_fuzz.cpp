// SPDX-License-Identifier: Apache-2.0
// Expressions of sweep files: a line with one, then a value of its variables a line.
#include <string>
#include <vector>

#include "sweeps/expression.h"
#include "tests/fuzz/input.h"

using namespace pippin;

namespace {

/// As many values as there are names; those that the input does not say are 2.
std::vector<Value> values_of(fuzz::Input& input, std::size_t count) {
  std::vector<Value> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(input.empty() ? value_of(2.0) : value_of(std::string(input.line())));
  return values;
}

std::string evaluated(Expression& expression, const std::vector<const Value*>& variables) {
  return fuzz::text_or_refusal([&] {
    const Value value = expression.evaluate(variables);
    return value.text + (value.number ? " is a number" : "");
  });
}

void evaluate(fuzz::Input& input) {
  Expression expression(input.line());
  const auto values = values_of(input, expression.names().size());
  std::vector<const Value*> variables;
  for (const auto& value : values) variables.push_back(&value);
  const std::string first = evaluated(expression, variables);
  fuzz::refusable([&] { expression.holds(variables); });
  fuzz::expect_same(first, evaluated(expression, variables),
                    "an expression has the same value when it is asked again");
  Expression again(expression.text());
  fuzz::expect_same(first, evaluated(again, variables), "the text of an expression is its own");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  fuzz::refusable([&] { evaluate(input); });
  return 0;
}
