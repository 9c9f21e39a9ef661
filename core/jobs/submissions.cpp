// SPDX-License-Identifier: Apache-2.0
// What pippin notes of what it hands over.
#include <algorithm>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/jobs/protocol.h"

namespace pippin {

namespace {

/// "gpt-52b-n4-s12" → 12; nothing where the name is no submission's.
std::optional<std::int64_t> number_of_submission(std::string_view name) {
  constexpr std::int64_t kMost = 1'000'000'000;  // there must be a next one
  const auto mark = name.rfind("-s");
  const auto number =
      mark == std::string_view::npos ? std::nullopt : parse_integer(name.substr(mark + 2));
  return number && *number <= kMost ? number : std::nullopt;
}

constexpr std::pair<End, std::string_view> kEndWords[] = {
    {End::kCompleted, "completed"}, {End::kApplication, "application"},
    {End::kLimit, "limit"},         {End::kInfrastructure, "infrastructure"},
    {End::kUser, "user"},           {End::kUnknown, "unknown"}};

std::string_view word_of(End end) {
  return std::find_if(std::begin(kEndWords), std::end(kEndWords),
                      [&](const auto& entry) { return entry.first == end; })
      ->second;
}

End end_of(std::string_view word) {
  const auto found = std::find_if(std::begin(kEndWords), std::end(kEndWords),
                                  [&](const auto& entry) { return entry.second == word; });
  return found == std::end(kEndWords) ? End::kUnknown : found->first;
}

/// Seconds since 1970 from which others can be counted; nothing where they are none.
std::optional<std::int64_t> moment_in(std::string_view word) {
  constexpr std::int64_t kLatest_s = 1'000'000'000'000;
  const auto at = parse_integer(word);
  return at && *at >= 0 && *at <= kLatest_s ? at : std::nullopt;
}

/// Lines of "TASK<tab>seconds since 1970".
std::map<std::int64_t, std::int64_t> read_times(std::string_view text) {
  std::map<std::int64_t, std::int64_t> time_of;
  for (std::string_view line : split(trim(text), '\n')) {
    const auto words = split(line, '\t');
    const auto task = parse_integer(words.front()), time = moment_in(words.back());
    if (task && time) time_of[*task] = *time;
  }
  return time_of;
}

/// A line of who looked, then lines of "TASK<tab>first<tab>last".
Missed read_missed(std::string_view text) {
  Missed missed;
  const auto lines = split(trim(text), '\n');
  missed.host = lines.front();
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto words = split(lines[i], '\t');
    const auto task = parse_integer(words.front());
    const auto first = words.size() == 3 ? moment_in(words[1]) : std::nullopt;
    const auto last = moment_in(words.back());
    if (task && first && last) missed.tasks[*task] = {*first, *last};
  }
  return missed;
}

std::string journal_text(const Submission& submission) {
  std::string text = fmt::format("{}\nowner\t{}\nsender\t{}\nat\t{}\ntried_until\t{}\n",
                                 submission.token, submission.owner, submission.sender,
                                 submission.journaled_at, submission.tried_until);
  for (const auto& task : submission.tasks)
    text += fmt::format("task\t{}\t{}\n", task.job, fmt::join(task.runs, "\t"));
  return text;
}

/// False where the journal is damaged.
bool read_journal(std::string_view text, Submission& submission) {
  const auto lines = split(trim(text), '\n');
  submission.token = std::string(lines.front());
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto words = split(lines[i], '\t');
    if (words.size() < 2) return false;
    if (words[0] == "owner") submission.owner = words[1];
    if (words[0] == "sender") submission.sender = words[1];
    if (words[0] == "at") submission.journaled_at = moment_in(words[1]).value_or(0);
    if (words[0] == "tried_until") submission.tried_until = moment_in(words[1]).value_or(0);
    if (words[0] == "task")
      submission.tasks.push_back({std::string(words[1]), {words.begin() + 2, words.end()}});
  }
  return !submission.token.empty() && !submission.tasks.empty();
}

/// Whether the token is one of that name's: the name, a dash, and a hash. The scheduler's answers
/// are told apart by it.
bool is_token_of(std::string_view name, std::string_view token) {
  return token.starts_with(name) && token.rfind('-') == name.size();
}

