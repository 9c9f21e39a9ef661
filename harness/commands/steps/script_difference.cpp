// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/script_difference.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/base/text.h"

namespace pippin {

namespace {

using Words = std::vector<std::string_view>;

Words lines_that_count(const std::string& script) {
  Words lines = split(script, '\n');
  std::erase_if(lines, [](std::string_view line) {
    const bool is_option = line.starts_with("#SBATCH") || line.starts_with("#PBS");
    return trim(line).empty() || (line.starts_with("#") && !is_option);
  });
  return lines;
}

std::string joined(Words::const_iterator begin, Words::const_iterator end) {
  std::string text;
  for (; begin != end; ++begin) {
    if (!text.empty()) text += ' ';
    text += *begin;
  }
  return text;
}

/// Of long words what both begin with says nothing.
ScriptDifference without_long_beginning(ScriptDifference found) {
  constexpr std::size_t kLong = 80, kKept = 20;
  const auto begin = static_cast<std::size_t>(
      std::mismatch(found.then.begin(), found.then.end(), found.now.begin(), found.now.end())
          .first -
      found.then.begin());
  if (begin < kLong) return found;
  for (std::string* text : {&found.then, &found.now}) text->replace(0, begin - kKept, "…");
  return found;
}

ScriptDifference unlike_words(std::string_view then, std::string_view now) {
  const Words a = split(then, ' '), b = split(now, ' ');
  auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  auto [end_a, end_b] = std::mismatch(a.rbegin(), std::make_reverse_iterator(in_a), b.rbegin(),
                                      std::make_reverse_iterator(in_b));
  if (in_a != a.begin()) --in_a, --in_b;
  ScriptDifference found{joined(in_a, end_a.base()), joined(in_b, end_b.base())};
  if (trim(found.then) == trim(found.now)) found = {std::string(then), std::string(now)};  // blanks
  return without_long_beginning(std::move(found));
}

}  // namespace

ScriptDifference first_difference(const std::string& then, const std::string& now) {
  const Words a = lines_that_count(then), b = lines_that_count(now);
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (in_a == a.end() && in_b == b.end()) return {};
  const bool is_new = in_a == a.end() || (in_b + 1 < b.end() && *in_a == *(in_b + 1));
  const bool is_gone = in_b == b.end() || (in_a + 1 < a.end() && *in_b == *(in_a + 1));
  if (in_b != b.end() && is_new && !is_gone) return {"", std::string(*in_b)};
  if (in_a != a.end() && is_gone && !is_new) return {std::string(*in_a), ""};
  return unlike_words(*in_a, *in_b);
}

}  // namespace pippin
