// SPDX-License-Identifier: Apache-2.0
#include "reports/checkpoints.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "reports/flat_columns.h"
#include "reports/statistics/sample.h"
#include "reports/values.h"

namespace pippin {

namespace {

/// The checkpoints of a row, while they are counted.
struct Counted {
  CheckpointRow row;
  std::vector<double> seconds, bytes, gb_per_s;
  double still_s = 0, steps_s = 0;
};

/// Whether training stood still for it: what a clock says of one that goes on beside is its whole
/// length.
bool stands_still(const Checkpoint& one) {
  return one.seconds && !(one.derived && one.asynchronous == true);
}

void count(Counted& counted, const Checkpoint& one) {
  CheckpointRow& row = counted.row;
  ++row.count;
  row.asynchronous += one.asynchronous == true ? 1 : 0;
  row.begun += one.state == CheckpointState::kBegun ? 1 : 0;
  row.unfinished += one.state == CheckpointState::kUnfinished ? 1 : 0;
  row.failed += one.state == CheckpointState::kFailed ? 1 : 0;
  if (one.bytes) counted.bytes.push_back(static_cast<double>(*one.bytes));
  if (!one.seconds) return;
  row.derived += one.derived ? 1 : 0;
  counted.seconds.push_back(*one.seconds);
  // Of one that goes on beside, the time in which training stood still does not move its bytes.
  if (one.bytes && *one.seconds > 0 && one.asynchronous != true)
    counted.gb_per_s.push_back(static_cast<double>(*one.bytes) / kGb / *one.seconds);
}

/// Adds the checkpoints of one kind that a run has.
void add_run(Counted& counted, const RunCheckpoints& run) {
  CheckpointRow& row = counted.row;
  double still_s = 0;
  bool any = false;
  for (const auto& one : run.checkpoints) {
    if (one.kind != row.kind) continue;
    count(counted, one);
    if (!stands_still(one)) continue;
    any = true;
    still_s += *one.seconds;
  }
  ++row.runs;
  row.of.nodes = std::max(row.of.nodes, run.nodes);
  if (!any || !run.steps_s) return;
  counted.still_s += still_s;
  counted.steps_s += *run.steps_s;
}

std::optional<double> mean_or_none(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(mean_of(values));
}

CheckpointRow summed_up(Counted counted) {
  CheckpointRow row = std::move(counted.row);
  const auto& seconds = counted.seconds;
  row.timed = static_cast<std::int64_t>(seconds.size());
  row.mean_s = mean_or_none(seconds);
  if (seconds.size() > 1) row.sd_s = sd_of(seconds);
  if (!seconds.empty()) row.slowest_s = *std::max_element(seconds.begin(), seconds.end());
  row.bytes = mean_or_none(counted.bytes);
  row.gb_per_s = mean_or_none(counted.gb_per_s);
  if (counted.steps_s > 0) row.share = counted.still_s / counted.steps_s;
  return row;
}

bool has(const RunCheckpoints& run, CheckpointKind kind) {
  return std::any_of(run.checkpoints.begin(), run.checkpoints.end(),
                     [&](const auto& one) { return one.kind == kind; });
}

}  // namespace

std::vector<CheckpointRow> checkpoint_rows(const std::vector<RunCheckpoints>& runs) {
  std::vector<std::vector<Counted>> points;
  std::unordered_map<std::string, std::size_t> places;
  for (const auto& run : runs) {
    const auto place = places.try_emplace(run.sweep + '\n' + run.point_id, points.size());
    if (place.second) points.emplace_back();
    auto& of_point = points[place.first->second];
    for (const auto kind : {CheckpointKind::kSave, CheckpointKind::kLoad}) {
      if (!has(run, kind)) continue;
      auto found = std::find_if(of_point.begin(), of_point.end(),
                                [&](const auto& one) { return one.row.kind == kind; });
      if (found == of_point.end()) {
        found = of_point.emplace(of_point.end());
        found->row.of = run;
        found->row.of.checkpoints.clear();
        found->row.kind = kind;
      }
      add_run(*found, run);
    }
  }
  std::vector<CheckpointRow> rows;
  for (auto& of_point : points) {
    std::sort(of_point.begin(), of_point.end(),
              [](const auto& a, const auto& b) { return a.row.kind < b.row.kind; });
    for (auto& counted : of_point) rows.push_back(summed_up(std::move(counted)));
  }
  return rows;
}

namespace {

using Columns = FlatColumns<CheckpointRow>;
constexpr auto kLeft = TextColumn::Align::kLeft;

void add_text(Columns& columns, const Columns::Names& names, std::string RunCheckpoints::*text) {
  columns.add(
      names, [&](const auto& row) { return printable(row.of.*text); },
      [&](const auto& row) { return row.of.*text; });
}

void add_size_of_job(Columns& columns, const char* name, Count RunCheckpoints::*count) {
  columns.add(
      {name, name, 5},
      [&](const auto& row) {
        return row.of.*count ? std::to_string(*(row.of.*count)) : std::string();
      },
      [&](const auto& row) { return row.of.*count; });
}

std::string time_cell(const CheckpointRow& row) {
  if (!row.mean_s) return "";
  const MeanText text = mean_text(*row.mean_s, row.sd_s);
  return text.half_width.empty() ? text.mean : fmt::format("{} ± {}", text.mean, text.half_width);
}

void add_point(Columns& columns) {
  add_text(columns, {"", "sweep"}, &RunCheckpoints::sweep);
  add_text(columns, {"point", "point", 9, kLeft}, &RunCheckpoints::point_name);
  add_text(columns, {"", "trainer"}, &RunCheckpoints::trainer);
  add_text(columns, {"size", "size", 3, kLeft}, &RunCheckpoints::size);
  add_size_of_job(columns, "nodes", &RunCheckpoints::nodes);
  add_size_of_job(columns, "gpus", &RunCheckpoints::gpus);
  columns.add(
      {"kind", "kind", 9, kLeft}, [](const auto& row) { return text_of(row.kind); },
      [](const auto& row) { return std::string(text_of(row.kind)); });
}

void add_times(Columns& columns) {
  columns.add({"mean (s)", "mean_s", 8}, time_cell, [](const auto& row) { return row.mean_s; });
  columns.add(
      {"", "sd_s"}, [](const auto&) { return ""; }, [](const auto& row) { return row.sd_s; });
  columns.add_number({"slowest (s)", "slowest_s", 6}, &CheckpointRow::slowest_s);
  columns.add_number({"GB", "size_bytes", 4}, &CheckpointRow::bytes, kGb);
  columns.add_number({"GB/s", "gb_per_s", 5}, &CheckpointRow::gb_per_s);
  columns.add(
      {"of steps", "share_of_steps", 4},
      [](const auto& row) {
        constexpr double kPercent = 100;
        return row.share ? short_number(*row.share * kPercent, 2) + " %" : std::string();
      },
      [](const auto& row) { return row.share; });
}

void add_counts(Columns& columns) {
  columns.add_count({"timed", "timed", 6}, &CheckpointRow::timed);
  columns.add_count({"by clock", "derived", 2}, &CheckpointRow::derived);
  columns.add_count({"async", "asynchronous", 2}, &CheckpointRow::asynchronous);
  columns.add_count({"end not said", "begun", 3}, &CheckpointRow::begun);
  columns.add_count({"unfinished", "unfinished", 7}, &CheckpointRow::unfinished);
  columns.add_count({"failed", "failed", 7}, &CheckpointRow::failed);
}

std::vector<std::string> remarks_on(const std::vector<CheckpointRow>& rows) {
  const auto any = [&](auto condition) { return std::any_of(rows.begin(), rows.end(), condition); };
  std::vector<std::string> remarks;
  if (any([](const auto& row) { return row.sd_s.has_value(); }))
    remarks.emplace_back("±: standard deviation between checkpoints.");
  if (any([](const auto& row) { return row.share.has_value(); }))
    remarks.emplace_back(
        "of steps: how long training stood still for them, by how long its steps took, which in "
        "many logs includes it.");
  if (any([](const auto& row) { return row.derived > 0; }))
    remarks.emplace_back(
        "by clock: times that no line says, from the time of one to that of another.");
  if (any([](const auto& row) { return row.begun > 0; }))
    remarks.emplace_back("end not said: the log says only that they began, and goes on.");
  if (any([](const auto& row) { return row.unfinished + row.failed > 0; }))
    remarks.emplace_back(
        "unfinished: the log ends behind the beginning; failed: the run died there.");
  return remarks;
}

}  // namespace

FlatTable checkpoint_table(const std::vector<CheckpointRow>& rows) {
  Columns columns(rows);
  add_point(columns);
  columns.add_count({"runs", "runs", 4}, &CheckpointRow::runs);
  columns.add_count({"count", "count", 7}, &CheckpointRow::count);
  add_times(columns);
  add_counts(columns);
  return {"checkpoints", columns.take(), remarks_on(rows)};
}

}  // namespace pippin
