// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "db/json.h"
#include "db/operations.h"
#include "db/selected.h"

namespace pippin::db {

namespace {

constexpr const char* kOrigin =
    "coalesce(sweeps.name, ''), runs.point, json_group_array(DISTINCT runs.gpu_model), "
    "json_group_array(DISTINCT (SELECT accelerator FROM campaign_peaks "
    "WHERE campaign_peaks.campaign = campaigns.id)), json_group_array(DISTINCT campaigns.cluster), "
    "max(campaigns.id IS NULL), "
    "max((SELECT count(*) FROM run_nodes WHERE run_nodes.run = runs.id)), "
    "sum(runs.state IN ('ok', 'timeout', 'cancelled') AND runs.last_iteration IS NOT NULL), "
    "sum(runs.state = 'oom')";
constexpr const char* kByPoint = " GROUP BY sweeps.name, runs.point";

PointOrigin origin_at(const Statement& row) {
  PointOrigin origin;
  origin.sweep = row.text(0);
  origin.point = row.text(1);
  origin.gpu_models = texts_in(row.text(2));
  origin.accelerators = texts_in(row.text(3));
  origin.clusters = texts_in(row.text(4));
  origin.has_logs = row.integer(5) != 0;
  if (const std::int64_t nodes = row.integer(6); nodes > 0) origin.nodes = nodes;
  origin.ran = row.integer(7);
  origin.out_of_memory = row.integer(8);
  return origin;
}

/// A sweep, and the id of a point of it.
using Key = std::pair<std::string, std::string>;

/// Calls `take(key, text)` with what the newest run of each point has that has any.
template <typename Take>
void each_newest(Connection& connection, const SampleFilter& filter, const std::string& column,
                 const std::string& joins, const Take& take) {
  Statement rows =
      selected(connection, filter, "coalesce(sweeps.name, ''), runs.point, max(runs.id), " + column,
               joins, kByPoint);
  while (rows.step()) take(Key(rows.text(0), rows.text(1)), rows.text(3));
}

/// The newest runs of each point that made steps, so many of it.
std::map<Key, std::vector<std::int64_t>> newest_runs(Connection& connection,
                                                     const SampleFilter& filter) {
  constexpr std::size_t kMost = 8;
  std::map<Key, std::vector<std::int64_t>> runs;
  Statement rows = selected(connection, filter, "coalesce(sweeps.name, ''), runs.point, runs.id",
                            "JOIN runs AS stepped ON stepped.id = runs.id AND "
                            "stepped.state IN ('ok', 'timeout', 'cancelled') AND "
                            "stepped.last_iteration IS NOT NULL",
                            " ORDER BY runs.id DESC");
  while (rows.step()) {
    auto& of_point = runs[Key(rows.text(0), rows.text(1))];
    if (of_point.size() < kMost) of_point.push_back(rows.integer(2));
  }
  return runs;
}

/// Requires a value.
double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

using ByName = std::map<std::string, std::vector<double>>;

/// Adds the median of each timer of a run.
void add_run(Statement& lines, ByName& medians) {
  ByName times;
  while (lines.step()) {
    if (!lines.null(1)) times[lines.text(0)].push_back(lines.real(1));
  }
  for (auto& [name, of_run] : times) medians[name].push_back(median(of_run));
}

}  // namespace

std::vector<PointOrigin> origins(Connection& connection, const SampleFilter& filter) {
  std::vector<PointOrigin> all;
  std::map<Key, std::size_t> places;
  Statement rows = selected(connection, filter, kOrigin, "", kByPoint);
  while (rows.step()) {
    places.emplace(Key(rows.text(0), rows.text(1)), all.size());
    all.push_back(origin_at(rows));
  }
  each_newest(connection, filter, "run_arguments.list",
              "JOIN run_arguments ON run_arguments.run = runs.id",
              [&](const Key& point, const std::string& list) {
                all[places.at(point)].arguments = pairs_in(list);
              });
  each_newest(connection, filter, "runs.command",
              "JOIN runs AS told ON told.id = runs.id AND told.command IS NOT NULL",
              [&](const Key& point, const std::string& command) {
                all[places.at(point)].command = command;
              });
  return all;
}

std::vector<PointTimers> timers(Connection& connection, const SampleFilter& filter,
                                const std::vector<std::string>& names,
                                const std::set<std::string>& points) {
  constexpr double kMsPerSecond = 1e3;
  std::string places = "?";
  for (std::size_t i = 1; i < names.size(); ++i) places += ", ?";
  Statement lines = connection.prepare(
      fmt::format("SELECT name, number FROM other_values WHERE run = ? AND name IN ({})", places));
  std::vector<PointTimers> all;
  for (const auto& [point, runs] : newest_runs(connection, filter)) {
    if (!points.empty() && !points.contains(point.second)) continue;
    ByName medians;
    for (const std::int64_t run : runs) add_run(lines.bind(run, names), medians);
    if (medians.empty()) continue;
    PointTimers& timed = all.emplace_back();
    timed.sweep = point.first;
    timed.point = point.second;
    for (auto& [name, of_runs] : medians)
      timed.timers.push_back({name, median(of_runs) / kMsPerSecond});
  }
  return all;
}

}  // namespace pippin::db