/// Lines of "TASK<tab>end<tab>evidence".
std::map<std::int64_t, TaskEnd> read_ends(std::string_view text) {
  std::map<std::int64_t, TaskEnd> ends;
  for (std::string_view line : split(trim(text), '\n')) {
    const auto words = split(line, '\t');
    const auto task = parse_integer(words.front());
    if (task && words.size() == 3) ends[*task] = {end_of(words[1]), std::string(words[2])};
  }
  return ends;
}

}  // namespace

std::vector<Submission> SweepFolder::submissions() {
  std::vector<Submission> found;
  for (const auto& name : files_.list(root_ / "jobs")) {
    const auto number = number_of_submission(name);
    if (!number) continue;
    const fs::path folder = root_ / "jobs" / name;
    if (files_.exists(folder / "journal")) {
      found.push_back(read_submission(name, *number));
    } else {
      files_.list(folder);  // what a killed pippin was writing goes
    }
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.number < b.number; });
  return found;
}

std::int64_t SweepFolder::newest_submission() {
  std::int64_t newest = 0;
  for (const auto& name : files_.list(root_ / "jobs"))
    newest = std::max(newest, number_of_submission(name).value_or(0));
  return newest;
}

Submission SweepFolder::read_submission(const std::string& name, std::int64_t number) {
  const fs::path folder = root_ / "jobs" / name;
  Submission submission;
  submission.number = number;
  submission.name = name;
  if (!read_journal(files_.read(folder / "journal").value_or(""), submission)) {
    machine_failed("{}: a damaged journal; remove {}, and its runs are submitted again",
                   (folder / "journal").string(), folder.string());
  }
  if (!is_token_of(name, submission.token))
    machine_failed(
        "{}: the journal of another submission, {}; if {} is a copy, remove it; if it was renamed, "
        "name it back",
        (folder / "journal").string(), printable(submission.token), folder.string());
  const auto names = files_.list(folder);
  const auto is_there = [&](std::string_view mark) {
    return std::binary_search(names.begin(), names.end(), mark);
  };
  const auto words = [&](const char* mark) {
    return std::string(trim(files_.read(folder / mark).value_or("")));
  };
  if (is_there("handed")) submission.handed = words("handed");
  if (is_there("refused")) submission.refused = words("refused");
  submission.cancelled = is_there("cancelled");
  if (is_there("ended")) submission.ended = read_ends(words("ended"));
  if (is_there("ending")) submission.ending = read_times(words("ending"));
  if (is_there("missed")) submission.missed = read_missed(words("missed"));
  return submission;
}

void SweepFolder::journal(const Submission& submission) {
  files_.make_directory(root_ / "outcomes");
  files_.write(directory(submission) / "journal", journal_text(submission));
}

void SweepFolder::mark_handed(Submission& submission, const std::string& id) {
  files_.write(directory(submission) / "handed", id + "\n");
  submission.handed = id;
}

void SweepFolder::mark_refused(Submission& submission, const std::string& words) {
  files_.write(directory(submission) / "refused", words + "\n");
  submission.refused = words;
}

void SweepFolder::mark_cancelled(Submission& submission) {
  files_.write(directory(submission) / "cancelled", "");
  submission.cancelled = true;
}

void SweepFolder::mark_ended(Submission& submission, const std::map<std::int64_t, TaskEnd>& ended) {
  for (const auto& [task, end] : ended) submission.ended[task] = end;
  std::string text;
  for (const auto& [task, end] : submission.ended)
    text += fmt::format("{}\t{}\t{}\n", task, word_of(end.end), printable(end.evidence));
  files_.write(directory(submission) / "ended", text);
}

void SweepFolder::mark_ending(Submission& submission,
                              const std::map<std::int64_t, std::int64_t>& since) {
  submission.ending = since;
  std::string text;
  for (const auto& [task, time] : since) text += fmt::format("{}\t{}\n", task, time);
  files_.write(directory(submission) / "ending", text);
}

/// As read_missed() has it.
void SweepFolder::mark_missed(Submission& submission, const Missed& missed) {
  submission.missed = missed;
  std::string text = missed.host + "\n";
  for (const auto& [task, times] : missed.tasks)
    text += fmt::format("{}\t{}\t{}\n", task, times.first, times.last);
  files_.write(directory(submission) / "missed", text);
}

}  // namespace pippin
