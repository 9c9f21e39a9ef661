// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/last_words.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <vector>

#include "core/base/text.h"
#include "harness/scrape/characters.h"
#include "harness/scrape/endings.h"

namespace pippin {

namespace {

constexpr int kSignalled = 128;
constexpr std::size_t kLongestWords = 500;
constexpr std::size_t kFarthest = 64 << 10;  // bytes from the end of a log that are looked at

/// "  7125 Segmentation fault  ( train )".
bool reports_signal(std::string_view said) {
  said = trim(said);
  const auto end = std::find_if_not(said.begin(), said.end(), is_digit);
  return end != said.begin() && end != said.end() && *end == ' ';
}

/// Open MPI puts what it says of a failed launch between such lines.
bool is_rule(std::string_view line) {
  constexpr std::size_t kShortest = 20;
  return line.size() >= kShortest && line.find_first_not_of('-') == std::string_view::npos;
}

/// What Open MPI says of its own messages about a failed launch: "[n1:7] 1 more process has sent
/// help message …", "[n1:7] [[18427,0],0] ORTE_ERROR_LOG: …". Source: Open MPI 4.1,
/// orte/util/show_help.c.
bool is_about_messages(std::string_view line) {
  constexpr std::string_view kSaid[] = {"ORTE_ERROR_LOG: ", " sent help message ",
                                        "] Set MCA parameter \"orte_base_help_aggregate\""};
  return line.starts_with('[') &&
         std::any_of(std::begin(kSaid), std::end(kSaid), [&](std::string_view words) {
           return line.find(words) != std::string_view::npos;
         });
}

/// The lines before which the run's shell reported that a signal ended the run: what follows is
/// the text of its command.
void cut_signal_report(std::vector<std::string_view>& lines) {
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    const auto said = said_of_script(*line);
    if (!said || !reports_signal(*said)) continue;
    lines.erase(line.base() - 1, lines.end());
    return;
  }
}

/// "srun: error: n2: task 3: Killed": of the ranks that srun has lost the first that was killed,
/// and so had no words of its own. Empty where none was.
std::string_view killed_rank(const std::vector<std::string_view>& lines) {
  const auto found = std::find_if(lines.begin(), lines.end(), [](std::string_view line) {
    return line.starts_with("srun: error: ") && line.find(": task") != std::string_view::npos &&
           trim(line).ends_with(": Killed");
  });
  return found == lines.end() ? std::string_view() : trim(*found);
}

/// Takes the blocks of mpirun and the lines of srun from the end.
void cut_launchers(std::vector<std::string_view>& lines) {
  while (!lines.empty()) {
    const std::string_view last = trim(lines.back());
    if (is_rule(last)) {
      const auto begin = std::find_if(lines.rbegin() + 1, lines.rend(),
                                      [](std::string_view line) { return is_rule(trim(line)); });
      lines.erase(begin == lines.rend() ? lines.end() - 1 : begin.base() - 1, lines.end());
    } else if (last.empty() || last.starts_with("srun: ") || is_about_messages(last)) {
      lines.pop_back();
    } else {
      return;
    }
  }
}

/// Without the NULs of holes: a log may end in one.
std::string end_of_text(std::string_view log) {
  const auto end = log.find_last_not_of('\0');
  log = log.substr(0, end == std::string_view::npos ? 0 : end + 1);
  std::string text(log.substr(log.size() - std::min(log.size(), kFarthest)));
  std::erase(text, '\0');
  return text;
}

std::string last_of(const std::vector<std::string_view>& lines) {
  const auto last = std::find_if(lines.rbegin(), lines.rend(), [](std::string_view line) {
    const std::string_view text = trim(line);
    return !text.empty() && !is_rule(text);
  });
  if (last == lines.rend()) return "";
  return in_short(printable(trim(said_of_script(*last).value_or(*last))), kLongestWords);
}

}  // namespace

std::optional<std::string_view> said_of_script(std::string_view line) {
  constexpr std::string_view kScript = "/job.sh: line ";
  const auto at = line.find(kScript);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = line.substr(at + kScript.size());
  const auto colon = std::find_if_not(rest.begin(), rest.end(), is_digit);
  if (colon == rest.begin() || colon == rest.end() || *colon != ':') return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(colon - rest.begin()) + 1);
  return rest.starts_with(' ') ? rest.substr(1) : rest;
}

std::string last_words(std::string_view log, int exit_code) {
  const std::string text = end_of_text(log);
  auto lines = split(text, '\n');
  if (exit_code > kSignalled) cut_signal_report(lines);
  // Where srun ended the others with it, they and slurmstepd speak last.
  if (const auto killed = killed_rank(lines); !killed.empty() && exit_code > kSignalled)
    return printable(killed);
  auto own = lines;
  cut_launchers(own);
  const std::string words = last_of(own);
  return words.empty() ? last_of(lines) : words;
}

std::string out_of_memory_line(std::string_view log) {
  static const auto kSigns = Ending::signs();
  Ending ending;
  const std::string text = end_of_text(log);
  for (const auto line : split(text, '\n')) {
    for (std::size_t sign = 0; sign < kSigns.size(); ++sign)
      if (line.find(kSigns[sign]) != std::string_view::npos) ending.see(sign, line, 0);
  }
  return ending.state(0) == RunState::kOom ? ending.evidence(0) : "";
}

std::string exit_text(int exit_code) {
  const int signal = exit_code - kSignalled;
  if (signal < SIGHUP || signal > SIGSYS) return fmt::format("exit {}", exit_code);
  return fmt::format("exit {} ({})", exit_code, ::strsignal(signal));
}

}  // namespace pippin
