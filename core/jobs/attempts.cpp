// SPDX-License-Identifier: Apache-2.0
// What jobs have left of runs, and what pippin has found in their logs.
#include <algorithm>
#include <fmt/format.h>
#include <tuple>

#include "core/base/text.h"
#include "core/jobs/protocol.h"

namespace pippin {

namespace {

/// "2-local-0" → 2; 0 where the name is no attempt's.
std::int64_t submission_of(std::string_view attempt) {
  return parse_integer(split(attempt, '-').front()).value_or(0);
}

void take(JobRecord record, Attempt& attempt) {
  static_cast<AttemptEnd&>(attempt) = record.end;
  attempt.started = record.started;
  attempt.record = std::move(record);
}

/// As an older pippin's jobs left it.
Attempt older_attempt(FileSystem& files, Attempt attempt) {
  const auto text = [&](const char* name) {
    return files.read(attempt.directory / name).value_or("");
  };
  attempt.started = parse_integer(trim(text("started")));
  const std::string done = text("done");
  const auto end = read_older_end(done, done.empty() ? text("interrupted") : "", text("stopped"));
  static_cast<AttemptEnd&>(attempt) = end;
  return attempt;
}

/// Nothing where there is none: a job makes folders before it comes to their runs.
std::optional<Attempt> attempt_at(FileSystem& files, const fs::path& directory) {
  Attempt attempt;
  attempt.name = directory.filename().string();
  attempt.submission = submission_of(attempt.name);
  attempt.directory = directory;
  if (attempt.submission == 0) return std::nullopt;
  if (const auto text = files.read(directory / "run")) {
    take(read_record(*text), attempt);
    return attempt.started ? std::optional(attempt) : std::nullopt;
  }
  return files.list(directory).empty() ? std::nullopt
                                       : std::optional(older_attempt(files, attempt));
}

/// A segment of refuted/ is not added to once it is so large.
constexpr std::size_t kSegmentBytes = std::size_t{64} << 10;

std::string segment_name(std::int64_t number) { return fmt::format("{:06}", number); }

/// Of a file of refuted/; nothing where it is an older pippin's, of one run.
std::optional<std::int64_t> segment_number(std::string_view name) {
  constexpr std::size_t kDigits = 6;
  const bool is_number =
      name.size() >= kDigits && name.find_first_not_of("0123456789") == std::string_view::npos;
  constexpr std::int64_t kMost = 1'000'000'000;  // there must be a next one
  const auto number = is_number ? parse_integer(name) : std::nullopt;
  return number && *number <= kMost ? number : std::nullopt;
}

}  // namespace

std::vector<Attempt> SweepFolder::attempts_in(const std::string& run) {
  std::vector<Attempt> attempts;
  for (const auto& name : files_.list(root_ / run)) {
    if (submission_of(name) == 0) continue;
    if (auto attempt = attempt_at(files_, root_ / run / name))
      attempts.push_back(*std::move(attempt));
  }
  return attempts;
}

std::vector<Attempt> SweepFolder::attempts(const std::string& run) {
  std::vector<Attempt> attempts = attempts_in(run);
  for (auto& attempt : attempts) {
    if (attempt.exit_code != 0) continue;
    const auto words = known_refuted().find(fmt::format("{}/{}", run, attempt.name));
    if (words != known_refuted().end()) attempt.refuted = words->second;
  }
  std::stable_sort(attempts.begin(), attempts.end(), [](const Attempt& a, const Attempt& b) {
    return std::tie(a.submission, a.started) < std::tie(b.submission, b.started);
  });
  return attempts;
}

std::string SweepFolder::command(const Attempt& attempt) {
  if (attempt.record) return attempt.record->command;
  return files_.read(attempt.directory / "command").value_or("");
}

void SweepFolder::each_outcome(
    const std::function<void(std::string_view run, bool succeeded)>& take) {
  for (const auto& name : files_.list(root_ / "outcomes")) {
    const std::string text = files_.read(root_ / "outcomes" / name).value_or("");
    for (std::string_view line : split(text, '\n')) {
      const auto tab = line.rfind('\t');
      if (tab == std::string_view::npos) continue;
      const std::string_view word = line.substr(tab + 1);
      if (word == "ok" || word == "failed") take(line.substr(0, tab), word == "ok");
    }
  }
  for (const bool succeeded : {true, false})
    files_.each_name(root_ / (succeeded ? "succeeded" : "failed"),
                     [&](std::string_view run) { take(run, succeeded); });
}

RunNames SweepFolder::refuted() {
  RunNames runs;
  for (const auto& [attempt, words] : known_refuted())
    runs.insert(runs.end(), attempt.substr(0, attempt.rfind('/')));
  return runs;
}

const SweepFolder::Refuted& SweepFolder::known_refuted() {
  if (!*refuted_) *refuted_ = read_refuted();
  return **refuted_;
}

/// What an older pippin said comes before all segments.
SweepFolder::Refuted SweepFolder::read_refuted() {
  Refuted refuted;
  auto names = files_.list(root_ / "refuted");
  std::stable_partition(names.begin(), names.end(),
                        [](const std::string& name) { return !segment_number(name); });
  for (const auto& name : names) {
    const std::string run = segment_number(name) ? "" : name + "/";
    const std::string text = files_.read(root_ / "refuted" / name).value_or("");
    for (std::string_view line : split(text, '\n')) {
      const auto tab = line.find('\t');
      if (tab != std::string_view::npos)
        refuted[run + std::string(line.substr(0, tab))] = line.substr(tab + 1);
    }
  }
  return refuted;
}

void SweepFolder::refute(const std::vector<Refutation>& all) {
  std::string lines;
  Refuted known = known_refuted();
  for (const auto& one : all) {
    const std::string attempt = one.run + "/" + one.attempt, words = printable(one.words);
    const auto before = known.find(attempt);
    if (words == (before == known.end() ? "" : before->second)) continue;
    lines += fmt::format("{}\t{}\n", attempt, words);
    known[attempt] = words;
  }
  if (lines.empty()) return;
  std::int64_t newest = 1;
  for (const auto& name : files_.list(root_ / "refuted"))
    newest = std::max(newest, segment_number(name).value_or(0));
  std::string text = files_.read(root_ / "refuted" / segment_name(newest)).value_or("");
  if (text.size() >= kSegmentBytes) {
    ++newest;
    text.clear();
  }
  files_.write(root_ / "refuted" / segment_name(newest), text + lines);
  *refuted_ = std::move(known);
}

const Attempt* attempt_that_counts(const std::vector<Attempt>& attempts) {
  const Attempt* success = nullptr;
  const Attempt* failure = nullptr;
  for (const auto& attempt : attempts) {
    if (attempt.succeeded() && (!success || attempt.ended < success->ended)) success = &attempt;
    if (attempt.done()) failure = &attempt;
  }
  if (success) return success;
  return failure || attempts.empty() ? failure : &attempts.back();
}

}  // namespace pippin
