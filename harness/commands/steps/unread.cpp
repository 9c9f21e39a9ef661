// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/unread.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "harness/commands/steps/sweep_folders.h"
#include "reports/remarks.h"

namespace pippin {

namespace {

using Names = std::unordered_set<std::string>;

/// Runs of a sweep that are over and not recorded. Those of another campaign of it, too.
Names unread_runs(Database& database, SweepFolder& folder, const std::string& sweep) {
  Names over;
  folder.each_outcome([&](std::string_view run, bool) { over.emplace(run); });
  for (const std::int64_t number : folder.campaigns()) {
    if (over.empty()) break;
    const CampaignName campaign{sweep, number};
    database.each_recorded_run(campaign, [&](const std::string& run) { over.erase(run); });
    for (const auto& run : database.set_aside(campaign).runs) over.erase(run);
  }
  return over;
}

/// How many of them the campaign has planned, if a person has not set all of it aside.
std::int64_t count_unread(Database& database, const SweepFolders& folders, SweepFolder& folder,
                          const CampaignName& campaign, const Names& unread) {
  const SetAside aside = database.set_aside(campaign);
  if (unread.empty() || aside.campaign_reason || aside.campaign_deleted) return 0;
  const auto numbers = folder.campaigns();
  const std::int64_t number = campaign.number.value_or(1);
  if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) return 0;
  std::int64_t count = 0;
  for (const PlannedJob& job : folders.load_plan(folder, number).jobs)
    count += std::count_if(job.runs.begin(), job.runs.end(),
                           [&](const PlannedRun& run) { return unread.contains(run.name); });
  return count;
}

}  // namespace

void say_what_is_unread(const Globals& globals, Database& database, const SampleFilter& filter) {
  constexpr std::ptrdiff_t kMost = 10;
  auto entries = database.contents(filter);
  std::erase_if(entries, [](const CampaignContents& entry) {
    return entry.kind != CampaignContents::Kind::kCampaign || entry.sweep.empty();
  });
  entries.erase(entries.begin(), entries.end() - std::min(kMost, std::ssize(entries)));
  std::int64_t runs = 0;
  std::vector<std::string> campaigns;
  const SweepFolders folders(globals.db);
  std::map<std::string, Names> unread_of;  // by sweep
  for (const CampaignContents& entry : entries) {
    const CampaignName name{entry.sweep, entry.number};
    try {
      SweepFolder folder(disk_to_read(), folders.path_of(name.sweep));
      const auto [known, is_new] = unread_of.try_emplace(name.sweep);
      if (is_new) known->second = unread_runs(database, folder, name.sweep);
      const std::int64_t unread = count_unread(database, folders, folder, name, known->second);
      runs += unread;
      if (unread > 0) campaigns.push_back(printable(text_of(name)));
    } catch (const Error&) {  // whatever is wrong with its folder, tables are of the database
    }
  }
  if (runs == 0) return;
  remark(globals,
         fmt::format("{} of {} {} over and not read: '{} collect' does", counted(runs, "run"),
                     listed(campaigns), runs == 1 ? "is" : "are", program_words(globals)));
}

}  // namespace pippin
