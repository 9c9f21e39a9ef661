// SPDX-License-Identifier: Apache-2.0
#include "core/base/shell_words.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>

#include "core/base/text.h"

namespace pippin {

namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool may_begin_name(char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool may_be_in_name(char c) { return may_begin_name(c) || (c >= '0' && c <= '9'); }

std::size_t name_length(std::string_view text) {
  if (text.empty() || !may_begin_name(text.front())) return 0;
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), may_be_in_name) -
                                  text.begin());
}

/// "NAME=VALUE" or "NAME+=VALUE".
struct Assignment {
  std::string name;
  bool adds = false;
  std::size_t value = 0;  ///< where it begins
};

std::optional<Assignment> assignment_in(std::string_view word) {
  const std::size_t length = name_length(word);
  const std::string_view rest = word.substr(length);
  const bool adds = rest.starts_with("+=");
  if (length == 0 || (!adds && !rest.starts_with('='))) return std::nullopt;
  return Assignment{std::string(word.substr(0, length)), adds, length + (adds ? 2 : 1)};
}

class Reader {
 public:
  Reader(std::string_view text, const std::vector<std::pair<std::string, std::string>>& env)
      : text_(text) {
    for (const auto& [name, value] : env) variables_[name] = ShellWords{value};
  }

