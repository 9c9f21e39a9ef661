// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "core/base/hash.h"
#include "core/base/utf8.h"

namespace pippin {

namespace {

// A search through a text of six costs a call for each character.
constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view without_plus(std::string_view text) {
  const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+';
  return plus ? text.substr(1) : text;
}

bool safe_in_file_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '.' || c == '_' || c == '+' || c == '=';
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  text = without_plus(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_number(std::string_view text) {
  text = without_plus(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::string number_text(double number) {
  // Whole numbers stay whole up to where doubles can still tell neighbours apart.
  if (number == std::floor(number) && std::abs(number) < 9007199254740992.0) {
    return std::to_string(static_cast<std::int64_t>(number));
  }
  return fmt::format("{}", number);
}

/// The optimal string alignment distance: Damerau-Levenshtein without overlapping swaps.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> costs((a.size() + 1) * (b.size() + 1));
  const auto cost = [&, row = b.size() + 1](std::size_t i, std::size_t j) -> std::size_t& {
    return costs[i * row + j];
  };
  for (std::size_t i = 0; i <= a.size(); ++i) cost(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost(0, j) = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = cost(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost(i, j) = std::min({cost(i - 1, j) + 1, cost(i, j - 1) + 1, change});
      const bool swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swap) cost(i, j) = std::min(cost(i, j), cost(i - 2, j - 2) + 1);
    }
  }
  return cost(a.size(), b.size());
}

std::optional<std::string> closest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongest = 1000;  // letters; nobody mistypes more
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    const auto [shorter, longer] = std::minmax({word.size(), candidate.size()});
    if (longer - shorter >= best_distance || longer > kLongest) continue;
    const std::size_t distance = edit_distance(lower(word), lower(candidate));
    if (distance < best_distance && distance < std::max(word.size(), candidate.size())) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const auto meant = closest(word, candidates);
  return meant ? fmt::format(", did you mean '{}'?", *meant) : "";
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string file_name_of(std::string_view text) {
  constexpr std::size_t kLongest = 100, kHashDigits = 8;
  const bool hidden_or_option = !text.empty() && (text[0] == '.' || text[0] == '-');
  if (!text.empty() && text.size() <= kLongest && !hidden_or_option &&
      std::all_of(text.begin(), text.end(), safe_in_file_name))
    return std::string(text);
  std::string name;
  for (char c : text) {
    if (safe_in_file_name(c)) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  name.erase(0, name.find_first_not_of(".-"));
  name.resize(std::min(name.size(), kLongest - kHashDigits - 1));
  while (!name.empty() && name.back() == '-') name.pop_back();
  return fmt::format("{}{}{}", name, name.empty() ? "" : "-", hash_of(text).substr(0, kHashDigits));
}

bool is_text(std::string_view bytes) {
  while (!bytes.empty()) {
    const Character character = first_character(bytes);
    if (!character.valid || bytes[0] == '\0') return false;
    bytes.remove_prefix(character.bytes.size());
  }
  return true;
}

std::string in_short(std::string_view text, std::size_t most) {
  text = trim(text);
  if (text.size() <= most) return printable(text);
  constexpr unsigned kKind = 0xc0, kWithin = 0x80;  // a character of UTF-8
  while (most > 0 && (static_cast<unsigned char>(text[most]) & kKind) == kWithin) --most;
  return printable(text.substr(0, most)) + " …";
}

std::string printable(std::string_view text) {
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~'; };
  if (std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);  // nearly always
  std::string line;
  while (!text.empty()) {
    const Character character = first_character(text);
    if (text[0] == '\n' || text[0] == '\t' || text[0] == '\r') {
      line += text[0] == '\n' ? "\\n" : text[0] == '\t' ? "\\t" : "\\r";
    } else if (character.valid && !character.steers) {
      line += character.bytes;
    } else if (character.bytes.size() == 1) {
      line += fmt::format("\\x{:02x}", character.code);
    } else {
      line += fmt::format("\\u{:04x}", character.code);
    }
    text.remove_prefix(character.bytes.size());
  }
  return line;
}

namespace {

/// How many bytes of a colour, such as "\033[1m", a text begins with.
std::size_t colour_length(std::string_view text) {
  if (!text.starts_with("\033[")) return 0;
  const auto end = text.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

}  // namespace

std::string printable_lines(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const bool is_blank = text[0] == '\n' || text[0] == '\t';
    const std::size_t kept = is_blank ? 1 : colour_length(text);
    const std::size_t end =
        kept > 0 ? kept : std::min(text.find_first_of("\n\t\033", 1), text.size());
    lines += kept > 0 ? std::string(text.substr(0, end)) : printable(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

}  // namespace pippin
