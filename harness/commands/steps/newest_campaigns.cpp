// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/newest_campaigns.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "harness/commands/steps/directories.h"
#include "harness/commands/steps/report_rows.h"
#include "harness/commands/steps/selections.h"
#include "harness/commands/steps/session.h"
#include "harness/commands/steps/sweep_folders.h"

namespace pippin {

namespace {

using Found = std::vector<OpenCampaign>;

/// The newest campaign of a folder, or the one of that number, where there is one.
void append(const Globals& globals, Found& found, const SweepFolders& folders, const fs::path& path,
            std::optional<std::int64_t> number = {}) {
  SweepFolder folder(globals.for_readers ? disk_to_read() : disk(), path);
  const auto numbers = folder.campaigns();
  if (numbers.empty()) return;
  const bool is_there =
      !number || std::find(numbers.begin(), numbers.end(), *number) != numbers.end();
  if (is_there)
    found.emplace_back(folder, folders.load_plan(folder, number.value_or(numbers.back())));
}

/// The sweep, campaign or tag of that name, or that of a run, as the database knows them.
std::optional<CampaignName> campaign_known_as(const Globals& globals, const std::string& name) {
  if (!fs::exists(globals.db)) return std::nullopt;
  Database database = existing_database(globals);
  const auto filter =
      globals.for_readers ? database.selection(name) : find_selection(database, name);
  if (!filter || filter->sweep.value_or("").empty()) return std::nullopt;
  return CampaignName{*filter->sweep, filter->campaign};
}

/// The folder that has files of a run "NAME" or "SWEEP/NAME", which the database may not know yet.
/// Errors: Error (bad input) where several have.
std::optional<fs::path> folder_of_run(const Globals& globals, const SweepFolders& folders,
                                      const std::string& name) {
  const fs::path said(name);
  if (said.filename().empty() || said.is_absolute()) return std::nullopt;
  std::vector<fs::path> found = folders.with_run(said.filename().string());
  if (said.has_parent_path())
    std::erase_if(found, [&](const fs::path& one) { return one.filename() != said.parent_path(); });
  if (found.size() > 1)
    bad_input("{}: '{}' is a run of {} and of {}; say {}/{}", printable(globals.db.string()),
              printable(name), printable(found[0].filename().string()),
              printable(found[1].filename().string()), printable(found[0].filename().string()),
              printable(name));
  return found.empty() ? std::nullopt : std::optional(found.front());
}

/// The database may know some whose files somebody has moved.
std::string why_no_campaign(const Globals& globals, const fs::path& runs) {
  std::error_code none;
  if (fs::exists(globals.db, none)) {
    const auto known = existing_database(globals).campaigns(std::nullopt);
    if (!known.empty())
      return fmt::format("{}: no campaign's files are there; {} knows {}, the newest {}",
                         printable(runs.string()), printable(globals.db.string()),
                         counted(static_cast<std::int64_t>(known.size()), "campaign"),
                         printable(text_of(known.back())));
  }
  return fmt::format("{}: no campaign yet", printable(runs.string()));
}

}  // namespace

std::optional<OpenCampaign> find_campaign(const Globals& globals, const std::string& name) {
  Found found;
  const SweepFolders folders(globals.db, globals.for_readers);
  append(globals, found, folders, folders.path_of(globals.for_readers ? name : sweep_meant(name)));
  if (found.empty()) {
    if (const auto known = campaign_known_as(globals, name))
      append(globals, found, folders, folders.path_of(known->sweep), known->number);
  }
  if (found.empty()) {
    if (const auto folder = folder_of_run(globals, folders, name))
      append(globals, found, folders, *folder);
  }
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

bool names_a_sweep(const Globals& globals, const std::string& name) {
  const fs::path path = SweepFolders(globals.db, globals.for_readers)
                            .path_of(globals.for_readers ? name : sweep_meant(name));
  return !SweepFolder(globals.for_readers ? disk_to_read() : disk(), path).campaigns().empty();
}

std::vector<OpenCampaign> newest_campaigns(const Globals& globals, const std::string& name) {
  const fs::path runs = runs_directory(globals.db);
  Found found;
  if (name.empty()) {
    const SweepFolders folders(globals.db, globals.for_readers);
    folders.tell_closed(globals);
    for (const auto& path : folders.all()) append(globals, found, folders, path);
    if (found.empty()) remark(globals, why_no_campaign(globals, runs));
    return found;
  }
  if (auto one = find_campaign(globals, name)) return {std::move(*one)};
  bad_input("{}: no campaign of a sweep, and no run, is named '{}'{}", printable(runs.string()),
            printable(name), did_you_mean(name, SweepFolders(globals.db).with_campaign()));
}

}  // namespace pippin
