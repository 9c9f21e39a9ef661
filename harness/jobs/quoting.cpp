#include "harness/jobs/quoting.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "harness/base/placeholders.h"

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
enum class Context { kBare, kSingle, kDouble };

/// Follows bash's quotes over literal code. `$'…'` and here-documents are not followed: a
/// placeholder in them is treated as bare code would be.
Context after(std::string_view code, Context context) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    const char c = code[i];
    if (context != Context::kSingle && c == '\\') {
      ++i;
    } else if (context == Context::kBare && (c == '\'' || c == '"')) {
      context = c == '\'' ? Context::kSingle : Context::kDouble;
    } else if ((context == Context::kSingle && c == '\'') ||
               (context == Context::kDouble && c == '"')) {
      context = Context::kBare;
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
    case Context::kBare:
      break;
  }
  return word;
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

std::string filled(std::string_view code,
                   const std::function<Filling(const std::string&)>& filling) {
  std::string text;
  Context context = Context::kBare;
  for (const Piece& piece : placeholders(code)) {
    text += piece.is_name ? in_context(filling(piece.text), context) : piece.text;
    if (!piece.is_name) context = after(piece.text, context);
  }
  return text;
}

}  // namespace pippin
