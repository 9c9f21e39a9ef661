// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/show.h"

#include <algorithm>
#include <sstream>
#include <unistd.h>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "db/database.h"
#include "harness/commands/steps/figure_places.h"
#include "harness/commands/steps/node_notes.h"
#include "harness/commands/steps/print_table.h"
#include "harness/commands/steps/report_rows.h"
#include "harness/commands/steps/selections.h"
#include "harness/commands/steps/sweep_folders.h"
#include "harness/commands/steps/thing_named.h"
#include "reports/digest.h"
#include "reports/show/other_sheets.h"
#include "reports/show/run_sheet.h"
#include "reports/standing.h"

namespace pippin {

namespace {

constexpr std::size_t kMostCampaigns = 20;

/// Sums up the lines of runs where nobody has yet.
void complete(Database& database, RunList& list) {
  for (auto& run : list.runs)
    if (!run.digest) run.digest = digest_of(database.lines_of(run.id), run.warmup);
}

Shown shown_run(const Globals& globals, Database& database, std::int64_t id) {
  const std::int64_t version = digester().version;
  RunToShow shown;
  shown.run = database.whole_run(id, version);
  shown.lines = database.lines_of(id);
  if (!shown.run.listed.digest)
    shown.run.listed.digest = digest_of(shown.lines, shown.run.listed.warmup);
  shown.places = figure_places(globals, shown.run, shown.lines);
  RunsOf of_allocation, of_point;
  of_allocation.allocation = shown.run.allocation_id;
  of_point.point = shown.run.listed.point_id;
  shown.neighbours = database.listed_runs(of_allocation, version);
  shown.repeats = database.listed_runs(of_point, version);
  complete(database, shown.neighbours);
  complete(database, shown.repeats);
  shown.files = files_beside(shown.run);
  if (!shown.run.listed.sweep.empty()) {
    for (auto& campaign : database.tags({shown.run.listed.sweep, shown.run.listed.campaign}))
      shown.tags = std::move(campaign.second);
  }
  return {run_sheet(shown),
          {shown.run.listed.sweep, shown.run.listed.campaign},
          shown.run.listed.point_id,
          {}};
}

std::vector<Summary> rows_of(const Globals& globals, Database& database,
                             const SampleFilter& filter) {
  auto rows = report_rows(globals, database, filter, {}, {});
  rank(rows);
  return rows;
}

Shown shown_point(const Globals& globals, Database& database, Point point) {
  PointToShow shown;
  auto selections = database.selections_of(point.id);
  if (selections.size() > kMostCampaigns) {
    shown.older = selections.size() - kMostCampaigns;
    selections.erase(selections.begin(),
                     selections.begin() + static_cast<std::ptrdiff_t>(shown.older));
  }
  for (const auto& filter : selections) {
    const std::string name =
        filter.sweep->empty() ? kCollected : text_of(CampaignName{*filter.sweep, filter.campaign});
    for (auto& row : rows_of(globals, database, filter))
      if (row.point.id == point.id) shown.rows.push_back({name, std::move(row)});
  }
  RunsOf of_point;
  of_point.point = point.id;
  shown.runs = database.listed_runs(of_point, digester().version);
  complete(database, shown.runs);
  shown.point = std::move(point);
  return {point_sheet(shown), {}, shown.point.id, {}};
}

Shown shown_sweep(const Globals& globals, Database& database, const std::string& name,
                  const SampleFilter& filter) {
  SweepToShow shown;
  shown.name = name;
  shown.campaigns = database.contents(filter);
  const Selected newest = selected(globals, database, name, false);
  shown.rows = rows_of(globals, database, newest.filter);
  if (newest.filter.campaign) {
    const CampaignName campaign{*newest.filter.sweep, newest.filter.campaign};
    shown.newest = text_of(campaign);
    RunsOf failed;
    failed.failed_in = campaign;
    failed.most = 20;
    shown.failed = database.listed_runs(failed, digester().version);
    complete(database, shown.failed);
    const fs::path folder = SweepFolders(globals.db, globals.for_readers).path_of(campaign.sweep);
    if (disk().exists(folder)) shown.folder = folder.string();
  } else {
    shown.newest = name;
  }
  return {sweep_sheet(shown), newest.filter, "", {}};
}

bool has(const std::vector<std::string>& nodes, const std::string& node) {
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

Shown shown_node(const Globals& globals, Database& database, const std::string& name) {
  NodeToShow shown;
  const Evidence evidence = database.evidence({});
  auto rows = node_rows(database.node_runs({}), evidence, node_notes(folders_of(globals, "")));
  shown.nodes = rows.size();
  shown.row.node = name;
  for (auto& row : rows)
    if (row.node == name) shown.row = std::move(row);
  shown.readings = database.node_readings(name);
  shown.links = database.node_links(name);
  const Noise noise = noise_of(name, digested_points(globals, database, {}), evidence);
  for (const auto& effect : noise.effects)
    if (effect.nodes == std::vector<std::string>{name}) shown.effect = effect;
  for (const auto& suspect : noise.suspects)
    if (has(suspect.nodes, name)) shown.suspects.push_back(suspect);
  RunsOf of_node;
  of_node.node = name;
  shown.runs = database.listed_runs(of_node, digester().version);
  complete(database, shown.runs);
  std::set<std::int64_t> runs;
  for (const auto& run : evidence.runs)
    if (has(run.nodes, name)) runs.insert(run.run);
  return {node_sheet(shown), {}, "", std::move(runs)};
}

}  // namespace

Shown shown_by(const Globals& globals, Database& database, const ShowOptions& options) {
  Thing thing = thing_named(globals, database, options.name, options.as);
  if (thing.run) return shown_run(globals, database, *thing.run);
  if (thing.point) return shown_point(globals, database, *std::move(thing.point));
  if (thing.node) return shown_node(globals, database, *thing.node);
  return shown_sweep(globals, database, options.name, *thing.selection);
}

ExitCode show(const Globals& globals, const ShowOptions& options) {
  const SheetFormat& format = sheet_format_named(options.format);
  Database database = existing_database(globals);
  Shown shown = shown_by(globals, database, options);
  if (!format.write) {
    print_page(page_document(page_of(globals, database, options, std::move(shown))),
               options.output);
    return ExitCode::kDone;
  }
  std::ostringstream text;
  format.write(
      {std::move(shown.sheet), terminal_width(STDOUT_FILENO), wants_colours(), wants_ascii()},
      text);
  print_text(text.str(), options.format, options.output);
  return ExitCode::kDone;
}

}  // namespace pippin
