// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/stage_layout.h"

#include <algorithm>
#include <string>

#include "core/base/text.h"

namespace pippin {

namespace {

constexpr std::size_t kLongest = 100'000;

/// Each "X*3" or, with brackets, "(XY)*3" is X or XY three times. Nothing where it is too long.
std::optional<std::string> unrolled(std::string_view text, bool brackets) {
  std::string all;
  std::size_t at = 0;
  while (at < text.size()) {
    std::string_view part = text.substr(at, 1);
    std::size_t end = at + 1;
    if (brackets && text[at] == '(') {
      const auto close = text.find(')', at);
      if (close == std::string_view::npos || close == at + 1) return std::nullopt;
      part = text.substr(at + 1, close - at - 1);
      end = close + 1;
      if (end >= text.size() || text[end] != '*') return std::nullopt;
    }
    std::int64_t times = 1;
    if (end < text.size() && text[end] == '*' && (text[at] == '(') == brackets) {
      auto digits = end + 1;
      while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
      const auto count = parse_integer(text.substr(end + 1, digits - end - 1));
      if (!count || *count > static_cast<std::int64_t>(kLongest)) return std::nullopt;
      times = *count;
      end = digits;
    }
    if (all.size() + part.size() * static_cast<std::size_t>(times) > kLongest) return std::nullopt;
    for (std::int64_t i = 0; i < times; ++i) all += part;
    at = end;
  }
  return all;
}

/// Each layer with its letter.
std::optional<std::string> written_out(std::string_view text) {
  std::string plain;
  for (const char c : text)
    if (std::string_view(", \"'").find(c) == std::string_view::npos) plain += c;
  const auto grouped = unrolled(plain, true);
  auto whole = grouped ? unrolled(*grouped, false) : std::nullopt;
  if (!whole || whole->find_first_not_of("EtmL|") != std::string::npos) return std::nullopt;
  return whole;
}

}  // namespace

std::optional<std::int64_t> stages_in(std::string_view text) {
  const auto whole = written_out(text);
  if (!whole) return std::nullopt;
  return std::count(whole->begin(), whole->end(), '|') + 1;
}

std::optional<StageLayout> stage_layout(std::string_view text, std::int64_t pp,
                                        std::int64_t mtp_layers) {
  const auto whole = written_out(text);
  if (!whole) return std::nullopt;
  const auto stages = split(*whole, '|');
  if (pp < 1 || std::ssize(stages) % pp != 0) return std::nullopt;
  const auto count = [&](char c) { return std::count(whole->begin(), whole->end(), c); };
  if (count('E') != 1 || count('L') != 1 || !stages.front().starts_with('E')) return std::nullopt;
  if (!whole->ends_with('L') || count('m') != mtp_layers) return std::nullopt;
  const auto behind = whole->find_first_of("mL");
  if (whole->find('t', behind) != std::string::npos) return std::nullopt;
  StageLayout layout;
  layout.layers.reserve(stages.size());
  for (const std::string_view stage : stages)
    layout.layers.push_back(std::count(stage.begin(), stage.end(), 't'));
  if (mtp_layers == 0) return layout;
  const std::string_view rest = std::string_view(*whole).substr(behind);
  if (rest.find_first_not_of('m') < static_cast<std::size_t>(mtp_layers)) return std::nullopt;
  layout.mtp_ahead = std::count(rest.begin(), rest.end(), '|');
  if (layout.mtp_ahead > 0 && layout.mtp_ahead >= pp - 1) return std::nullopt;
  return layout;
}

}  // namespace pippin
