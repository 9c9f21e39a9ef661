// SPDX-License-Identifier: Apache-2.0
#include "sweeps/expression.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "sweeps/lexer.h"
#include "sweeps/operand.h"

namespace pippin {

namespace {

/// One step of a compiled expression, which works on a stack of values.
struct Step {
  enum class Kind { kConstant, kVariable, kBinary, kPrefix };
  Kind kind;
  std::size_t index = 0;  ///< of a constant or a variable: it is pushed
  Binary binary = nullptr;
  Unary prefix = nullptr;
};

}  // namespace

struct Expression::Compiled {
  std::string text;
  std::vector<std::string> names;
  std::vector<Value> constants;
  std::vector<Step> steps;
  std::vector<Operand> stack;

  Operand at(const std::vector<const Value*>& variables);
};

namespace {

constexpr const char* kNoValue =
    "an operator stands where a value is expected; a second sign needs parentheses";

/// Precedence climbing: an operator's right side is what binds tighter.
class Parser {
 public:
  Parser(std::vector<Token> tokens, Expression::Compiled& compiled)
      : tokens_(std::move(tokens)), compiled_(compiled) {}

  void parse() {
    if (tokens_.empty()) bad_input("there is no expression");
    parse_from(0);
    if (const Token* token = next()) refuse_after_value(*token);
  }

 private:
  const Token* next() const { return at_ < tokens_.size() ? &tokens_[at_] : nullptr; }

  bool take(std::string_view name) {
    const Token* token = next();
    const bool is_it = token && token->kind == Token::Kind::kOperator && token->text == name;
    if (is_it) ++at_;
    return is_it;
  }

  const BinaryOperator* next_binary(int loosest) const {
    const Token* token = next();
    if (!token || token->kind != Token::Kind::kOperator) return nullptr;
    const BinaryOperator* found = find_binary(token->text);
    return found && found->precedence >= loosest ? found : nullptr;
  }

  /// A value, and operators behind it that bind as tight as `loosest` at least.
  void parse_from(int loosest) {
    parse_signed();
    while (const BinaryOperator* binary = next_binary(loosest)) {
      ++at_;
      parse_from(binary->precedence + 1);
      compiled_.steps.push_back({Step::Kind::kBinary, 0, binary->apply, nullptr});
    }
  }

  void parse_signed() {
    const Token* token = next();
    const Unary prefix =
        token && token->kind == Token::Kind::kOperator ? find_prefix(token->text) : nullptr;
    if (prefix) ++at_;
    parse_value();
    if (prefix) compiled_.steps.push_back({Step::Kind::kPrefix, 0, nullptr, prefix});
  }

  void parse_value() {
    const Token* token = next();
    if (!token) bad_input("it ends too early");
    if (take("(")) return parse_group();
    if (token->kind == Token::Kind::kOperator)
      bad_input("{}", token->text == ")" ? "a parenthesis too many" : kNoValue);
    ++at_;
    push(*token);
  }

  void parse_group() {
    parse_from(0);
    if (take(")")) return;
    if (const Token* token = next()) refuse_after_value(*token);
    bad_input("a parenthesis is not closed");
  }

  [[noreturn]] static void refuse_after_value(const Token& token) {
    if (token.kind != Token::Kind::kOperator)
      bad_input("an operator is missing between two values");
    bad_input("{}", token.text == "!" ? kNoValue : "a parenthesis too many");
  }

  void push(const Token& token) {
    if (token.kind == Token::Kind::kName && !is_truth(token.text))
      return add(Step::Kind::kVariable, index_of(token.text));
    const bool is_number = token.kind == Token::Kind::kNumber;
    compiled_.constants.push_back(is_number ? value_of(token.number)
                                            : Value{token.text, std::nullopt});
    add(Step::Kind::kConstant, compiled_.constants.size() - 1);
  }

  void add(Step::Kind kind, std::size_t index) {
    compiled_.steps.push_back({kind, index, nullptr, nullptr});
  }

  std::size_t index_of(const std::string& name) {
    auto& names = compiled_.names;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    names.push_back(name);
    return names.size() - 1;
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  Expression::Compiled& compiled_;
};

}  // namespace

Operand Expression::Compiled::at(const std::vector<const Value*>& variables) {
  stack.clear();
  for (const Step& step : steps) {
    switch (step.kind) {
      case Step::Kind::kConstant:
        stack.push_back(operand_of(constants[step.index]));
        break;
      case Step::Kind::kVariable:
        stack.push_back(operand_of(*variables[step.index]));
        break;
      case Step::Kind::kPrefix:
        stack.back() = step.prefix(stack.back());
        break;
      case Step::Kind::kBinary: {
        const Operand right = stack.back();
        stack.pop_back();
        stack.back() = step.binary(stack.back(), right);
      }
    }
  }
  const Operand result = stack.back();
  if (result.kind == Operand::Kind::kSpoiled)
    bad_input("'{}' has no value: {}", printable(text), result.why);
  return result;
}

Expression::Expression(std::string_view text) : compiled_(std::make_unique<Compiled>()) {
  constexpr std::size_t kLongest = 2'000;  // each parenthesis takes some of the program's stack
  if (text.size() > kLongest) bad_input("an expression of more than {} characters", kLongest);
  compiled_->text = std::string(trim(text));
  try {
    Parser(tokens_of(compiled_->text), *compiled_).parse();
  } catch (const Error& error) {
    bad_input("in '{}': {}", printable(compiled_->text), error.what());
  }
}
Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;

const std::string& Expression::text() const { return compiled_->text; }
const std::vector<std::string>& Expression::names() const { return compiled_->names; }

Value Expression::evaluate(const std::vector<const Value*>& variables) {
  return value_of(compiled_->at(variables));
}

bool Expression::holds(const std::vector<const Value*>& variables) {
  const Operand result = number_of(compiled_->at(variables));
  if (result.kind == Operand::Kind::kSpoiled)
    bad_input("'{}' is neither true nor false", printable(compiled_->text));
  return result.number != 0;
}

}  // namespace pippin
