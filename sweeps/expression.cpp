#include "sweeps/expression.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <muParser.h>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/text.h"
#include "sweeps/lexer.h"

namespace pippin {

namespace {

/// muParser calculates with doubles only. A text is one too: its index behind a mark that no
/// calculation gives, the top bits of a quiet NaN. What has no value is another NaN with its why.
constexpr std::uint64_t kTextMark = 0x7FF9'0000'0000'0000;
constexpr std::uint64_t kSpoiledMark = 0x7FFA'0000'0000'0000;
constexpr std::uint64_t kMarkBits = 0xFFFF'0000'0000'0000;

enum class Spoiled : std::uint64_t { kZeroDivision = 1, kTextInCalculation = 2, kTooLarge = 3 };

/// As YAML writes them; they are one value each however they are written.
constexpr std::uint64_t kFalseId = 0, kTrueId = 1;
const std::unordered_map<std::string, std::uint64_t> kTruths{
    {"false", kFalseId}, {"False", kFalseId}, {"FALSE", kFalseId},
    {"true", kTrueId},   {"True", kTrueId},   {"TRUE", kTrueId}};

std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }
double text_id(std::uint64_t id) { return std::bit_cast<double>(kTextMark | id); }
double spoiled(Spoiled why) {
  return std::bit_cast<double>(kSpoiledMark | static_cast<std::uint64_t>(why));
}
bool is_text(double value) { return (bits_of(value) & kMarkBits) == kTextMark; }
bool is_spoiled(double value) { return (bits_of(value) & kMarkBits) == kSpoiledMark; }

/// A number for calculations: true and false count as 1 and 0, another text spoils.
double number_of(double value) {
  if (!is_text(value)) return value;
  const std::uint64_t id = bits_of(value) & ~kMarkBits;
  if (id > kTrueId) return spoiled(Spoiled::kTextInCalculation);
  return id == kTrueId ? 1 : 0;
}

template <typename Operation>
double calculate(double a, double b, Operation operation) {
  a = number_of(a);
  b = number_of(b);
  if (is_spoiled(a)) return a;
  if (is_spoiled(b)) return b;
  const double result = operation(a, b);
  return std::isfinite(result) || is_spoiled(result) ? result : spoiled(Spoiled::kTooLarge);
}

double add(double a, double b) {
  return calculate(a, b, [](double x, double y) { return x + y; });
}
double subtract(double a, double b) {
  return calculate(a, b, [](double x, double y) { return x - y; });
}
double multiply(double a, double b) {
  return calculate(a, b, [](double x, double y) { return x * y; });
}
double divide(double a, double b) {
  return calculate(
      a, b, [](double x, double y) { return y == 0 ? spoiled(Spoiled::kZeroDivision) : x / y; });
}
double remainder_of(double a, double b) {
  return calculate(a, b, [](double x, double y) {
    return y == 0 ? spoiled(Spoiled::kZeroDivision) : std::fmod(x, y);
  });
}
double less(double a, double b) {
  return calculate(a, b, [](double x, double y) { return x < y ? 1.0 : 0.0; });
}
double less_or_equal(double a, double b) {
  return calculate(a, b, [](double x, double y) { return x <= y ? 1.0 : 0.0; });
}
double greater(double a, double b) { return less(b, a); }
double greater_or_equal(double a, double b) { return less_or_equal(b, a); }

double equal(double a, double b) {
  if (is_spoiled(a)) return a;
  if (is_spoiled(b)) return b;
  if (is_text(a) && is_text(b)) return bits_of(a) == bits_of(b) ? 1 : 0;
  const double x = number_of(a), y = number_of(b);
  return !is_spoiled(x) && !is_spoiled(y) && x == y ? 1 : 0;
}
double unequal(double a, double b) {
  const double same = equal(a, b);
  return is_spoiled(same) ? same : 1 - same;
}

/// What decides alone comes first, from whichever side; then what is spoiled.
double connect(double a, double b, bool deciding) {
  a = number_of(a);
  b = number_of(b);
  const auto decides = [&](double x) { return !is_spoiled(x) && (x != 0) == deciding; };
  if (decides(a) || decides(b)) return deciding ? 1 : 0;
  if (is_spoiled(a)) return a;
  if (is_spoiled(b)) return b;
  return deciding ? 0 : 1;
}
double both(double a, double b) { return connect(a, b, false); }
double either(double a, double b) { return connect(a, b, true); }

double negated(double a) { return subtract(0, a); }
double unchanged(double a) { return add(0, a); }
double not_true(double a) { return equal(number_of(a), 0); }

/// C's precedence, in muParser's scale from 1 (`||`) to 6 (`* / %`).
void define_operators(mu::Parser& parser) {
  parser.ClearFun();
  parser.ClearConst();
  parser.ClearInfixOprt();
  parser.ClearPostfixOprt();
  parser.EnableBuiltInOprt(false);
  parser.EnableOptimizer(false);
  const struct {
    const char* name;
    mu::fun_type2 function;
    unsigned precedence;
  } operators[] = {
      {"||", either, 1},      {"&&", both, 2},
      {"==", equal, 3},       {"!=", unequal, 3},
      {"<", less, 4},         {"<=", less_or_equal, 4},
      {">", greater, 4},      {">=", greater_or_equal, 4},
      {"+", add, 5},          {"-", subtract, 5},
      {"*", multiply, 6},     {"/", divide, 6},
      {"%", remainder_of, 6},
  };
  for (const auto& each : operators) parser.DefineOprt(each.name, each.function, each.precedence);
  constexpr int kTighterThanAll = 8;
  parser.DefineInfixOprt("-", negated, kTighterThanAll);
  parser.DefineInfixOprt("+", unchanged, kTighterThanAll);
  parser.DefineInfixOprt("!", not_true, kTighterThanAll);
}

std::string_view why(double value) {
  switch (static_cast<Spoiled>(bits_of(value) & ~kMarkBits)) {
    case Spoiled::kZeroDivision:
      return "it divides by zero";
    case Spoiled::kTextInCalculation:
      return "it calculates with a text; texts know == and != only";
    case Spoiled::kTooLarge:
      return "the number is too large";
  }
  return "";
}

}  // namespace

