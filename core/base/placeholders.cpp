// SPDX-License-Identifier: Apache-2.0
#include "core/base/placeholders.h"

#include <algorithm>

namespace pippin {

namespace {

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool continues_name(char c) { return begins_name(c) || (c >= '0' && c <= '9'); }

/// The identifier that stands first in `text`, maybe empty.
std::string_view leading_name(std::string_view text) {
  if (text.empty() || !begins_name(text[0])) return {};
  std::size_t length = 1;
  while (length < text.size() && continues_name(text[length])) ++length;
  return text.substr(0, length);
}

/// The name in `text` = "OPEN name CLOSE…", or nothing.
std::string_view name_between(std::string_view open, std::string_view text,
                              std::string_view close) {
  if (!text.starts_with(open)) return {};
  const std::string_view name = leading_name(text.substr(open.size()));
  return text.substr(open.size() + name.size()).starts_with(close) ? name : std::string_view();
}

void add_literal(std::vector<Piece>& pieces, std::string_view text) {
  if (pieces.empty() || pieces.back().is_name) pieces.push_back({false, {}});
  pieces.back().text += text;
}

}  // namespace

bool is_identifier(std::string_view text) {
  return !text.empty() && leading_name(text).size() == text.size();
}

std::vector<Piece> placeholders(std::string_view text) {
  std::vector<Piece> pieces;
  char before = '\0';
  while (!text.empty()) {
    if (const auto plain = std::min(text.find('{'), text.size()); plain > 0) {
      add_literal(pieces, text.substr(0, plain));
      before = text[plain - 1];
      text.remove_prefix(plain);
      continue;
    }
    const std::string_view escaped = name_between("{{", text, "}}");
    const std::string_view name = before == '$' ? std::string_view() : name_between("{", text, "}");
    std::size_t length = 1;
    if (!escaped.empty()) {
      length = escaped.size() + 4;
      add_literal(pieces, text.substr(1, length - 2));
    } else if (!name.empty()) {
      length = name.size() + 2;
      pieces.push_back({true, std::string(name)});
    } else {
      add_literal(pieces, text.substr(0, 1));
    }
    before = text[length - 1];
    text.remove_prefix(length);
  }
  return pieces;
}

}  // namespace pippin
