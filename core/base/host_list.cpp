// SPDX-License-Identifier: Apache-2.0
#include "core/base/host_list.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/text.h"

namespace pippin {

namespace {

constexpr std::size_t kMost = 100'000;

using Names = std::vector<std::string>;

/// Cuts at commas outside of brackets. Nothing where brackets do not match.
std::optional<Names> parts_of(std::string_view list) {
  Names parts(1);
  bool inside = false;
  for (const char c : list) {
    if ((c == '[' && inside) || (c == ']' && !inside)) return std::nullopt;
    if (c == '[' || c == ']') inside = c == '[';
    if (c == ',' && !inside) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (inside) return std::nullopt;
  return parts;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 9 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// "01-03" is 01, 02, 03; zeros in front keep the width.
bool add_range(std::string_view range, Names& numbers) {
  const auto dash = range.find('-');
  const std::string_view first = range.substr(0, dash);
  const std::string_view last = dash == std::string_view::npos ? first : range.substr(dash + 1);
  if (!is_number(first) || !is_number(last)) return false;
  const std::int64_t from = *parse_integer(first), to = *parse_integer(last);
  if (to < from || to - from >= static_cast<std::int64_t>(kMost)) return false;
  for (std::int64_t number = from; number <= to; ++number)
    numbers.push_back(fmt::format("{:0{}}", number, first.size()));
  return numbers.size() <= kMost;
}

std::optional<Names> numbers_of(std::string_view bracket) {
  Names numbers;
  for (const std::string_view range : split(bracket, ',')) {
    if (!add_range(range, numbers)) return std::nullopt;
  }
  return numbers;
}

/// Every name with every number behind it.
std::optional<Names> product(const Names& names, const Names& numbers) {
  if (names.size() * numbers.size() > kMost) return std::nullopt;
  Names result;
  for (const auto& name : names) {
    for (const auto& number : numbers) result.push_back(name + number);
  }
  return result;
}

std::optional<Names> expanded(std::string_view part) {
  Names names(1);
  while (!part.empty()) {
    const auto open = part.find('[');
    const std::string_view plain = part.substr(0, open);
    for (auto& name : names) name += plain;
    if (open == std::string_view::npos) break;
    const auto close = part.find(']', open);
    const auto numbers = numbers_of(part.substr(open + 1, close - open - 1));
    if (!numbers) return std::nullopt;
    auto next = product(names, *numbers);
    if (!next) return std::nullopt;
    names = std::move(*next);
    part.remove_prefix(close + 1);
  }
  return names;
}

bool is_name(std::string_view text) {
  return !text.empty() && std::none_of(text.begin(), text.end(), [](unsigned char c) {
    return c <= ' ' || c == '(' || c == ')' || c == '=' || c == ';';
  });
}

}  // namespace

std::optional<Names> host_names(std::string_view list) {
  const auto parts = parts_of(trim(list));
  if (!parts) return std::nullopt;
  Names hosts;
  std::unordered_set<std::string> seen;
  std::size_t written = 0;  // those that are written again and again take time, too
  for (const auto& part : *parts) {
    if (!is_name(part)) return std::nullopt;
    const auto names = expanded(part);
    if (!names) return std::nullopt;
    written += names->size();
    if (written > kMost) return std::nullopt;
    for (const auto& name : *names) {
      if (seen.insert(name).second) hosts.push_back(name);
    }
  }
  return hosts;
}

std::vector<std::string> host_names_of(std::string_view option, const std::string& list) {
  auto names = host_names(trim(list));
  if (!names || names->empty())
    bad_input("{} '{}': write names of nodes, such as n[1-3],n7", option, printable(list));
  return *std::move(names);
}

}  // namespace pippin
