// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/trainers/step_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "harness/scrape/megatron_fields.h"
#include "harness/scrape/upper_median.h"

namespace pippin {

namespace {

std::uint64_t said_by(const StepRecord& record) {
  std::uint64_t said = 0;
  const auto add = [&](double value) { add_said(said, std::bit_cast<std::uint64_t>(value)); };
  add(static_cast<double>(record.step));
  add(record.figure.value);
  for (const auto& value : {record.lm_loss, record.learning_rate, record.grad_norm})
    add(value.value_or(-1));
  for (const auto& other : record.other) add(other.second);
  return said;
}

bool is_slower(const StepRecord& a, const StepRecord& b) {
  return a.pace == Pace::kMs ? a.figure.value > b.figure.value : a.figure.value < b.figure.value;
}

/// How far ranks run apart whose lines are mixed without a label.
constexpr std::int64_t kMostApart = 3;

/// Whether two processes that say how long a run took speak of the same.
bool is_same_run(const StepRecord& a, const StepRecord& b) {
  return is_same_training(a.figure.value, a.loss_of_all, b.figure.value, b.loss_of_all);
}

std::uint64_t with_time(std::uint64_t said, double at) {
  add_said(said, std::bit_cast<std::uint64_t>(at));
  return said;
}

bool has(const std::vector<std::uint64_t>& lines, std::uint64_t line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

/// Another rank's figure of a step. `said`: a hash of its line.
void add_rank(StepRows::Row& row, const StepRecord& record, std::uint64_t said) {
  ++row.ranks;
  if (record.pace != row.record.pace) return;  // which is slower cannot be told
  const bool is_fastest = record.pace == Pace::kMs ? record.figure.value < row.fastest
                                                   : record.figure.value > row.fastest;
  if (is_fastest) row.fastest = record.figure.value;
  if (is_slower(record, row.record)) {
    row.record.figure = record.figure;
    row.said = said;
  }
}

}  // namespace

/// They end together, and may begin apart. What each adds to the sum of the losses behind the last
/// that was printed is its own: other losses tell nothing, and a loss of 0 is no sign.
bool is_same_training(double time, const std::optional<double>& loss, double other_time,
                      const std::optional<double>& other_loss) {
  constexpr double kAlike = 0.02, kAlikeWithLoss = 0.1;
  const bool is_same_loss = loss && other_loss && *loss == *other_loss && *loss != 0;
  return std::abs(time - other_time) <= (is_same_loss ? kAlikeWithLoss : kAlike) * std::abs(time);
}

std::optional<double> value_named(const StepRecord& record, std::string_view name) {
  for (const auto& [other, value] : record.other) {
    if (other == name) return value;
  }
  return std::nullopt;
}

/// Where a line belongs to: each rank's steps rise. nullptr: it has gone back.
StepRows::Stream* StepRows::stream_of(const StepRecord& record, const Speaker& speaker) {
  auto& streams = streams_[speaker.name];
  Stream* best = nullptr;
  for (auto& stream : streams) {
    if (stream.last < record.step && (!best || stream.last > best->last)) best = &stream;
  }
  if (best) return best;
  if (streams.empty()) return &streams.emplace_back();
  const auto row = place_of(record.step);
  const bool is_known = row != rows_.end() && row->record.step == record.step;
  // A node's label stands before the totals of all its processes.
  if (record.span == Span::kTotal)
    return is_known && is_same_run(row->record, record) ? &streams.emplace_back() : nullptr;
  if (speaker.is_rank) return nullptr;
  // Nobody says whose line it is: another rank is at most a few lines behind.
  return is_known && rows_.end() - row <= kMostApart ? &streams.emplace_back() : nullptr;
}

std::deque<StepRows::Row>::iterator StepRows::place_of(std::int64_t step) {
  if (rows_.empty() || rows_.back().record.step < step) return rows_.end();
  return std::lower_bound(
      rows_.begin(), rows_.end(), step,
      [](const Row& row, std::int64_t wanted) { return row.record.step < wanted; });
}

/// A whole line that has come before: another rank's, unless later steps have come since. The log's
/// beginning stands in it once more then, up to where it grows.
StepRows::Added StepRows::add_same_line(Row& row) {
  is_repeat_ = is_repeat_ || row.record.step < last_step();
  if (is_repeat_) return Added::kAgain;
  ++row.ranks;
  return Added::kTaken;
}

StepRows::Added StepRows::add(const StepRecord& record, const Speaker& speaker) {
  const std::uint64_t said = said_by(record);
  const auto at = place_of(record.step);
  const bool is_known = at != rows_.end() && at->record.step == record.step;
  const bool is_counted = record.is_by_each_rank && !speaker.is_rank && record.at;
  const std::uint64_t line = is_counted ? with_time(said, *record.at) : 0;
  if (is_counted && is_known && has(at->lines, line)) return add_same_line(*at);
  for (const auto& stream : streams_[speaker.name]) {
    if (stream.last != record.step || stream.said != said) continue;
    if (!is_counted || !is_known) return Added::kAgain;
    at->lines.push_back(line);
    ++at->ranks;
    return Added::kTaken;
  }
  if (!speaker.is_rank && is_known && at->said == said) return Added::kAgain;
  Stream* stream = stream_of(record, speaker);
  if (!stream) return Added::kRestart;
  *stream = {record.step, said};
  if (!is_known) {
    const auto row = rows_.insert(at, Row{record, 1, record.figure.value, said, {}});
    if (is_counted) row->lines.push_back(line);
    is_repeat_ = false;
    return Added::kTaken;
  }
  if (is_counted) at->lines.push_back(line);
  add_rank(*at, record, said);
  return Added::kTaken;
}

std::optional<double> StepRows::median_quotient(std::string_view over,
                                                std::string_view under) const {
  std::vector<double> quotients;
  for (const auto& row : rows_) {
    const auto a = value_named(row.record, over), b = value_named(row.record, under);
    if (a && b && *b != 0) quotients.push_back(*a / *b);
  }
  if (quotients.empty()) return std::nullopt;
  return upper_median(std::move(quotients));
}

}  // namespace pippin
