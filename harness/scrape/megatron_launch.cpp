// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/megatron_launch.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/units.h"
#include "harness/scrape/megatron_laws.h"

namespace pippin {

namespace {

void keep_larger(std::optional<double>& kept, const std::optional<double>& other) {
  if (other && (!kept || *other > *kept)) kept = other;
}

void set_interval(Iterations::Marks& row, std::int64_t interval) {
  row.interval = interval;
  if (interval > 1) row.flags |= kIntervalMean;
}

/// "nan" and "inf" are no numbers to parse_number, and are kept as they stand.
bool has_bad_loss(const Iteration& row) {
  return std::any_of(row.other.begin(), row.other.end(), [](const auto& field) {
    const bool is_loss =
        field.first == "lm loss" || field.first == "lm-loss" || field.first == "lm_loss";
    return is_loss && !field.second.number;
  });
}

}  // namespace

bool MegatronLaunch::has(const IterationRecord& record) const {
  const std::int64_t number = record.iteration.number;
  const auto said = static_cast<std::uint32_t>(record.said);
  if (number == last_number()) return said_.back() == said;
  std::size_t begin = 0, end = rows_.size();
  while (begin < end) {
    const std::size_t middle = begin + (end - begin) / 2;
    if (rows_.number_of(middle) < number) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin < rows_.size() && rows_.number_of(begin) == number && said_[begin] == said;
}

void MegatronLaunch::add(const IterationRecord& record) {
  const Iteration& row = record.iteration;
  if (rows_.empty()) {
    first_ = {row.number, row.step_time_ms, record.at};
    gbs_ = row.gbs;
    resolution_ms_ = record.resolution_ms;
  } else {
    const std::int64_t step = row.number - last_number_;
    if (smallest_step_ == 0) second_ = {row.number, row.step_time_ms, record.at};
    smallest_step_ = smallest_step_ == 0 ? step : std::min(smallest_step_, step);
    if (divisor_ == 0 || row.number % divisor_ != 0) divisor_ = std::gcd(divisor_, row.number);
  }
  one_gbs_ = one_gbs_ && row.gbs == gbs_;
  planned_ = std::max(planned_, Count(record.last));
  // Trailing zeros may be left out of single lines.
  resolution_ms_ = std::min(*resolution_ms_, record.resolution_ms);
  // A loss that is not above 0 is not printed. Other lines without one, such as those of skipped
  // steps, neither begin nor end it.
  const bool is_lost = had_loss_ && !row.lm_loss && row.skipped == 0;
  had_loss_ = had_loss_ || row.lm_loss;
  if (row.lm_loss) nan_from_.reset();
  if (!nan_from_ && !row.lm_loss && (is_lost || has_bad_loss(row))) nan_from_ = row.number;
  said_.push_back(static_cast<std::uint32_t>(record.said));
  last_step_ = row.number - last_number_;
  last_number_ = row.number;
  total_ = record.last;
  last_time_ms_ = row.step_time_ms;
  rows_.push_back(row);
  timing_ = true;
}

void MegatronLaunch::add_rank(const IterationRecord& record) {
  const double time_ms = record.iteration.step_time_ms;
  OtherRanks& others = other_ranks_[record.iteration.number];
  others.slowest_ms = std::max(others.slowest_ms, time_ms);
  others.fastest_ms = others.count == 0 ? time_ms : std::min(others.fastest_ms, time_ms);
  ++others.count;
}

/// All wait for the slowest rank: its time is the step's.
void MegatronLaunch::count_slowest_ranks() {
  if (other_ranks_.empty()) return;
  Iterations rows;
  for (Iteration line : rows_) {
    if (const auto others = other_ranks_.find(line.number); others != other_ranks_.end()) {
      const OtherRanks& ranks = others->second;
      line.other.emplace_back(kRanksName, value_of(static_cast<double>(ranks.count + 1)));
      line.other.emplace_back(kFastestRankName,
                              value_of(std::min(line.step_time_ms, ranks.fastest_ms)));
      line.step_time_ms = std::max(line.step_time_ms, ranks.slowest_ms);
    }
    rows.push_back(std::move(line));
  }
  rows_ = std::move(rows);
}

void MegatronLaunch::add_others(const std::vector<std::string>& names,
                                const std::vector<double>& numbers) {
  for (std::size_t i = 0; i < names.size(); ++i) rows_.put(names[i], numbers[i]);
}

void MegatronLaunch::happened(IterationFlag flag, std::int64_t number) {
  events_.emplace_back(number, flag);
  timing_ = false;
}

void MegatronLaunch::add_memory(const RankMemory& of_rank) {
  RankMemory& kept = memory.try_emplace(of_rank.rank, of_rank).first->second;
  keep_larger(kept.allocated_mib, of_rank.allocated_mib);
  keep_larger(kept.max_allocated_mib, of_rank.max_allocated_mib);
  keep_larger(kept.reserved_mib, of_rank.reserved_mib);
  keep_larger(kept.max_reserved_mib, of_rank.max_reserved_mib);
}

void MegatronLaunch::add_timers(const NamedValues& timers) {
  if (!timing_ || timers.empty()) return;
  ++timer_lines_;
  for (const auto& [name, value] : timers) rows_.put_first(name, value);
}

void MegatronLaunch::add_timers(const AlikeTimers& timers) {
  if (!timing_) return;
  ++timer_lines_;
  for (std::size_t i = 0; i < timers.names().size(); ++i)
    rows_.put_first(timers.names()[i], timers.numbers()[i].value);
}

/// log_interval, or what the clock or the numbers tell of it: nothing of a lone row.
Count MegatronLaunch::interval() const {
  const Value* value = find_value(header.arguments, "log_interval");
  if (value && value->number && *value->number >= 1 && *value->number < 1e9)
    return static_cast<std::int64_t>(*value->number);
  if (rows() > 1 || first_.number == 1) return interval_of_numbers();
  return first_is_mean_of_all() ? Count(first_.number) : std::nullopt;
}

/// Whether a lone row took as long since the launch began as so many iterations do.
bool MegatronLaunch::first_is_mean_of_all() const {
  if (!started_at || !first_.at || first_.number < 2) return false;
  constexpr double kNear = 0.02;  // the times are whole seconds
  const double all_ms = first_.time_ms * static_cast<double>(first_.number);
  const double passed_ms = static_cast<double>(*first_.at - *started_at) * kMsPerSecond;
  return std::abs(passed_ms - all_ms) <= kMsPerSecond + kNear * all_ms;
}

/// It divides all of them, so that lines left out do not make it longer; but for the first of a
/// launch, which may be printed besides, or be where a resumed one found its grid.
std::int64_t MegatronLaunch::interval_of_numbers() const {
  if (smallest_step_ <= 1) return 1;
  const std::int64_t common = std::gcd(divisor_, first_.number);
  const bool may_be_extra = first_.at && (first_.number - 1) % divisor_ == 0;
  constexpr std::size_t kRowsOfGrid = 4;
  const bool is_off_grid = rows() >= kRowsOfGrid && second_.number - first_.number < divisor_;
  return may_be_extra || is_off_grid || common == 1 ? divisor_ : common;
}

/// Whether what the second row says is of the iterations behind the first alone: as a mean of all
/// of them it would be too short, or the times before the two rows say so.
bool MegatronLaunch::second_is_timed_alone() const {
  const double alone_ms = second_.time_ms * static_cast<double>(second_.number - first_.number);
  if (alone_ms + second_.time_ms < first_.time_ms) return second_.number > 0;
  if (!first_.at || !second_.at) return false;
  constexpr double kClear_ms = 4000, kNear = 0.02;  // the times are whole seconds
  const double passed_ms = static_cast<double>(*second_.at - *first_.at) * kMsPerSecond;
  return std::abs(first_.time_ms - second_.time_ms) > kClear_ms &&
         std::abs(passed_ms - alone_ms) <= kMsPerSecond + kNear * alone_ms;
}

/// What the rows' places among one another, and what was printed between them, say of them.
/// `gbs`: of rows that do not say it.
void MegatronLaunch::mark(const Count& gbs) {
  const Count known = this->interval();
  const std::int64_t interval = known.value_or(1);
  const bool is_first = dumped || restarted || first_.number <= interval;
  // Today's Megatron-LM prints the first iteration, whatever log_interval is, and goes on timing:
  // the line after it is the mean of both. Its lines begin with their time.
  const bool extra = is_first && first_.at && (interval == 1 || first_.number % interval != 0) &&
                     !second_is_timed_alone();
  std::sort(events_.begin(), events_.end());
  auto event = events_.begin();
  std::size_t place = 0;
  std::int64_t before = 0;
  rows_.mark_each([&](Iterations::Marks& row) {
    std::int64_t covered = std::clamp<std::int64_t>(row.number - before, 1, interval);
    if (extra && place == 0) covered = 1;
    if (extra && place == 1) covered = row.number - before + 1;
    set_interval(row, covered);
    if (!known) row.flags |= kIntervalMean;
    if ((is_first && place == 0) || (extra && place == 1)) row.flags |= kFirst;
    // The row after a save or an evaluation contains it.
    for (; event != events_.end() && event->first < row.number; ++event) row.flags |= event->second;
    if (!row.gbs) row.gbs = gbs;
    before = row.number;
    ++place;
  });
}

LogRun MegatronLaunch::finish() && {
  header.gbs = one_gbs_ ? gbs_ : std::nullopt;
  LogRun run;
  count_slowest_ranks();
  run.point = point_of(header);
  run.derived = apply_laws(header, run.point, rows_);
  if (!run.derived.empty() || header.ranks) run.point = point_of(header);
  if (header.is_of_command)
    run.derived.emplace_back("arguments", value_of(std::string("the command in the log")));
  run.configured = (complete || !dumped) && is_configured(run.point);
  run.recompute = recompute_of(header.arguments);
  run.started_at = started_at;
  run.end = ending.state(rows_.size());
  run.evidence = ending.evidence(rows_.size());
  run.resolution_ms = resolution_ms_;
  run.nodes = nodes.nodes();
  run.slowest_ranks = nodes.slowest_ranks();
  if (run.end != RunState::kOk || last_number() >= planned_)
    run.planned_iterations = planned_;  // else it says why it ended before
  run.checkpoints = checkpoints.checkpoints(rows_.size(), run.end);
  for (const auto& of_rank : memory) run.memory.push_back(of_rank.second);
  run.nan_from = nan_from_;
  mark(run.point.layout.gbs);  // until 2020 the lines did not print their batch
  run.arguments = std::move(header.arguments);
  run.iterations = std::move(rows_);
  return run;
}

}  // namespace pippin
