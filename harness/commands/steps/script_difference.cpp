// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/script_difference.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/base/shell_words.h"
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

/// The first word behind `beginning` at a line's start, without quotes; empty where there is none.
std::string word_behind(std::string_view beginning, const std::string& script) {
  for (const std::string_view line : split(script, '\n')) {
    if (!line.starts_with(beginning)) continue;
    const auto commands = shell_commands(": " + std::string(line.substr(beginning.size())));
    return commands.empty() || commands[0].size() < 2 ? "" : commands[0][1];
  }
  return "";
}

/// "/x.runs" of "/a/x.runs" in "/a"; empty where it lies elsewhere.
std::string_view place_in(std::string_view folder, std::string_view path) {
  return !folder.empty() && path.starts_with(folder) && path.substr(folder.size()).starts_with('/')
             ? path.substr(folder.size())
             : "";
}

bool goes_on(std::string_view text) {  // a name that began before it
  constexpr std::string_view kEnds = "/ \t\n'\"\\;:,=)}&|<>";
  return !text.empty() && kEnds.find(text.front()) == std::string_view::npos;
}

}  // namespace

FolderOfThen::FolderOfThen(const std::string& script_then, const std::string& script_now) {
  const std::string then = word_behind("cd ", script_then), now = word_behind("cd ", script_now);
  const std::string runs_then = word_behind("pippin_root=", script_then);
  const std::string runs_now = word_behind("pippin_root=", script_now);
  const auto place = place_in(then, runs_then);
  if (then != now && !place.empty() && place == place_in(now, runs_now)) then_ = then, now_ = now;
}

std::string FolderOfThen::in_words_of_now(const std::string& then, const std::string& today) const {
  if (then_.empty()) return then;
  const Words lines = split(today, '\n');
  const std::unordered_set<std::string_view> kept(lines.begin(), lines.end());
  std::string text;
  for (const std::string_view line : split(then, '\n'))
    text += (kept.contains(line) ? std::string(line) : moved(std::string(line))) + '\n';
  text.pop_back();  // as many ends of lines as before
  return text;
}

std::string FolderOfThen::moved(std::string text) const {
  for (std::size_t at = 0; (at = text.find(then_, at)) != std::string::npos;) {
    const std::size_t end = at + then_.size();
    if (goes_on(std::string_view(text).substr(end))) {
      at = end;
    } else {
      text.replace(at, then_.size(), now_);
      at += now_.size();
    }
  }
  return text;
}

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
