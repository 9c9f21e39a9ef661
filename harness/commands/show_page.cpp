// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ctime>
#include <memory>
#include <utility>

#include "core/base/text.h"
#include "harness/commands/show.h"
#include "harness/commands/steps/report_rows.h"
#include "reports/rates.h"

namespace pippin {

namespace {

/// The points that are drawn, with all their runs.
std::vector<PointSamples> points_of(const Globals& globals, Database& database,
                                    const Shown& shown) {
  auto points = digested_points(globals, database, shown.filter);
  std::erase_if(points, [&](const PointSamples& point) {
    const bool is_other = !shown.point_id.empty() && point.point.id != shown.point_id;
    const bool has_none = shown.run_ids && std::none_of(point.runs.begin(), point.runs.end(),
                                                        [&](const RunSamples& run) {
                                                          return shown.run_ids->contains(run.id);
                                                        });
    return is_other || has_none;
  });
  return points;
}

void keep_runs(const std::set<std::int64_t>& wanted, std::vector<PointSamples>& points) {
  for (auto& point : points)
    std::erase_if(point.runs, [&](const RunSamples& run) { return !wanted.contains(run.id); });
}

std::string command_of(const Globals& globals, const ShowOptions& options) {
  return program_words(globals) + " show " + options.name +
         (options.as.empty() ? "" : " --as " + options.as) + " --format html";
}

}  // namespace

Page page_of(const Globals& globals, Database& database, const ShowOptions& options, Shown shown) {
  Page page;
  auto points = points_of(globals, database, shown);
  // A row stands for all runs of its point: those of a node are held against the others.
  page.table.rows = sum_up(points, {});
  for (auto& row : page.table.rows) rate(row, {});
  if (shown.run_ids) keep_runs(*shown.run_ids, points);
  page.runs = std::make_shared<RunRows>(std::move(points), Samples::kClean);
  page.tags = database.tags(shown.filter);
  page.kind = shown.sheet.kind;
  page.title = shown.sheet.name;
  page.said = shown.sheet.said;
  page.command = command_of(globals, options);
  page.made_at = std::time(nullptr);
  page.sheet = std::move(shown.sheet);
  return page;
}

}  // namespace pippin
