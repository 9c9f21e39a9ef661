// SPDX-License-Identifier: Apache-2.0
#include "core/jobs/quoting.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "core/base/placeholders.h"
#include "core/base/text.h"

namespace pippin {

namespace {

bool needs_no_quotes(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) ||
         std::string_view("_-./+,:@%").find(c) != std::string_view::npos;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

/// $'…': the one form of bash that shows control characters on one line.
std::string ansi_quoted(std::string_view text) {
  std::string word = "$'";
  for (char c : text) {
    if (c == '\n') {
      word += "\\n";
    } else if (c == '\t') {
      word += "\\t";
    } else if (is_control(c)) {
      word += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    } else {
      if (c == '\'' || c == '\\') word += '\\';
      word += c;
    }
  }
  return word + "'";
}

/// Where in bash code a placeholder stands.
enum class Context { kBare, kSingle, kDouble, kAnsi, kComment };

/// The context behind `c` where it is not escaped; `before` is the character before it.
Context after(char c, char before, Context context) {
  const bool begins_word = std::string_view(" \t\n;&|()").find(before) != std::string_view::npos;
  switch (context) {
    case Context::kBare:
      if (c == '\'') return before == '$' ? Context::kAnsi : Context::kSingle;
      if (c == '"') return Context::kDouble;
      return c == '#' && begins_word ? Context::kComment : context;
    case Context::kSingle:
    case Context::kAnsi:
      return c == '\'' ? Context::kBare : context;
    case Context::kDouble:
      return c == '"' ? Context::kBare : context;
    case Context::kComment:
      return c == '\n' ? Context::kBare : context;
  }
  return context;
}

/// Follows bash's quotes over literal code that `before` stands in front of. Here-documents and
/// quotes within `"$(…)"` are not followed.
Context after(std::string_view code, char before, Context context) {
  for (std::size_t i = 0; i < code.size(); before = code[i++]) {
    const bool escapes = context != Context::kSingle && context != Context::kComment;
    if (code[i] == '\\' && escapes) {
      ++i;
      if (i == code.size()) break;
    } else {
      context = after(code[i], before, context);
    }
  }
  return context;
}

std::string word_of(const Filling& filling) {
  switch (filling.kind) {
    case Filling::Kind::kVariable:
      return fmt::format("\"${{{}}}\"", filling.text);
    case Filling::Kind::kCode:
      return filling.text;
    case Filling::Kind::kData:
      break;
  }
  return bash_word(filling.text);
}

/// Steps out of the quotes, says the word, steps in again: right for every content.
std::string in_context(const Filling& filling, Context context) {
  std::string word = word_of(filling);
  if (word == filling.text) return word;
  switch (context) {
    case Context::kSingle:
      return "'" + word + "'";
    case Context::kDouble:
      return "\"" + word + "\"";
    case Context::kAnsi:
      return "'" + word + "$'";
    case Context::kBare:
    case Context::kComment:
      break;
  }
  return word;
}

/// `code` with every {name} doubled to {{name}}, which a template reads as the text {name}.
std::string without_placeholders(std::string_view code) {
  std::string text;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const auto end = code[i] == '{' ? code.find('}', i) : std::string_view::npos;
    const bool is_name =
        end != std::string_view::npos && is_identifier(code.substr(i + 1, end - i - 1));
    if (!is_name) {
      text += code[i];
      continue;
    }
    text += fmt::format("{{{}}}", code.substr(i, end + 1 - i));
    i = end;
  }
  return text;
}

std::string template_word(std::string_view word) {
  if (word.empty()) return bash_word(word);
  std::string text;
  for (const Piece& piece : placeholders(word)) {
    text += piece.is_name ? fmt::format("{{{}}}", piece.text)
                          : without_placeholders(bash_word(piece.text));
  }
  return text;
}

}  // namespace

std::string bash_word(std::string_view text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), needs_no_quotes))
    return std::string(text);
  if (std::any_of(text.begin(), text.end(), is_control)) return ansi_quoted(text);
  std::string word = "'";
  for (char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string bash_command(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  bool may_assign = true;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    may_assign = may_assign && equals != std::string::npos && is_identifier(word.substr(0, equals));
    const std::size_t bare = may_assign ? equals + 1 : 0;
    quoted.push_back(word.substr(0, bare) + template_word(std::string_view(word).substr(bare)));
  }
  return join(quoted, " ");
}

std::string filled(std::string_view code,
                   const std::function<Filling(const std::string&)>& filling) {
  std::string text;
  Context context = Context::kBare;
  char before = '\n';
  for (const Piece& piece : placeholders(code)) {
    text += piece.is_name ? in_context(filling(piece.text), context) : piece.text;
    if (!piece.is_name) context = after(piece.text, before, context);
    before = piece.is_name ? 'x' : piece.text.back();
  }
  return text;
}

}  // namespace pippin
