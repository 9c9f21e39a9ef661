// SPDX-License-Identifier: Apache-2.0
#include "tests/mutation/tokens.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace pippin::mutation {

namespace {

bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Longest first.
constexpr std::array<std::string_view, 24> kMarks{
    "<=>", "<<=", ">>=", "...", "<=", ">=", "==", "!=", "&&", "||", "++", "--",
    "+=",  "-=",  "*=",  "/=",  "%=", "->", "::", "|=", "&=", "^=", "<<", ">>"};

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<Token> all() {
    while (at_ < source_.size()) {
      if (!skip_blank()) take();
    }
    return std::move(tokens_);
  }

 private:
  using Kind = Token::Kind;

  bool here(std::string_view text) const { return source_.substr(at_).starts_with(text); }

  /// White space, a comment or a preprocessor line; false where none stands here.
  bool skip_blank() {
    if (std::isspace(static_cast<unsigned char>(source_[at_])) != 0) {
      line_begins_ = line_begins_ || source_[at_] == '\n';
      ++at_;
    } else if (here("//") || (here("#") && line_begins_)) {
      skip_line();
    } else if (here("/*")) {
      at_ = std::min(source_.find("*/", at_ + 2), source_.size() - 2) + 2;
    } else {
      return false;
    }
    blank_ = true;
    return true;
  }

  void skip_line() {
    while (at_ < source_.size() && source_[at_] != '\n') at_ += here("\\\n") ? 2 : 1;
  }

  void take() {
    line_begins_ = false;
    if (here("R\"")) return take_raw_string();
    if (here("\"")) return add(Kind::kString, after_quote('"'));
    if (here("'")) return add(Kind::kCharacter, after_quote('\''));
    if (is_digit(source_[at_])) return add(Kind::kNumber, after_number());
    if (is_name_char(source_[at_])) {
      std::size_t end = at_;
      while (end < source_.size() && is_name_char(source_[end])) ++end;
      return add(Kind::kName, end);
    }
    const auto* mark =
        std::find_if(kMarks.begin(), kMarks.end(), [&](auto one) { return here(one); });
    add(Kind::kMark, at_ + (mark == kMarks.end() ? 1 : mark->size()));
  }

  void take_raw_string() {
    const std::size_t open = source_.find('(', at_);
    const std::string close = ")" + std::string(source_.substr(at_ + 2, open - at_ - 2)) + "\"";
    add(Kind::kRawString, source_.find(close, open) + close.size());
  }

  std::size_t after_quote(char quote) const {
    std::size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != quote) end += source_[end] == '\\' ? 2 : 1;
    return end + 1;
  }

  std::size_t after_number() const {
    std::size_t end = at_;
    while (end < source_.size() && (is_name_char(source_[end]) || source_[end] == '.' ||
                                    (source_[end] == '\'' && is_name_char(source_[end + 1])) ||
                                    (source_[end] == '-' && source_[end - 1] == 'e')))
      ++end;
    return end;
  }

  void add(Kind kind, std::size_t end) {
    end = std::min(end, source_.size());
    tokens_.push_back({kind, at_, end, source_.substr(at_, end - at_), blank_});
    blank_ = false;
    at_ = end;
  }

  std::string_view source_;
  std::size_t at_ = 0;
  bool blank_ = true, line_begins_ = true;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view source) { return Lexer(source).all(); }

}  // namespace pippin::mutation
