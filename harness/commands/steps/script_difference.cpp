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

ScriptDifference unlike_words(std::string_view then, std::string_view now) {
  const Words a = split(then, ' '), b = split(now, ' ');
  auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  auto [end_a, end_b] = std::mismatch(a.rbegin(), std::make_reverse_iterator(in_a), b.rbegin(),
                                      std::make_reverse_iterator(in_b));
  if (in_a != a.begin()) --in_a, --in_b;
  return {joined(in_a, end_a.base()), joined(in_b, end_b.base())};
}

}  // namespace

ScriptDifference first_difference(const std::string& then, const std::string& now) {
  const Words a = lines_that_count(then), b = lines_that_count(now);
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (in_a != a.end() && in_b != b.end() && a.size() == b.size()) return unlike_words(*in_a, *in_b);
  if (in_a != a.end() && a.size() > b.size()) return {std::string(*in_a), ""};
  if (in_b != b.end()) return {"", std::string(*in_b)};
  return {};
}

}  // namespace pippin
