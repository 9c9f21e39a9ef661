// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ctime>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "harness/commands/report.h"
#include "harness/commands/steps/report_rows.h"
#include "harness/commands/steps/selections.h"
#include "reports/closing.h"
#include "reports/methods.h"
#include "reports/page/page.h"

namespace pippin {

namespace {

/// Where the steps of the first rows go: more than a plot can show. Rows of a point only.
std::vector<RowPhases> phases_of_rows(Database& database, const std::vector<Selected>& selections,
                                      const Report& table) {
  constexpr std::size_t kMost = 40;
  std::map<std::string, std::size_t> rows;  // by the point's id
  for (std::size_t i = 0; i < table.rows.size() && rows.size() < kMost; ++i)
    if (table.rows[i].step_time_s) rows.try_emplace(table.rows[i].point.id, i);
  if (rows.empty() || selections.size() != 1) return {};
  std::set<std::string> points;
  for (const auto& entry : rows) points.insert(entry.first);
  std::vector<RowPhases> phases;
  for (const auto& timed : database.timers(selections.front().filter, phase_timers(), points)) {
    const std::size_t row = rows.at(timed.point);
    const Layout& layout = table.rows[row].point.layout;
    auto of_row =
        measured_phases(timed.timers, layout.tp.value_or(1) > 1, layout.cp.value_or(1) > 1);
    if (!of_row.empty()) phases.push_back({row, std::move(of_row)});
  }
  std::sort(phases.begin(), phases.end(),
            [](const RowPhases& a, const RowPhases& b) { return a.row < b.row; });
  return phases;
}

/// What makes the page again.
std::string command_of(const Globals& globals, const ReportOptions& options) {
  std::string command = program_words(globals) + " report";
  for (const auto& selection : options.selections) command += " " + selection;
  return command + (options.pool ? " --pool" : "") + " --format html";
}

}  // namespace

Page page_of(const Globals& globals, Database& database, const ReportOptions& options,
             Report table) {
  const auto selections = selections_of(globals, database, options);
  Page page;
  page.title =
      options.selections.empty() ? globals.db.filename().string() : join(options.selections, ", ");
  page.command = command_of(globals, options);
  page.made_at = std::time(nullptr);
  page.methods = methods_of(table);
  std::vector<PointSamples> points;
  for (const auto& selection : selections) {
    SampleFilter filter = selection.filter;
    filter.dropped = options.dropped;
    for (auto& point : digested_points(globals, database, filter))
      points.push_back(std::move(point));
    page.tags.merge(database.tags(filter));
  }
  const Samples samples = options.samples == "all" ? Samples::kAll : Samples::kClean;
  page.runs = std::make_shared<RunRows>(std::move(points), samples);
  if (selections.size() == 1) {
    page.noise =
        noise_of(page.title, page.runs->points(), database.evidence(selections.front().filter));
    page.said = options.by == "point" && !table.made ? closing_words(table.rows, *page.noise)
                                                     : sentences_of(*page.noise);
  }
  if (options.by == "point" && !table.made)
    page.phases = phases_of_rows(database, selections, table);
  page.table = std::move(table);
  return page;
}

}  // namespace pippin
