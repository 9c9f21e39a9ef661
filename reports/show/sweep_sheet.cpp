// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "reports/flat_columns.h"
#include "reports/show/other_sheets.h"
#include "reports/show/run_table.h"
#include "reports/values.h"

namespace pippin {

namespace {

constexpr auto kLeft = TextColumn::Align::kLeft;
using Campaigns = FlatColumns<CampaignContents>;

std::int64_t runs_in(const CampaignContents& entry, RunState state) {
  return entry.runs.at(static_cast<std::size_t>(state));
}

std::int64_t not_ok(const CampaignContents& entry) {
  std::int64_t sum = 0;
  for (const auto runs : entry.runs) sum += runs;
  return sum - runs_in(entry, RunState::kOk);
}

void add_count(Campaigns& columns, const Campaigns::Names& names,
               std::int64_t (*count)(const CampaignContents&)) {
  columns.add(
      names, [=](const auto& entry) { return std::to_string(count(entry)); },
      [=](const auto& entry) { return std::optional(count(entry)); });
}

SheetPart campaigns_part(const std::vector<CampaignContents>& campaigns) {
  SheetPart part{"campaigns", "Campaigns"};
  Campaigns columns(campaigns);
  add_count(columns, {"number", "number", 9}, [](const auto& entry) { return entry.number; });
  columns.add_text({"started (UTC)", "started_utc", 6, kLeft},
                   [](const auto& entry) { return entry.started; });
  columns.add_text({"cluster", "cluster", 3, kLeft},
                   [](const auto& entry) { return entry.cluster; });
  add_count(columns, {"points", "points", 5}, [](const auto& entry) { return entry.points; });
  add_count(columns, {"infeasible", "infeasible", 4},
            [](const auto& entry) { return entry.infeasible; });
  add_count(columns, {"ok", "runs_ok", 8},
            [](const auto& entry) { return runs_in(entry, RunState::kOk); });
  add_count(columns, {"not ok", "runs_not_ok", 8}, not_ok);
  add_count(columns, {"dropped", "dropped", 4}, [](const auto& entry) { return entry.dropped; });
  columns.add_text({"tags", "tags", 5, kLeft},
                   [](const auto& entry) { return join(entry.tags, ", "); });
  columns.add_text({"why dropped", "because", 1, kLeft},
                   [](const auto& entry) { return entry.because; });
  part.put_table("campaigns", columns.take());
  return part;
}

/// Points of one end and one reason.
struct Ends {
  RunState state;
  std::string reason;
  std::int64_t points = 0;
  std::string one;  ///< the name of one of them
};

std::vector<Ends> ends_of(const std::vector<Summary>& rows) {
  std::map<std::pair<RunState, std::string>, Ends> by_reason;
  for (const auto& row : rows) {
    if (row.state == RunState::kOk) continue;
    Ends& ends = by_reason[{row.state, row.reason}];
    if (ends.points++ == 0) ends = {row.state, row.reason, 1, row.point.name};
  }
  std::vector<Ends> ends;
  ends.reserve(by_reason.size());
  for (auto& entry : by_reason) ends.push_back(std::move(entry.second));
  std::stable_sort(ends.begin(), ends.end(),
                   [](const Ends& a, const Ends& b) { return a.points > b.points; });
  return ends;
}

SheetPart ends_part(const std::vector<Summary>& rows, const std::string& newest) {
  constexpr std::size_t kMost = 20;
  SheetPart part{"not_ok", "Points that did not go well, of " + printable(newest)};
  std::vector<Ends> ends = ends_of(rows);
  const std::size_t all = ends.size();
  if (all > kMost) ends.resize(kMost);
  FlatColumns<Ends> columns(ends);
  columns.add_count({"points", "points", 9}, &Ends::points);
  columns.add_text({"end", "state", 8, kLeft},
                   [](const auto& one) { return std::string(text_of(one.state)); });
  columns.add_text({"one of them", "example", 3, kLeft}, [](const auto& one) { return one.one; });
  columns.add_text({"why", "reason", 6, kLeft}, [](const auto& one) { return one.reason; });
  part.put_table("points", columns.take());
  part.say_left_out(all - ends.size(), "reason", "");
  return part;
}

SheetPart failed_part(const SweepToShow& shown) {
  SheetPart part{"failed_runs", "Runs that did not go well, of " + printable(shown.newest)};
  if (shown.failed.runs.empty()) return part;
  RunTableColumns columns;
  columns.points = columns.allocations = true;
  put_runs(shown.failed, columns, "older than these", part);
  return part;
}

std::string best_text(const std::vector<Summary>& rows) {
  const auto tied = std::count_if(rows.begin(), rows.end(), [](const auto& row) {
    return row.standing && row.standing->place == Standing::kTied;
  });
  const std::string place =
      tied == 0 ? "is the best"
                : fmt::format("is in front, but {} cannot be told from it",
                              tied == 1 ? "one other" : fmt::format("{} others", tied));
  for (const auto& row : rows) {
    if (!row.standing || row.standing->place != Standing::kBest) continue;
    return fmt::format(
        "{} {}{}.", printable(row.point.name), place,
        row.tflops ? fmt::format(": {} TFLOPS per GPU", short_number(*row.tflops)) : "");
  }
  return "";
}

}  // namespace

Sheet sweep_sheet(const SweepToShow& shown) {
  Sheet sheet{"sweep", shown.name, {}};
  const auto ok = std::count_if(shown.rows.begin(), shown.rows.end(),
                                [](const auto& row) { return row.state == RunState::kOk; });
  if (!shown.newest.empty())
    sheet.said.push_back(fmt::format("{}: {} of {} went well.", printable(shown.newest), ok,
                                     counted(std::ssize(shown.rows), "point")));
  const std::string best = best_text(shown.rows);
  if (!best.empty()) sheet.said.push_back(best);
  FactList facts;
  facts.add("folder", "files", shown.folder);
  sheet.add({"files", "Where its files are", facts.take()});
  sheet.add(campaigns_part(shown.campaigns));
  sheet.add(ends_part(shown.rows, shown.newest));
  sheet.add(failed_part(shown));
  return sheet;
}

}  // namespace pippin
