// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/checkpoints_seen.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/text.h"
#include "harness/scrape/characters.h"

namespace pippin {

namespace {

using What = CheckpointWord::What;

/// What became of one that only began.
CheckpointState state_of_begun(bool goes_on, std::optional<RunState> end) {
  if (goes_on || end == RunState::kOk) return CheckpointState::kBegun;
  if (end == RunState::kFailed || end == RunState::kOom) return CheckpointState::kFailed;
  return CheckpointState::kUnfinished;
}

}  // namespace

/// Training stands still for a part of those that go on beside it.
bool CheckpointsSeen::Seen::is_done() const {
  return ended || (!timed.empty() && checkpoint.asynchronous != true);
}

/// Of a word that names no step, or of one to which no step was said.
bool CheckpointsSeen::is_same(const Seen& seen, const CheckpointWord& word,
                              std::size_t rows) const {
  const Checkpoint& known = seen.checkpoint;
  if (word.step && known.step && *word.step != *known.step) return false;
  switch (word.what) {
    case What::kBegins:
      // None begins before the last one ended; unlike ranks may say so in any order.
      return seen.rows == rows && (!seen.is_done() || !seen.began.contains(word.who)) &&
             (known.path.empty() || word.path.empty() || known.path == word.path);
    case What::kPart:
      return seen.rows == rows && seen.timed.empty();
    case What::kTook:
      return !seen.timed.contains(word.who);
    case What::kGoesOnBeside:
    case What::kEnds:
      return word.seconds ? !seen.timed.contains(word.who) : !seen.ended || seen.rows == rows;
  }
  return false;
}

/// Where it stands in seen_; a new place where none is it.
std::size_t CheckpointsSeen::place_of(const CheckpointWord& word, std::size_t rows) {
  if (word.step) {
    const auto known = by_step_.find({word.kind, *word.step});
    if (known != by_step_.end()) {
      const std::string& path = seen_[known->second].checkpoint.path;
      if (word.what != What::kBegins || path.empty() || word.path.empty() || path == word.path)
        return known->second;
    }
  }
  const auto last = last_.find(word.kind);
  if (last != last_.end() && is_same(seen_[last->second], word, rows)) return last->second;
  if (last != last_.end() && seen_[last->second].is_done()) {
    seen_[last->second].times.clear();  // of thousands of ranks
    seen_[last->second].began.clear();
  }
  Seen& added = seen_.emplace_back();
  added.checkpoint.kind = word.kind;
  added.rows = rows;
  last_[word.kind] = seen_.size() - 1;
  return seen_.size() - 1;
}

void CheckpointsSeen::take(Seen& seen, const CheckpointWord& word) {
  Checkpoint& known = seen.checkpoint;
  if (!known.step) known.step = word.step;
  if (known.path.empty()) known.path = word.path;
  if (word.what == What::kBegins) {
    seen.began.insert(word.who);
    if (word.at && !seen.ended) seen.times.emplace(word.who, *word.at);
    if (word.at) known.began_at = std::min(known.began_at.value_or(*word.at), *word.at);
  }
  if (word.what == What::kGoesOnBeside) known.asynchronous = true;
  if (word.what == What::kEnds || word.what == What::kPart) seen.ended = true;
  if (word.bytes) known.bytes = known.bytes.value_or(0) + *word.bytes;
  if (word.seconds) {
    seen.timed.insert(word.who);
    seen.printed_s = std::max(seen.printed_s, *word.seconds);
    if (word.at && !known.began_at) known.began_at = word.at;
  }
  const auto began = seen.times.find(word.who);
  if (word.what == What::kEnds && word.at && began != seen.times.end())
    seen.derived_s = std::max(seen.derived_s, *word.at - began->second);
}

void CheckpointsSeen::see(const CheckpointWord& word, std::size_t rows) {
  const std::size_t place = place_of(word, rows);
  take(seen_[place], word);
  if (word.step) by_step_.emplace(std::pair(word.kind, *word.step), place);
}

std::vector<Checkpoint> CheckpointsSeen::checkpoints(std::size_t rows,
                                                     std::optional<RunState> end) const {
  std::vector<Checkpoint> made;
  made.reserve(seen_.size());
  for (const auto& seen : seen_) {
    Checkpoint& one = made.emplace_back(seen.checkpoint);
    const bool goes_on = rows > seen.rows || &seen != &seen_.back();
    one.state = seen.is_done() ? CheckpointState::kDone : state_of_begun(goes_on, end);
    if (!seen.timed.empty()) {
      one.seconds = seen.printed_s;
    } else if (seen.derived_s >= 0) {
      one.seconds = seen.derived_s;
      one.derived = true;
    }
  }
  return made;
}

namespace {

/// Of "step1000" "step", of "0001000" nothing.
std::string_view without_digits(std::string_view name) {
  while (!name.empty() && is_digit(name.back())) name.remove_suffix(1);
  return name;
}

/// Other names may end with digits, too: "gpt2", "2024".
bool names_step(std::string_view word, std::string_view folder) {
  if (word.empty()) return folder.ends_with("checkpoints");
  if (word.ends_with('-') || word.ends_with('_') || word.ends_with('=')) word.remove_suffix(1);
  return word.ends_with("step") || word.ends_with("checkpoint") || word == "iter";
}

}  // namespace

Count step_in_path(std::string_view path) {
  constexpr int kDepth = 2;
  for (int depth = 0; depth < kDepth; ++depth) {
    while (path.ends_with('/')) path.remove_suffix(1);
    const auto slash = path.rfind('/');
    const auto name = path.substr(slash == std::string_view::npos ? 0 : slash + 1);
    path = path.substr(0, slash == std::string_view::npos ? 0 : slash);
    const auto word = without_digits(name);
    const auto step = parse_integer(name.substr(word.size()));
    if (step && names_step(word, path)) return *step;
  }
  return std::nullopt;
}

}  // namespace pippin
