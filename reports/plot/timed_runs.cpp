// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/timed_runs.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/clock.h"
#include "reports/plot/short_names.h"

namespace pippin {

TimedRuns::TimedRuns(const RowRange& rows, const PlotMeasure& measure) {
  for (const Summary& row : rows) add(row, measure);
  std::stable_sort(runs_.begin(), runs_.end(),
                   [](const auto& a, const auto& b) { return a.started < b.started; });
}

std::vector<std::string> TimedRuns::names() const { return short_names(names_); }

void TimedRuns::add(const Summary& row, const PlotMeasure& measure) {
  const auto point = point_of(row, measure, 0);
  const bool is_lost = !point || row.state != RunState::kOk;
  const bool has_place = row.started_at && is_time(*row.started_at);
  if (!row.run.empty()) ++count_;
  if (point) ++measured_;
  if (is_lost) ++(has_place ? lost_ : never_began_)[row.state];
  if (!has_place) {
    if (point) ++unplaced_;
    return;
  }
  TimedRun run{*row.started_at, campaign_of(row), {}, row.state};
  if (point) run.value = {series_of(row), point->y};
  runs_.push_back(run);
}

std::size_t TimedRuns::campaign_of(const Summary& row) {
  const std::string sweep = row.sweep.empty() ? "collected" : row.sweep;
  const std::string name = row.campaign > 0 ? fmt::format("{}/{}", sweep, row.campaign) : sweep;
  const auto [place, is_new] = campaign_numbers_.try_emplace(name, campaigns_.size());
  if (is_new) campaigns_.push_back(name);
  return place->second;
}

std::size_t TimedRuns::series_of(const Summary& row) {
  const auto [place, is_new] =
      series_numbers_.try_emplace(row.selection + '\0' + row.point.id, names_.size());
  if (is_new)
    names_.push_back(row.selection.empty() ? row.point.name : row.point.name + " " + row.selection);
  return place->second;
}

}  // namespace pippin
