// SPDX-License-Identifier: Apache-2.0
#include "reports/contents.h"

#include <ctime>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "reports/csv_text.h"
#include "reports/format_among.h"
#include "reports/json_writer.h"
#include "reports/text_table.h"

namespace pippin {

namespace {

using Kind = CampaignContents::Kind;
using ContentsJson = nlohmann::ordered_json;

constexpr RunState kStates[] = {RunState::kOk,  RunState::kFailed,    RunState::kTimeout,
                                RunState::kOom, RunState::kCancelled, RunState::kMissing};

std::int64_t runs_in(const CampaignContents& entry, RunState state) {
  return entry.runs.at(static_cast<std::size_t>(state));
}

const char* text_of(Kind kind) {
  switch (kind) {
    case Kind::kNoted:
      return "noted";
    case Kind::kLogs:
      return "logs";
    case Kind::kCampaign:
      break;
  }
  return "campaign";
}

/// "2026-11-20 15:04" of "2026-11-20T15:04:05Z".
std::string minute_text(const std::string& utc) {
  constexpr std::size_t kDay = 10, kTime = 11, kMinutes = 5;
  if (utc.size() < kTime + kMinutes) return utc;
  return utc.substr(0, kDay) + " " + utc.substr(kTime, kMinutes);
}

/// What other commands take for it.
std::string name_of(const CampaignContents& entry) {
  if (entry.kind == Kind::kLogs) return "collected";
  if (entry.kind == Kind::kNoted) return printable(entry.sweep);
  return fmt::format("{}/{}", printable(entry.sweep), entry.number);
}

/// A column of counts; left out where all are 0.
TextColumn count_column(const ContentsTable& table, std::string title,
                        const std::function<std::int64_t(const CampaignContents&)>& count) {
  TextColumn column;
  column.title = std::move(title);
  column.importance = 2;
  bool any = false;
  for (const auto& entry : table.entries) any = any || count(entry) > 0;
  for (const auto& entry : table.entries)
    column.cells.push_back(any ? std::to_string(count(entry)) : "");
  return column;
}

TextColumn text_column(const ContentsTable& table, std::string title, int importance,
                       const std::function<std::string(const CampaignContents&)>& text) {
  TextColumn column;
  column.title = std::move(title);
  column.align = TextColumn::Align::kLeft;
  column.importance = importance;
  for (const auto& entry : table.entries) column.cells.push_back(text(entry));
  return column;
}

std::vector<TextColumn> columns_of(const ContentsTable& table) {
  std::vector<TextColumn> columns;
  columns.push_back(text_column(table, "campaign", 9, name_of));
  columns.back().must_stay = true;
  columns.push_back(text_column(table, "kind", 1, [](const auto& entry) {
    return std::string(entry.kind == Kind::kCampaign ? "" : text_of(entry.kind));
  }));
  columns.push_back(text_column(table, "begun (UTC)", 5, [](const auto& entry) {
    return printable(minute_text(entry.started));
  }));
  columns.push_back(
      text_column(table, "cluster", 3, [](const auto& entry) { return printable(entry.cluster); }));
  columns.push_back(count_column(table, "points", [](const auto& entry) { return entry.points; }));
  columns.push_back(
      count_column(table, "infeasible", [](const auto& entry) { return entry.infeasible; }));
  for (const RunState state : kStates)
    columns.push_back(count_column(table, std::string(text_of(state)),
                                   [state](const auto& entry) { return runs_in(entry, state); }));
  columns.push_back(
      count_column(table, "dropped", [](const auto& entry) { return entry.dropped; }));
  columns.push_back(
      text_column(table, "because", 4, [](const auto& entry) { return printable(entry.because); }));
  columns.push_back(text_column(
      table, "tags", 6, [](const auto& entry) { return printable(join(entry.tags, ", ")); }));
  columns.push_back(text_column(table, "last run (UTC)", 4, [](const auto& entry) {
    return minute_text(utc_text(entry.last_run));
  }));
  return columns;
}

/// The campaign that `pippin report` shows: entries of the sweep begun last stand at the end.
const CampaignContents* newest_of(const ContentsTable& table) {
  const CampaignContents* newest = nullptr;
  for (const auto& entry : table.entries) {
    if (entry.newest && (!newest || newest->started <= entry.started)) newest = &entry;
  }
  return newest;
}

void write_contents_terminal(const ContentsTable& table, std::ostream& out) {
  if (table.entries.empty()) return;
  const auto left_out = write_table(columns_of(table), table.width, out, table.colours);
  const CampaignContents* newest = newest_of(table);
  if (newest && table.entries.size() > 1)
    out << fmt::format("\nnewest: {}, which 'pippin report' shows\n", name_of(*newest));
  if (!left_out.empty())
    out << fmt::format("no room for: {}; --format csv has all\n", join(left_out, ", "));
}

void write_contents_csv(const ContentsTable& table, std::ostream& out) {
  std::vector<std::string> names{"sweep",  "campaign",         "kind", "started_utc", "cluster",
                                 "points", "infeasible_points"};
  for (const RunState state : kStates) names.push_back(fmt::format("runs_{}", text_of(state)));
  for (const char* name : {"runs_dropped", "dropped_because", "tags", "last_run_utc", "newest"})
    names.emplace_back(name);
  out << csv_line(names);
  for (const auto& entry : table.entries) {
    std::vector<std::string> cells{entry.sweep,
                                   entry.number > 0 ? std::to_string(entry.number) : "",
                                   text_of(entry.kind),
                                   entry.started,
                                   entry.cluster,
                                   std::to_string(entry.points),
                                   std::to_string(entry.infeasible)};
    for (const RunState state : kStates) cells.push_back(std::to_string(runs_in(entry, state)));
    cells.push_back(std::to_string(entry.dropped));
    cells.push_back(entry.because);
    cells.push_back(join(entry.tags, " "));
    cells.push_back(utc_text(entry.last_run));
    cells.emplace_back(entry.newest ? "1" : "0");
    out << csv_line(cells);
  }
}

ContentsJson text_or_none(const std::string& text) {
  return text.empty() ? ContentsJson() : ContentsJson(text);
}

ContentsJson json_of(const CampaignContents& entry) {
  ContentsJson json{{"sweep", text_or_none(entry.sweep)},
                    {"campaign", entry.number > 0 ? ContentsJson(entry.number) : ContentsJson()},
                    {"kind", text_of(entry.kind)},
                    {"started_utc", text_or_none(entry.started)},
                    {"cluster", text_or_none(entry.cluster)},
                    {"points", entry.points},
                    {"infeasible_points", entry.infeasible}};
  for (const RunState state : kStates)
    json[fmt::format("runs_{}", text_of(state))] = runs_in(entry, state);
  json["runs_dropped"] = entry.dropped;
  json["dropped_because"] = text_or_none(entry.because);
  json["tags"] = entry.tags;
  json["last_run_utc"] = text_or_none(utc_text(entry.last_run));
  json["newest"] = entry.newest;
  return json;
}

void write_contents_json(const ContentsTable& table, std::ostream& out) {
  ContentsJson campaigns = ContentsJson::array();
  for (const auto& entry : table.entries) campaigns.push_back(json_of(entry));
  const ContentsJson whole{{"campaigns", std::move(campaigns)}};
  // Names are users' texts: what is no UTF-8 must not end the list.
  out << quiet_json(whole.dump(1, ' ', false, ContentsJson::error_handler_t::replace)) << '\n';
}

}  // namespace

const std::vector<ContentsFormat>& contents_formats() {
  static const std::vector<ContentsFormat> kFormats{{"terminal", write_contents_terminal},
                                                    {"csv", write_contents_csv},
                                                    {"json", write_contents_json}};
  return kFormats;
}

const ContentsFormat& contents_format_named(const std::string& name) {
  return format_among(contents_formats(), name);
}

}  // namespace pippin
