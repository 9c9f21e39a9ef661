// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/table_reader.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"

namespace pippin {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!(line = trim(line)).empty()) {
    words.push_back(line.substr(0, line.find_first_of(" \t")));
    line.remove_prefix(words.back().size());
  }
  return words;
}

std::optional<double> positive(std::string_view word) {
  const auto number = parse_number(word);
  return number && *number > 0 ? number : std::nullopt;
}

void add_size(std::vector<CanaryAllReduce>& sizes, const CanaryAllReduce& size) {
  const auto same = [&](const auto& known) { return known.bytes == size.bytes; };
  if (std::none_of(sizes.begin(), sizes.end(), same)) sizes.push_back(size);
}

void add_problem(NetworkTables& found, std::string problem) {
  auto& problems = found.problems;
  if (std::find(problems.begin(), problems.end(), problem) == problems.end())
    problems.push_back(std::move(problem));
}

}  // namespace pippin
