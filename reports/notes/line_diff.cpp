// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/line_diff.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace pippin {

namespace {

constexpr std::size_t kContext = 3;  // lines around a change, as diff has them

/// With their ends.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

/// Lines from one to before another that hold changes with their context.
struct Hunk {
  std::size_t from, to;
};

using Lines = std::vector<std::string_view>;

std::vector<Hunk> hunks_of(const Lines& before, const Lines& after) {
  std::vector<Hunk> hunks;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] == after[i]) continue;
    const std::size_t from = i - std::min(i, kContext),
                      to = std::min(i + kContext + 1, before.size());
    if (!hunks.empty() && from <= hunks.back().to) {
      hunks.back().to = to;
    } else {
      hunks.push_back({from, to});
    }
  }
  return hunks;
}

void add_line(std::string& text, char mark, std::string_view line) {
  text += mark;
  text += line;
  if (line.back() != '\n') text += "\n\\ No newline at end of file\n";
}

void add_hunk(std::string& text, const Lines& before, const Lines& after, const Hunk& hunk) {
  const std::size_t count = hunk.to - hunk.from;
  const std::string range =
      count == 1 ? fmt::format("{}", hunk.from + 1) : fmt::format("{},{}", hunk.from + 1, count);
  text += fmt::format("@@ -{0} +{0} @@\n", range);
  for (std::size_t i = hunk.from; i < hunk.to;) {
    std::size_t end = i;
    while (end < hunk.to && before[end] != after[end]) ++end;
    for (std::size_t k = i; k < end; ++k) add_line(text, '-', before[k]);
    for (std::size_t k = i; k < end; ++k) add_line(text, '+', after[k]);
    if (end == i) add_line(text, ' ', before[end++]);
    i = end;
  }
}

}  // namespace

std::string line_diff(std::string_view before, std::string_view after, const std::string& name) {
  const Lines old_lines = lines_of(before), new_lines = lines_of(after);
  const auto hunks = hunks_of(old_lines, new_lines);
  if (hunks.empty()) return "";
  // A tab ends a name that has blanks.
  const char* end = name.find(' ') == std::string::npos ? "" : "\t";
  std::string text = fmt::format("--- {0}{1}\n+++ {0}{1}\n", name, end);
  for (const auto& hunk : hunks) add_hunk(text, old_lines, new_lines, hunk);
  return text;
}

}  // namespace pippin
