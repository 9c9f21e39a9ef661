// SPDX-License-Identifier: Apache-2.0
#include "reports/show/run_table.h"

#include <fmt/format.h>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "reports/flat_columns.h"

namespace pippin {

namespace {

using Columns = FlatColumns<ListedRun>;
constexpr auto kLeft = TextColumn::Align::kLeft;

void add_text(Columns& columns, const Columns::Names& names, std::string ListedRun::*text) {
  columns.add(
      names, [=](const auto& run) { return printable(run.*text); },
      [=](const auto& run) { return run.*text; });
}

void add_step_time(Columns& columns) {
  columns.add(
      {"step time", "step_time_s", 8},
      [](const auto& run) {
        const auto mean = mean_ms_of(run);
        const bool is_clean = run.digest && run.digest->clean.lines > 0;
        return mean ? step_text(*mean) + (is_clean ? "" : "*") : std::string();
      },
      [](const auto& run) {
        const auto mean = mean_ms_of(run);
        return mean ? std::optional(*mean / kMsPerSecond) : std::nullopt;
      });
}

std::string end_of(const ListedRun& run) {
  return run.dropped ? "dropped" : std::string(text_of(run.state));
}

std::string words_of(const ListedRun& run) {
  if (run.dropped) return *run.dropped;
  return run.state == RunState::kOk ? run.note : run.evidence;
}

void add_marks(Columns& columns, std::int64_t marked) {
  columns.add(
      {" ", "", 9, kLeft},
      [=](const auto& run) { return std::string(run.id == marked ? ">" : " "); },
      [](const auto&) { return FlatValue(); });
}

}  // namespace

std::optional<double> mean_ms_of(const ListedRun& run) {
  if (!run.digest || run.digest->all.lines == 0) return std::nullopt;
  return run.digest->clean.lines > 0 ? run.digest->clean.mean_ms : run.digest->all.mean_ms;
}

std::string origin_of(const ListedRun& run) {
  if (run.sweep.empty()) return "a log";
  return fmt::format("campaign {} of {}", run.campaign.value_or(1), printable(run.sweep));
}

FlatTable run_table(const std::vector<ListedRun>& runs, const RunTableColumns& wanted) {
  Columns columns(runs);
  if (wanted.marked) add_marks(columns, *wanted.marked);
  if (wanted.positions)
    columns.add(
        {"position", "position", 4}, [](const auto& run) { return std::to_string(run.position); },
        [](const auto& run) { return std::optional(run.position); });
  columns.add(
      {"number", "number", 2}, [](const auto& run) { return std::to_string(run.id); },
      [](const auto& run) { return std::optional(run.id); });
  // Its point says as much, and the number names it.
  add_text(columns, {wanted.points ? "" : "run", "run", 9, kLeft}, &ListedRun::name);
  if (wanted.sweeps)
    columns.add_text({"of", "of", 3, kLeft}, [](const auto& run) { return origin_of(run); });
  if (wanted.points) add_text(columns, {"point", "point", 5, kLeft}, &ListedRun::point);
  if (wanted.allocations)
    add_text(columns, {"allocation", "allocation", 3, kLeft}, &ListedRun::allocation);
  columns.add(
      {"started (UTC)", "started_utc", 4, kLeft},
      [](const auto& run) {
        return run.started_at ? utc_text(*run.started_at, "%F %T") : std::string();
      },
      [](const auto& run) { return utc_text(run.started_at); });
  columns.add(
      {"end", "state", 7, kLeft}, [](const auto& run) { return end_of(run); },
      [](const auto& run) { return std::string(text_of(run.state)); });
  add_step_time(columns);
  columns.add_text({"why, or a note", "words", 1, kLeft},
                   [](const auto& run) { return words_of(run); });
  FlatTable table;
  table.rows_are = "runs";
  table.columns = columns.take();
  for (auto& column : table.columns) {
    const bool is_name = column.name == "run" || column.name == "point";
    column.shown.may_shorten = is_name || column.name == "words";
    if (column.name != "state") continue;
    for (const auto& run : runs)
      column.shown.tones.push_back(run.state == RunState::kOk && !run.dropped ? Tone::kNormal
                                                                              : Tone::kBad);
  }
  return table;
}

void put_runs(const RunList& list, const RunTableColumns& columns, const char* how,
              SheetPart& part) {
  if (list.runs.empty()) return;
  part.table = run_table(list.runs, columns);
  part.say_left_out(list.left_out, "run", how);
}

}  // namespace pippin
