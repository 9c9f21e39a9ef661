// SPDX-License-Identifier: Apache-2.0
#include "sweeps/lexer.h"

#include <array>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/utf8.h"

namespace pippin {

namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";

/// The longer ones first.
constexpr std::array<std::string_view, 16> kOperators{"==", "!=", "<=", ">=", "&&", "||", "+", "-",
                                                      "*",  "/",  "%",  "<",  ">",  "!",  "(", ")"};

/// What other languages have for them; the longer ones first.
constexpr std::array<std::array<std::string_view, 2>, 9> kMistaken{{{"===", "=="},
                                                                    {"=>", ">="},
                                                                    {"=<", "<="},
                                                                    {"<>", "!="},
                                                                    {"&", "&&"},
                                                                    {"|", "||"},
                                                                    {"and", "&&"},
                                                                    {"or", "||"},
                                                                    {"not", "!"}}};

void refuse_mistaken(std::string_view word) {
  for (const auto& [mistaken, meant] : kMistaken) {
    if (word != mistaken) continue;
    bad_input("unknown operator '{}', did you mean '{}'?", mistaken, meant);
  }
}

bool is_in(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }

/// Length of the number that begins `text`: digits, a fraction, an exponent with its sign.
std::size_t number_length(std::string_view text) {
  std::size_t end = 0;
  const auto digits = [&] {
    while (end < text.size() && is_in("0123456789.", text[end])) ++end;
  };
  digits();
  if (end < text.size() && is_in("eE", text[end])) {
    std::size_t exponent = end + 1;
    if (exponent < text.size() && is_in("+-", text[exponent])) ++exponent;
    if (exponent < text.size() && is_in(kDigits, text[exponent])) {
      end = exponent;
      digits();
    }
  }
  // "4x" and "1.2.3" are no numbers: take all of it, and let the number reader refuse it.
  while (end < text.size() && (is_in(kLetters, text[end]) || is_in(kDigits, text[end]))) ++end;
  return end;
}

Token read_number(std::string_view& rest) {
  const std::string_view word = rest.substr(0, number_length(rest));
  const auto number = parse_number(word);
  if (!number) bad_input("'{}' is no number", word);
  rest.remove_prefix(word.size());
  return {Token::Kind::kNumber, std::string(word), *number};
}

Token read_text(std::string_view& rest) {
  const auto end = rest.find(rest[0], 1);
  if (end == std::string_view::npos) bad_input("the text {} has no closing quote", printable(rest));
  const std::string_view word = rest.substr(1, end - 1);
  rest.remove_prefix(end + 1);
  return {Token::Kind::kText, std::string(word), 0};
}

Token read_name(std::string_view& rest) {
  std::size_t end = 0;
  while (end < rest.size() && (is_in(kLetters, rest[end]) || is_in(kDigits, rest[end]))) ++end;
  const std::string_view word = rest.substr(0, end);
  refuse_mistaken(word);
  rest.remove_prefix(end);
  return {Token::Kind::kName, std::string(word), 0};
}

Token read_operator(std::string_view& rest) {
  refuse_mistaken(rest.substr(0, 3));
  refuse_mistaken(rest.substr(0, 2));
  for (const auto candidate : kOperators) {
    if (!rest.starts_with(candidate)) continue;
    rest.remove_prefix(candidate.size());
    return {Token::Kind::kOperator, std::string(candidate), 0};
  }
  if (rest[0] == '=') bad_input("a lone '=' compares nothing, did you mean '=='?");
  refuse_mistaken(rest.substr(0, 1));
  bad_input("unknown operator '{}'; known: + - * / % == != < <= > >= && || ! ( )",
            printable(first_character(rest).bytes));
}

}  // namespace

std::vector<Token> tokens_of(std::string_view expression) {
  std::vector<Token> tokens;
  for (;;) {
    expression = trim(expression);
    if (expression.empty()) return tokens;
    const char c = expression[0];
    const bool fraction = c == '.' && expression.size() > 1 && is_in(kDigits, expression[1]);
    if (is_in(kDigits, c) || fraction) {
      tokens.push_back(read_number(expression));
    } else if (c == '\'' || c == '"') {
      tokens.push_back(read_text(expression));
    } else if (is_in(kLetters, c)) {
      tokens.push_back(read_name(expression));
    } else {
      tokens.push_back(read_operator(expression));
    }
  }
}

}  // namespace pippin
