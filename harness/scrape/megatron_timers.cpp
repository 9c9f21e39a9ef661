// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/megatron_timers.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "core/base/text.h"
#include "harness/scrape/characters.h"
#include "harness/scrape/trainers/prefix.h"

namespace pippin {

namespace {

bool is_name(std::string_view text) {
  return !text.empty() && is_letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_word(c) || c == '-'; });
}

}  // namespace

void TimerBlock::begin(std::string_view title) {
  constexpr std::string_view kMax = "max time", kAll = "times";
  const auto before = title.substr(0, title.find(kTitle));
  *this = {};
  for (const auto& [words, kind] : {std::pair(kMax, Kind::kMax), std::pair(kAll, Kind::kAll)}) {
    const auto prefix = before.substr(0, before.size() - std::min(words.size(), before.size()));
    if (before.ends_with(words) && is_prefix(prefix)) kind_ = kind;
  }
}

NamedValues TimerBlock::spread() {
  if (!least_ || !most_) return {};
  NamedValues values{{name_ + " min", value_of(*least_)}, {name_ + " max", value_of(*most_)}};
  least_.reset();
  most_.reset();
  return values;
}

NamedValues TimerBlock::take(std::string_view line) {
  const auto text = trim(line);
  const auto colon = text.rfind(':');
  const auto words = trim(text.substr(0, colon));
  const bool has_colon = colon != std::string_view::npos;
  const auto number = parse_number(trim(text.substr(has_colon ? colon + 1 : text.size())));
  const auto name = words.substr(0, words.find(' '));
  if (kind_ == Kind::kMax && number && is_name(name) && words.find(" .") != std::string_view::npos)
    return {{fmt::format("{} max", name), value_of(*number)}};
  if (kind_ == Kind::kAll && number && name == "rank" && !name_.empty()) {
    const double time_ms = number.value_or(0);
    least_ = least_ ? std::min(*least_, time_ms) : time_ms;
    most_ = most_ ? std::max(*most_, time_ms) : time_ms;
    return {};
  }
  NamedValues before = spread();
  const bool goes_on = kind_ == Kind::kAll && text.ends_with(':') && is_name(words);
  if (goes_on) {
    name_ = words;
  } else {
    *this = {};
  }
  return before;
}

}  // namespace pippin
