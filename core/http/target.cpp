// SPDX-License-Identifier: Apache-2.0
#include "core/http/target.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "core/base/text.h"

namespace pippin::http {

namespace {

/// -1 where it is no hexadecimal digit.
int digit_of(char c) {
  constexpr int kTen = 10;
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + kTen;
  if (c >= 'A' && c <= 'F') return c - 'A' + kTen;
  return -1;
}

std::optional<std::string> decoded(std::string_view text, bool plus_is_blank) {
  constexpr int kBase = 16;
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = digit_of(text[i + 1]), low = digit_of(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * kBase + low);
      if (c == '\0') return std::nullopt;
      i += 2;
    } else if (c == '+' && plus_is_blank) {
      c = ' ';
    } else if (c <= ' ' || c > '~') {
      return std::nullopt;
    }
    result += c;
  }
  return result;
}

std::optional<std::vector<std::string>> path_of(std::string_view text) {
  std::vector<std::string> path;
  if (text == "/") return path;
  for (const auto part : split(text.substr(1), '/')) {
    auto name = decoded(part, false);
    if (!name || name->empty() || *name == "." || *name == "..") return std::nullopt;
    path.push_back(std::move(*name));
  }
  return path;
}

bool is_plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("-._~").find(c) != std::string_view::npos;
}

}  // namespace

std::optional<std::string> Target::said(std::string_view name) const {
  const auto found = std::find_if(query.begin(), query.end(),
                                  [&](const auto& entry) { return entry.first == name; });
  return found == query.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Target> target_of(std::string_view text) {
  if (!text.starts_with('/')) return std::nullopt;
  const auto question = text.find('?');
  auto path = path_of(text.substr(0, question));
  if (!path) return std::nullopt;
  Target target{std::move(*path), {}};
  if (question == std::string_view::npos) return target;
  for (const auto entry : split(text.substr(question + 1), '&')) {
    const auto equal = entry.find('=');
    auto name = decoded(entry.substr(0, equal), true);
    auto value = equal == std::string_view::npos ? std::optional<std::string>("")
                                                 : decoded(entry.substr(equal + 1), true);
    if (!name || !value) return std::nullopt;
    if (!name->empty()) target.query.emplace_back(std::move(*name), std::move(*value));
  }
  return target;
}

std::string percent_encoded(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (is_plain(c))
      result += c;
    else
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

std::string path_text(const std::vector<std::string>& path) {
  std::string text;
  for (const auto& part : path) text += "/" + percent_encoded(part);
  return text.empty() ? "/" : text;
}

std::string html_text(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace pippin::http
