#include "harness/scrape/megatron_launch.h"

#include <algorithm>

namespace pippin {

namespace {

void keep_larger(std::optional<double>& kept, const std::optional<double>& other) {
  if (other && (!kept || *other > *kept)) kept = other;
}

/// log_interval, or where it is unknown the smallest step between two lines: a lost line makes
/// one step longer, none shorter.
std::int64_t interval_of(const MegatronLaunch& launch) {
  const Value* value = find_value(launch.header.arguments, "log_interval");
  if (value && value->number && *value->number >= 1 && *value->number < 1e9)
    return static_cast<std::int64_t>(*value->number);
  std::int64_t smallest = 0;
  for (std::size_t i = 1; i < launch.rows.size(); ++i) {
    const auto step = launch.rows[i].iteration.number - launch.rows[i - 1].iteration.number;
    smallest = smallest == 0 ? step : std::min(smallest, step);
  }
  return std::max<std::int64_t>(smallest, 1);
}

void mark(Iteration& iteration, std::int64_t interval) {
  iteration.interval = interval;
  if (interval > 1) iteration.flags |= kIntervalMean;
}

/// What the rows' places among one another say of them.
void mark_rows(MegatronLaunch& launch) {
  if (launch.rows.empty()) return;
  const std::int64_t interval = interval_of(launch);
  for (std::size_t i = 0; i < launch.rows.size(); ++i) {
    Iteration& row = launch.rows[i].iteration;
    const auto before = i > 0 ? launch.rows[i - 1].iteration.number : 0;
    mark(row, std::clamp<std::int64_t>(row.number - before, 1, interval));
  }
  Iteration& first = launch.rows[0].iteration;
  if (launch.dumped || launch.restarted || first.number <= interval) first.flags |= kFirst;
  // Today's Megatron-LM prints the first iteration, whatever log_interval is, and goes on timing:
  // the line after it is the mean of both. Its lines begin with their time.
  const bool extra = launch.rows[0].at && (interval == 1 || first.number % interval != 0);
  if (!extra || (first.flags & kFirst) == 0) return;
  first.interval = 1;
  first.flags &= ~static_cast<unsigned>(kIntervalMean);
  if (launch.rows.size() < 2) return;
  Iteration& second = launch.rows[1].iteration;
  second.flags |= kFirst;
  mark(second, second.number - first.number + 1);
}

/// The row after a save or an evaluation contains it.
void mark_events(MegatronLaunch& launch) {
  const auto later = [](std::int64_t number, const IterationRecord& row) {
    return number < row.iteration.number;
  };
  for (const auto& event : launch.events) {
    const auto row = std::upper_bound(launch.rows.begin(), launch.rows.end(), event.second, later);
    if (row != launch.rows.end()) row->iteration.flags |= event.first;
  }
}

/// Trailing zeros may be left out of single lines.
std::optional<double> finest_resolution(const std::vector<IterationRecord>& rows) {
  std::optional<double> finest;
  for (const auto& row : rows) {
    if (!finest || row.resolution_ms < *finest) finest = row.resolution_ms;
  }
  return finest;
}

Count planned_iterations(const std::vector<IterationRecord>& rows) {
  Count planned;
  for (const auto& row : rows) planned = std::max(planned, Count(row.last));
  return planned;
}

/// "nan" and "inf" are no numbers to parse_number, and are kept as they stand.
bool has_bad_loss(const Iteration& row) {
  return std::any_of(row.other.begin(), row.other.end(), [](const auto& field) {
    const bool is_loss =
        field.first == "lm loss" || field.first == "lm-loss" || field.first == "lm_loss";
    return is_loss && !field.second.number;
  });
}

/// Lines without a loss, such as those of skipped steps, neither begin nor end it.
Count nan_from(const std::vector<Iteration>& rows) {
  Count from;
  for (const auto& row : rows) {
    if (row.lm_loss) from.reset();
    if (!from && !row.lm_loss && has_bad_loss(row)) from = row.number;
  }
  return from;
}

Count common_gbs(const std::vector<IterationRecord>& rows) {
  if (rows.empty()) return std::nullopt;
  const Count first = rows[0].iteration.gbs;
  const bool same = std::all_of(rows.begin(), rows.end(), [&](const IterationRecord& row) {
    return row.iteration.gbs == first;
  });
  return same ? first : std::nullopt;
}

}  // namespace

void MegatronLaunch::add_memory(const RankMemory& of_rank) {
  RankMemory& kept = memory.try_emplace(of_rank.rank, of_rank).first->second;
  keep_larger(kept.allocated_mib, of_rank.allocated_mib);
  keep_larger(kept.max_allocated_mib, of_rank.max_allocated_mib);
  keep_larger(kept.reserved_mib, of_rank.reserved_mib);
  keep_larger(kept.max_reserved_mib, of_rank.max_reserved_mib);
}

void MegatronLaunch::add_timers(NamedValues&& timers) {
  if (!timing) return;
  auto& other = rows.back().iteration.other;
  for (auto& timer : timers) {
    if (!find_value(other, timer.first)) other.push_back(std::move(timer));
  }
}

LogRun finished(MegatronLaunch&& launch) {
  mark_rows(launch);
  mark_events(launch);
  launch.header.gbs = common_gbs(launch.rows);
  LogRun run;
  run.point = point_of(launch.header);
  run.recompute = recompute_of(launch.header.arguments);
  run.arguments = std::move(launch.header.arguments);
  run.started_at = launch.started_at;
  run.end = launch.ending.state(launch.rows.size());
  run.evidence = launch.ending.evidence(launch.rows.size());
  run.resolution_ms = finest_resolution(launch.rows);
  run.nodes = launch.nodes.nodes();
  run.slowest_ranks = launch.nodes.slowest_ranks();
  if (run.end != RunState::kOk || launch.last_number() >= planned_iterations(launch.rows))
    run.planned_iterations = planned_iterations(launch.rows);  // else it says why it ended before
  for (auto& row : launch.rows) run.iterations.push_back(std::move(row.iteration));
  for (const auto& memory : launch.memory) run.memory.push_back(memory.second);
  run.nan_from = nan_from(run.iterations);
  // Until 2020 the lines did not print their batch.
  for (auto& row : run.iterations) {
    if (!row.gbs) row.gbs = run.point.layout.gbs;
  }
  return run;
}

}  // namespace pippin