/// Numbers, texts and names are all variables of muParser, v0, v1, …: so it never reads a number
/// with the locale's comma, and no name can clash with one of its own.
struct Expression::Compiled {
  std::string text;
  std::vector<std::string> names;
  std::vector<std::size_t> name_slots;  ///< slot of each name
  std::vector<double> slots;            ///< bound to the parser by pointer: fixed once compiled
  std::vector<std::string> texts{"false", "true"};
  std::unordered_map<std::string, std::uint64_t> text_ids = kTruths;
  mu::Parser parser;

  double intern(const std::string& word) {
    const auto [entry, is_new] = text_ids.emplace(word, texts.size());
    if (is_new) texts.push_back(word);
    return text_id(entry->second);
  }

  std::size_t slot_of_name(const std::string& name) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) return name_slots[i];
    }
    names.push_back(name);
    name_slots.push_back(slots.size());
    slots.push_back(0);
    return slots.size() - 1;
  }

  std::size_t slot_of(const Token& token) {
    const bool is_truth = kTruths.count(token.text) > 0;
    if (token.kind == Token::Kind::kName && !is_truth) return slot_of_name(token.text);
    slots.push_back(token.kind == Token::Kind::kNumber ? token.number : intern(token.text));
    return slots.size() - 1;
  }

  void compile() {
    std::string source;
    for (const auto& token : tokens_of(text)) {
      source +=
          token.kind == Token::Kind::kOperator ? token.text : "v" + std::to_string(slot_of(token));
      source += ' ';
    }
    if (source.empty()) bad_input("there is no expression");
    define_operators(parser);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      parser.DefineVar("v" + std::to_string(i), &slots[i]);
    }
    parser.SetExpr(source);
    evaluate();
  }

  double evaluate() const {
    try {
      return parser.Eval();
    } catch (const mu::Parser::exception_type& error) {
      syntax_error(error);
    }
  }

  [[noreturn]] static void syntax_error(const mu::Parser::exception_type& error) {
    switch (error.GetCode()) {
      case mu::ecUNEXPECTED_EOF:
        bad_input("it ends too early");
      case mu::ecMISSING_PARENS:
        bad_input("a parenthesis is not closed");
      case mu::ecUNEXPECTED_PARENS:
        bad_input("a parenthesis too many");
      case mu::ecUNASSIGNABLE_TOKEN:
      case mu::ecUNEXPECTED_OPERATOR:
        bad_input("an operator stands where a value is expected; a second sign needs parentheses");
      case mu::ecUNEXPECTED_VAR:
      case mu::ecUNEXPECTED_VAL:
        bad_input("an operator is missing between two values");
      default:
        bad_input("it is no expression");
    }
  }

  double at(const std::vector<const Value*>& variables) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Value& value = *variables[i];
      slots[name_slots[i]] = value.number ? *value.number : intern(value.text);
    }
    const double result = evaluate();
    if (is_spoiled(result)) bad_input("'{}' has no value: {}", printable(text), why(result));
    return result;
  }
};

Expression::Expression(std::string_view text) : compiled_(std::make_unique<Compiled>()) {
  constexpr std::size_t kLongest = 2'000;  // muParser takes 20,000, after each word has grown to 8
  if (text.size() > kLongest) bad_input("an expression of more than {} characters", kLongest);
  compiled_->text = std::string(trim(text));
  try {
    compiled_->compile();
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
  const double result = compiled_->at(variables);
  if (is_text(result)) return {compiled_->texts[bits_of(result) & ~kMarkBits], std::nullopt};
  return value_of(result);
}

bool Expression::holds(const std::vector<const Value*>& variables) {
  const double result = number_of(compiled_->at(variables));
  if (is_spoiled(result)) bad_input("'{}' is neither true nor false", printable(compiled_->text));
  return result != 0;
}

}  // namespace pippin