  std::vector<ShellWords> commands() {
    while (at_ < text_.size()) read();
    end_command();
    return std::move(commands_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void read() {
    const char c = text_[at_];
    if (c == '\\') {
      if (peek(1) != '\n') add(peek(1));
      at_ += 2;
    } else if (c == '\'') {
      const auto end = std::min(text_.find('\'', at_ + 1), text_.size());
      add(text_.substr(at_ + 1, end - at_ - 1));
      at_ = end + 1;
    } else if (c == '"') {
      read_quoted();
    } else if (c == '#' && !has_word_) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '$' || c == '`') {
      expand(false);
    } else if (c == '>' || c == '<' || (c == '&' && peek(1) == '>')) {
      redirect();
    } else if (c == '(' && is_array()) {
      read_array();
    } else if (c == ' ' || c == '\t' || c == '\r') {
      end_word();
      ++at_;
    } else if (std::string_view(";&|\n()").find(c) != std::string_view::npos) {
      ++at_;
      c == ')' && array_    ? void(ends_array_ = true)
      : c == '\n' && array_ ? end_word()
                            : end_command();
    } else {
      add(c);
      ++at_;
    }
  }

  void read_quoted() {
    has_word_ = true;
    for (++at_; at_ < text_.size() && text_[at_] != '"';) {
      if (text_[at_] == '$' || text_[at_] == '`') {
        expand(true);
      } else if (text_[at_] == '\\' && peek(1) == '\n') {
        at_ += 2;
      } else {
        if (text_[at_] == '\\' && is_one_of(text_.substr(at_ + 1, 1), {"\"", "\\", "$", "`"}))
          ++at_;
        add(peek());
        ++at_;
      }
    }
    ++at_;
  }

  /// A `$` or a backquote, in double quotes or not.
  void expand(bool is_quoted) {
    const std::size_t begin = at_;
    if (peek() == '`') return add_unknown(begin, text_.find('`', at_ + 1));
    if (peek(1) == '(') return add_unknown(begin, closing(at_ + 1, '(', ')'));
    if (peek(1) == '{') {
      const std::size_t end = closing(at_ + 1, '{', '}');
      if (end == std::string_view::npos) return add_unknown(begin, end);
      const std::string_view body = text_.substr(at_ + 2, end - at_ - 2);
      const std::string_view name = body.substr(0, name_length(body)),
                             rest = body.substr(name.size());
      const bool is_whole = rest == "[@]" || rest == "[*]";
      const bool has_default = rest.starts_with(":-");
      const auto held = is_whole || rest.empty() || has_default || rest.starts_with('-')
                            ? held_by(name)
                            : std::nullopt;
      if (!held || (has_default && (held->empty() || held->front().empty())))
        return add_unknown(begin, end);
      at_ = end + 1;
      return insert(*held, is_whole, is_quoted);
    }
    const std::string_view name = text_.substr(at_ + 1, name_length(text_.substr(at_ + 1)));
    const auto held = name.empty() ? std::nullopt : held_by(name);
    if (!held) {
      add(text_.substr(begin, 1 + name.size()));
      at_ += 1 + name.size();
      return;
    }
    at_ += 1 + name.size();
    insert(*held, false, is_quoted);
  }

  /// Nothing, too, where texts double from line to line: no launch is so long.
  std::optional<ShellWords> held_by(std::string_view name) {
    constexpr std::size_t kMost = 1 << 22;
    const auto found = variables_.find(name);
    if (found == variables_.end() || !found->second) return std::nullopt;
    for (const std::string& word : *found->second) inserted_ += word.size() + 1;
    return inserted_ > kMost ? std::nullopt : found->second;
  }

  void insert(const ShellWords& held, bool is_whole, bool is_quoted) {
    for (std::size_t i = 0; i < (is_whole ? held.size() : std::min<std::size_t>(held.size(), 1));
         ++i) {
      if (i > 0) end_word();
      if (is_quoted) {
        add(held[i]);
        continue;
      }
      std::string value = held[i];
      std::replace_if(
          value.begin(), value.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
      const auto parts = split(value, ' ');
      for (std::size_t part = 0; part < parts.size(); ++part) {
        if (part > 0) end_word();
        if (!parts[part].empty()) add(parts[part]);
      }
    }
  }

  std::size_t closing(std::size_t open, char opens, char closes) const {
    int depth = 0;
    for (std::size_t i = open; i < text_.size(); ++i) {
      depth += text_[i] == opens ? 1 : text_[i] == closes ? -1 : 0;
      if (depth == 0) return i;
    }
    return std::string_view::npos;
  }

  void add_unknown(std::size_t begin, std::size_t end) {
    end = std::min(end, text_.size() - 1);
    add(text_.substr(begin, end + 1 - begin));
    at_ = end + 1;
  }

  /// Of "2>&1" neither word is one of the command's; of a here-document no line is.
  void redirect() {
    if (!word_.empty() &&
        std::all_of(word_.begin(), word_.end(), [](char c) { return c >= '0' && c <= '9'; })) {
      word_.clear();
      has_word_ = false;
    }
    end_word();
    const bool is_document = peek() == '<' && peek(1) == '<' && peek(2) != '<';
    while (std::string_view("<>&|").find(peek()) != std::string_view::npos && peek() != '\0') ++at_;
    if (is_document)
      skip_document();
    else
      skips_word_ = true;
    while (peek() == ' ') ++at_;
  }

  void skip_document() {
    if (peek() == '-') ++at_;
    while (peek() == ' ') ++at_;
    std::string mark;
    while (at_ < text_.size() &&
           std::string_view(" \t\n;&|").find(peek()) == std::string_view::npos) {
      if (peek() != '\'' && peek() != '"' && peek() != '\\') mark += peek();
      ++at_;
    }
    const auto lines = text_.find('\n', at_);
    for (auto line = lines; line != std::string_view::npos; line = text_.find('\n', line + 1)) {
      const auto end = std::min(text_.find('\n', line + 1), text_.size());
      if (trim(text_.substr(line + 1, end - line - 1)) != mark) continue;
      at_ = end;
      return;
    }
    if (lines != std::string_view::npos) at_ = text_.size();
  }

  bool is_array() const {
    const auto found = assignment_in(word_);
    return found && found->value == word_.size() && is_first();
  }

  void read_array() {
    const Assignment to = *assignment_in(word_);
    word_.clear();
    has_word_ = false;
    ShellWords before = std::exchange(words_, {});
    ++at_;
    array_ = true;
    for (ends_array_ = false; at_ < text_.size() && !ends_array_;) read();
    end_word();
    array_ = false;
    assign(to, std::exchange(words_, std::move(before)), true);
  }

  /// Whether the word that is read stands where a command begins, or behind `export`.
  bool is_first() const { return words_.empty() || declares(); }
  bool declares() const {
    return !words_.empty() && is_one_of(words_.front(), {"export", "declare", "local", "readonly"});
  }

  void assign(const Assignment& to, ShellWords value, bool is_array = false) {
    auto& held = variables_[to.name];
    if (branches_ > 0) {
      held = std::nullopt;
    } else if (!to.adds) {
      held = std::move(value);
    } else if (held && is_array) {
      held->insert(held->end(), value.begin(), value.end());
    } else if (held && !held->empty()) {
      held->front() += value.empty() ? "" : value.front();
    }
  }

  void add(char c) {
    if (c == '\0') return;
    word_ += c;
    has_word_ = true;
  }
  void add(std::string_view text) {
    word_ += text;
    has_word_ = true;
  }

  void end_word() {
    if (!has_word_) return;
    std::string word = std::exchange(word_, "");
    has_word_ = false;
    if (std::exchange(skips_word_, false)) return;
    if (!array_ && words_.empty() && is_keyword(word)) return;
    const auto assigned = array_ ? std::nullopt : assignment_in(word);
    if (assigned && is_first()) {
      pending_.emplace_back(*assigned, word.substr(assigned->value));
      return;
    }
    words_.push_back(std::move(word));
  }

  bool is_keyword(std::string_view word) {
    if (is_one_of(word, {"if", "for", "while", "until", "case", "select"})) {
      ++branches_;
      return word == "if" || word == "while" || word == "until";
    }
    if (is_one_of(word, {"fi", "done", "esac"})) branches_ -= branches_ > 0 ? 1 : 0;
    return is_one_of(word,
                     {"then", "else", "elif", "do", "fi", "done", "esac", "!", "{", "}", "time"});
  }

  /// Before a program assignments are of its environment alone.
  void end_command() {
    end_word();
    if (words_.empty() || declares())
      for (const auto& [to, value] : pending_) assign(to, {value});
    pending_.clear();
    if (!words_.empty() && is_one_of(words_.front(), {"for", "select", "read", "unset"}))
      for (const std::string& word : words_) variables_[word] = std::nullopt;
    if (!words_.empty()) commands_.push_back(std::exchange(words_, {}));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  /// Without a value where only bash knows it.
  std::map<std::string, std::optional<ShellWords>, std::less<>> variables_;
  std::vector<ShellWords> commands_;
  ShellWords words_;
  std::vector<std::pair<Assignment, std::string>> pending_;
  std::string word_;
  bool has_word_ = false, skips_word_ = false, array_ = false, ends_array_ = false;
  int branches_ = 0;
  std::size_t inserted_ = 0;  ///< bytes of what variables held
};

}  // namespace

std::vector<ShellWords> shell_commands(
    std::string_view text, const std::vector<std::pair<std::string, std::string>>& env) {
  return Reader(text, env).commands();
}

bool has_unknown(std::string_view word) {
  return word.find_first_of("$`") != std::string_view::npos;
}

}  // namespace pippin
