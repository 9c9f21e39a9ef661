// SPDX-License-Identifier: Apache-2.0
#include "tests/mutation/mutants.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "tests/mutation/tokens.h"

namespace pippin::mutation {

namespace {

struct Swap {
  std::string_view kind, from, to;
};

/// Of marks that have a blank on both sides: others belong to templates, references and pointers.
constexpr Swap kMarkSwaps[] = {
    {"comparison", "<", "<="},  {"comparison", "<=", "<"},  {"comparison", ">", ">="},
    {"comparison", ">=", ">"},  {"comparison", "==", "!="}, {"comparison", "!=", "=="},
    {"arithmetic", "+", "-"},   {"arithmetic", "-", "+"},   {"arithmetic", "*", "/"},
    {"arithmetic", "/", "*"},   {"arithmetic", "%", "*"},   {"arithmetic", "+=", "-="},
    {"arithmetic", "-=", "+="}, {"logic", "&&", "||"},      {"logic", "||", "&&"}};

constexpr Swap kNameSwaps[] = {
    {"extreme", "min", "max"},
    {"extreme", "max", "min"},
    {"extreme", "min_element", "max_element"},
    {"extreme", "max_element", "min_element"},
    {"truth", "true", "false"},
    {"truth", "false", "true"},
    {"quantifier", "any_of", "all_of"},
    {"quantifier", "all_of", "any_of"},
    {"place", "front", "back"},
    {"place", "back", "front"},
    {"place", "find_first_of", "find_last_of"},
    {"place", "find_last_of", "find_first_of"},
    {"place", "lower_bound", "upper_bound"},
    {"place", "upper_bound", "lower_bound"},
    {"jump", "continue", "break"},
};

class Finder {
 public:
  explicit Finder(std::string_view source) : source_(source), tokens_(tokens_of(source)) {}

  std::vector<Mutant> all() {
    for (at_ = 0; at_ < tokens_.size(); ++at_) {
      marks();
      names();
      number();
      string();
      condition();
      returned();
      statement();
      ends();
      arguments();
    }
    return std::move(found_);
  }

 private:
  using Kind = Token::Kind;

  const Token& token() const { return tokens_[at_]; }

  bool next_is(std::string_view text, std::size_t steps = 1) const {
    return at_ + steps < tokens_.size() && tokens_[at_ + steps].is(text);
  }

  bool before_is(std::string_view text) const { return at_ > 0 && tokens_[at_ - 1].is(text); }

  void add(std::string_view kind, std::size_t begin, std::size_t end, std::string text) {
    found_.push_back({std::string(kind), begin, end - begin, std::move(text)});
  }

  void replace(std::string_view kind, std::string_view text) {
    add(kind, token().begin, token().end, std::string(text));
  }

  void marks() {
    if (token().kind != Kind::kMark) return;
    const Token* next = at_ + 1 < tokens_.size() ? &tokens_[at_ + 1] : nullptr;
    const bool is_binary = token().blank_before && next && next->blank_before;
    const bool joins_text =
        at_ > 0 && next && (tokens_[at_ - 1].kind == Kind::kString || next->kind == Kind::kString);
    for (const auto& swap : kMarkSwaps) {
      const bool is_text = swap.kind == "arithmetic" && joins_text;
      if (is_binary && !is_text && token().is(swap.from)) replace(swap.kind, swap.to);
    }
    if (token().is("!") && next && !next->blank_before) replace("negation", "");
    if (token().is("++") && !before_is("operator")) replace("arithmetic", "--");
  }

  void names() {
    for (const auto& swap : kNameSwaps) {
      const bool is_call = next_is("(") || next_is(";");
      const bool is_word = swap.kind == "truth" && !before_is("operator");
      if (token().is(swap.from) && (is_call || is_word)) replace(swap.kind, swap.to);
    }
  }

  void number() {
    if (token().kind != Kind::kNumber) return;
    std::string digits(token().text);
    std::erase(digits, '\'');
    std::int64_t value = 0;
    const auto* end = digits.data() + digits.size();
    if (std::from_chars(digits.data(), end, value).ptr != end) {
      if (digits.find('.') != std::string::npos) replace("number", digits + " * 1.5");
      return;
    }
    replace("number", std::to_string(value + 1));
    if (value > 0) replace("number", std::to_string(value - 1));
  }

  void string() {
    if (token().kind != Kind::kString || before_is("extern")) return;
    replace("text", token().is("\"\"") ? "\"x\"" : "\"\"");
  }

