// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/trainers/python_dict.h"

#include <utility>

#include "core/base/text.h"

namespace pippin {

std::vector<std::pair<std::string_view, std::string_view>> entries_in(std::string_view text) {
  constexpr std::string_view kColon = "': ", kBetween = ", ";
  std::vector<std::pair<std::string_view, std::string_view>> entries;
  while (text.starts_with('\'')) {
    const auto colon = text.find(kColon);
    if (colon == std::string_view::npos) break;
    const auto name = text.substr(1, colon - 1);
    text.remove_prefix(colon + kColon.size());
    const bool is_quoted = text.starts_with('\'');
    text.remove_prefix(is_quoted ? 1 : 0);
    const auto value = text.substr(0, text.find_first_of(is_quoted ? "'" : ",}"));
    if (value.size() == text.size()) break;
    entries.emplace_back(name, value);
    text.remove_prefix(value.size() + (is_quoted ? 1 : 0));
    text.remove_prefix(text.starts_with(kBetween) ? kBetween.size() : 0);
  }
  return entries;
}

std::string_view before_dict(std::string_view line, std::size_t brace) {
  const auto before = line.substr(0, brace);
  const auto other = before.rfind('}');
  return other == std::string_view::npos ? before : before.substr(other + 1);
}

void TornDict::begin(std::string_view line, std::size_t before) {
  all_ = line_ = line;
  before_ = before;
}

std::string TornDict::add(std::string_view next) {
  constexpr std::size_t kLongest = 4096;
  const auto before = std::string_view(line_).substr(0, before_);
  if (next.starts_with(before)) next.remove_prefix(before.size());
  next = trim(next);
  if (next.empty()) return {};
  const auto end = next.find_first_of("}{[|*#");  // the last are not in it
  const bool goes_on = end == std::string_view::npos;
  if ((!goes_on && next[end] != '}') || all_.size() + next.size() > kLongest) return this->end();
  while (all_.ends_with(' ')) all_.pop_back();
  if (all_.ends_with(',') || all_.ends_with(':')) all_ += ' ';
  all_ += next;
  if (goes_on) return {};
  line_.clear();
  return std::exchange(all_, {});
}

std::string TornDict::end() {
  all_.clear();
  return std::exchange(line_, {});
}

}  // namespace pippin
