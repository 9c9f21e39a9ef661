// SPDX-License-Identifier: Apache-2.0
#include <ctime>
#include <memory>
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
    for (auto& campaign : database.contents(filter)) {
      if (!campaign.tags.empty())
        page.tags[campaign.sweep + '/' + std::to_string(campaign.number)] = campaign.tags;
    }
  }
  const Samples samples = options.samples == "all" ? Samples::kAll : Samples::kClean;
  page.runs = std::make_shared<RunRows>(std::move(points), samples);
  if (selections.size() == 1) {
    page.noise =
        noise_of(page.title, page.runs->points(), database.evidence(selections.front().filter));
    page.said = options.by == "point" && !table.made ? closing_words(table.rows, *page.noise)
                                                     : sentences_of(*page.noise);
  }
  page.table = std::move(table);
  return page;
}

}  // namespace pippin