  /// The token that closes what `open` opens; the end of the source where none does.
  std::size_t closing(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; i < tokens_.size(); ++i) {
      const auto text = tokens_[i].text;
      if (text == "(" || text == "{" || text == "[") ++depth;
      if (text == ")" || text == "}" || text == "]") --depth;
      if (depth == 0) return i;
    }
    return tokens_.size();
  }

  void condition() {
    if (!token().is("if") || !next_is("(")) return;
    const std::size_t close = closing(at_ + 1);
    if (close == tokens_.size()) return;
    std::size_t first = at_ + 2;
    for (std::size_t i = first; i < close; ++i) {
      if (tokens_[i].is(";")) first = i + 1;
    }
    const std::size_t begin = tokens_[first].begin, end = tokens_[close].begin;
    add("condition", begin, end, "!(" + std::string(source_.substr(begin, end - begin)) + ")");
  }

  void returned() {
    if (!token().is("return") || next_is(";") || next_is("{") || next_is("true") ||
        next_is("false"))
      return;
    const auto end = end_of_statement(at_);
    if (end) add("return", tokens_[at_ + 1].begin, tokens_[*end].begin, "{}");
  }

  /// The `;` of the statement that begins at `from`; nothing where it holds a block.
  std::optional<std::size_t> end_of_statement(std::size_t from) const {
    for (std::size_t i = from; i < tokens_.size(); ++i) {
      const auto text = tokens_[i].text;
      if (text == ";") return i;
      if (text == "(" || text == "[" || text == "{") i = closing(i);
      if (text == ")" || text == "}") return std::nullopt;
    }
    return std::nullopt;
  }

  /// A call, an assignment or a jump; declarations would take what follows with them.
  void statement() {
    const bool begins = at_ > 0 && (before_is(";") || before_is("{") || before_is("}") ||
                                    before_is(")") || before_is("else"));
    if (!begins || token().kind != Kind::kName) return;
    const auto end = end_of_statement(at_);
    if (!end) return;
    const bool jumps =
        token().is("break") || token().is("continue") || (token().is("return") && next_is(";"));
    if (!jumps && !is_action(at_, *end)) return;
    add("statement", token().begin, tokens_[*end].begin, "");
  }

  /// `a.b(…)`, `a = …`, `a[i] += …`: names joined by marks up to a call or an assignment.
  bool is_action(std::size_t from, std::size_t end) const {
    if (tokens_[from].is("return") || tokens_[from].is("using") || tokens_[from].is("throw"))
      return false;
    for (std::size_t i = from + 1; i < end; ++i) {
      const auto text = tokens_[i].text;
      if (text == "[" || text == "(") {
        i = closing(i);
        if (i + 1 == end) return true;
      } else if (text == "=" || text == "+=" || text == "-=" || text == "*=" || text == "/=" ||
                 text == "|=") {
        return true;
      } else if (tokens_[i].blank_before) {
        return false;
      }
    }
    return false;
  }

  void ends() {
    if (!next_is("(") || !next_is(")", 2) || !(before_is(".") || before_is("->"))) return;
    const std::size_t end = tokens_[at_ + 2].end;
    const bool stands_alone = !next_is(".", 3) && !next_is("->", 3);
    if (token().is("begin") && stands_alone) add("place", end, end, " + 1");
    if (token().is("end") && stands_alone) add("place", end, end, " - 1");
    if (token().is("size") && stands_alone) add("place", end, end, " - 1");
  }

  /// f(a, b) → f(b, a), of two arguments that are names.
  void arguments() {
    // Of these two names the order of the arguments is no matter.
    if (token().is("min") || token().is("max")) return;
    if (token().kind != Kind::kName || !next_is("(") || !next_is(",", 3) || !next_is(")", 5))
      return;
    const Token &first = tokens_[at_ + 2], &second = tokens_[at_ + 4];
    if (first.kind != Kind::kName || second.kind != Kind::kName) return;
    add("arguments", first.begin, second.end,
        std::string(second.text) + ", " + std::string(first.text));
  }

  std::string_view source_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::vector<Mutant> found_;
};

}  // namespace

std::vector<Mutant> mutants_of(std::string_view source) { return Finder(source).all(); }

std::string mutated(std::string_view source, const Mutant& mutant) {
  std::string text(source.substr(0, mutant.begin));
  text += mutant.text;
  text += source.substr(mutant.begin + mutant.length);
  return text;
}

std::size_t line_of(std::string_view source, std::size_t place) {
  const auto before = source.substr(0, place);
  return static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
}

}  // namespace pippin::mutation
