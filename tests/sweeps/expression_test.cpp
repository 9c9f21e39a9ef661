// SPDX-License-Identifier: Apache-2.0
#include "sweeps/expression.h"

#include "core/base/error.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

const NamedValues kPoint{
    {"layers", value_of("48")},    {"pp", value_of("16")},
    {"mbs", value_of("4")},        {"gas", value_of("256")},
    {"dp", value_of("1")},         {"zero", value_of("0")},
    {"lr", value_of("1.5e-4")},    {"attention", value_of("flash")},
    {"offload", value_of("true")}, {"bucket", value_of("5e8")},
    {"min", value_of("3")},        {"python", value_of("True")},
};

std::vector<const Value*> variables_of(const Expression& expression) {
  std::vector<const Value*> variables;
  for (const auto& name : expression.names()) {
    INFO(name);
    REQUIRE(find_value(kPoint, name) != nullptr);
    variables.push_back(find_value(kPoint, name));
  }
  return variables;
}

std::string evaluated(const std::string& text) {
  Expression expression(text);
  return expression.evaluate(variables_of(expression)).text;
}

}  // namespace

TEST_CASE("expressions calculate and compare as C does") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"1 + 2 * 3", "7"},
      {"(1 + 2) * 3", "9"},
      {"7 - 2 - 1", "4"},
      {"64 / 4 / 2", "8"},
      {"7 / 2", "3.5"},
      {"layers % pp == 0", "1"},
      {"layers%pp==0", "1"},
      {"7 % 4 * 2", "6"},
      {"-7 % 4", "-3"},
      {"7 - -2", "9"},
      {"-(-2)", "2"},
      {"+3", "3"},
      {"mbs*gas*dp >= 512", "1"},
      {"mbs < 4 || gas > 4", "1"},
      {"1 || 0 && 0", "1"},
      {"!zero", "1"},
      {"!(!mbs)", "1"},
      {"2 * -mbs", "-8"},
      {"!zero + 1", "2"},
      {"!(mbs == 4)", "0"},
      {"mbs != 4", "0"},
      {"3 > 2 == 1", "1"},
      {"bucket", "500000000"},
      {"lr * 2", "0.0003"},
      {".5 + 1e-1", "0.6"},
      {"2e3", "2000"},
      {"min + 1", "4"},
      {"((((1))))", "1"},
  };
  for (const auto& example : cases) {
    INFO(example.first);
    CHECK(evaluated(example.first) == example.second);
  }
}

TEST_CASE("texts are compared and true and false are YAML's") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"attention == 'flash'", "1"}, {"attention == \"flash\"", "1"},
      {"attention != 'flash'", "0"}, {"'a' == 'b'", "0"},
      {"attention == 3", "0"},       {"attention != 3", "1"},
      {"offload == true", "1"},      {"offload != false", "1"},
      {"offload", "true"},           {"!offload", "0"},
      {"offload && mbs == 4", "1"},  {"(mbs == 4) == true", "1"},
      {"attention", "flash"},        {"python == true", "1"},
      {"python && True", "1"},       {"python == FALSE", "0"},
  };
  for (const auto& example : cases) {
    INFO(example.first);
    CHECK(evaluated(example.first) == example.second);
  }
}

TEST_CASE("a part without value spoils only what depends on it") {
  CHECK(evaluated("zero > 0 && mbs % zero == 0") == "0");
  CHECK(evaluated("zero == 0 || mbs % zero == 0") == "1");
  CHECK(evaluated("attention == 3 && attention < 3") == "0");
  CHECK_THROWS_WITH(evaluated("mbs % zero"), Catch::Contains("divides by zero"));
  CHECK_THROWS_WITH(evaluated("mbs / zero == 1"), Catch::Contains("divides by zero"));
  CHECK_THROWS_WITH(evaluated("attention + 1"), Catch::Contains("calculates with a text"));
  CHECK_THROWS_WITH(evaluated("attention < 'g'"), Catch::Contains("calculates with a text"));
  CHECK_THROWS_WITH(evaluated("-attention"), Catch::Contains("calculates with a text"));
  CHECK_THROWS_WITH(evaluated("1e308 * 10"), Catch::Contains("too large"));
}

TEST_CASE("what is no expression says why") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"pp = 8", "did you mean '=='?"},
      {"pp === 8", "did you mean '=='?"},
      {"pp => 8", "did you mean '>='?"},
      {"pp =< 8", "did you mean '<='?"},
      {"pp <> 8", "did you mean '!='?"},
      {"pp == 8 and mbs == 4", "unknown operator 'and', did you mean '&&'?"},
      {"pp == 8 or mbs == 4", "did you mean '||'?"},
      {"not zero", "did you mean '!'?"},
      {"a & b", "did you mean '&&'?"},
      {"a | b", "did you mean '||'?"},
      {"", "there is no expression"},
      {"   ", "there is no expression"},
      {"1 +", "ends too early"},
      {"(1 + 2", "parenthesis is not closed"},
      {"1 + 2)", "a parenthesis too many"},
      {"1 2", "an operator is missing"},
      {"mbs gas", "an operator is missing"},
      {"* 3", "where a value is expected"},
      {"--2", "a second sign needs parentheses"},
      {"1 * / 3", "where a value is expected"},
      {"()", "in '()'"},
      {"mbs(3)", "in 'mbs(3)'"},
      {"4x", "'4x' is no number"},
      {"1.2.3", "'1.2.3' is no number"},
      {"a ^ b", "unknown operator '^'"},
      {"a ? b : c", "unknown operator '?'"},
      {"a, b", "unknown operator ','"},
      {"a ; b", "unknown operator ';'"},
      {"attention == 'flash", "no closing quote"},
      {"a \xc3\x97 b", "unknown operator '\xc3\x97'"},
  };
  for (const auto& example : cases) {
    INFO(example.first);
    CHECK_THROWS_AS(Expression(example.first), Error);
    CHECK_THROWS_WITH(Expression(example.first), Catch::Contains(example.second));
  }
  CHECK_THROWS_WITH(Expression(std::string(20'000, '(')), Catch::Contains("more than"));
  CHECK_THROWS_AS(Expression(std::string(1'999, '(')), Error);
  CHECK_THROWS_AS(Expression(std::string(1'999, '!')), Error);
}

TEST_CASE("the longest expression has a value, too") {
  std::string sum = "1";
  while (sum.size() + 2 <= 2'000) sum += "+1";
  CHECK(evaluated(sum) == "1000");
  CHECK(evaluated(std::string(999, '(') + "1" + std::string(999, ')')) == "1");
  CHECK_THROWS_WITH(Expression(sum + "+1"), Catch::Contains("more than 2000 characters"));
}

TEST_CASE("a clause holds or does not and other texts are neither") {
  Expression clause("attention");
  CHECK_THROWS_WITH(clause.holds(variables_of(clause)), Catch::Contains("neither true nor false"));
  Expression truth("offload");
  CHECK(truth.holds(variables_of(truth)));
  Expression names("b + a * b - true");
  CHECK(names.names() == std::vector<std::string>{"b", "a"});
}

TEST_CASE("an expression keeps its variables when it is moved") {
  Expression first("mbs + 1");
  Expression second = std::move(first);
  CHECK(second.evaluate(variables_of(second)).text == "5");
}
