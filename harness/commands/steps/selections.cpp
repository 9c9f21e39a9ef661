// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/selections.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "harness/commands/steps/report_rows.h"
#include "reports/remarks.h"
#include "sweeps/yaml.h"

namespace pippin {

namespace {

/// The sweeps of campaigns, that of the newest first.
std::vector<std::string> sweeps_of(const std::vector<CampaignName>& campaigns) {
  std::vector<std::string> sweeps;
  std::set<std::string> known;
  for (auto campaign = campaigns.rbegin(); campaign != campaigns.rend(); ++campaign)
    if (known.insert(campaign->sweep).second) sweeps.push_back(printable(campaign->sweep));
  return sweeps;
}

/// "the newest of 3 campaigns of 2 sweeps (a, b)".
std::string heading_of(const std::vector<CampaignName>& campaigns) {
  if (campaigns.size() < 2) return "";
  const auto sweeps = sweeps_of(campaigns);
  const std::string of_sweeps =
      sweeps.size() > 1 ? fmt::format(" of {} sweeps ({})", sweeps.size(), listed(sweeps)) : "";
  return fmt::format(
      "{}, the newest of {} campaigns{}; --by campaign shows each, --pool all as one{}",
      printable(text_of(campaigns.back())), campaigns.size(), of_sweeps,
      sweeps.size() > 1 ? ", pippin list what there is" : "");
}

/// The campaign that all runs of that name or number are of; nothing where there are several.
std::optional<SampleFilter> campaign_of_run(Database& database, const std::string& name) {
  const auto runs = database.runs_named(name);
  const bool one = !runs.empty() && std::all_of(runs.begin(), runs.end(), [&](const RunName& run) {
    return text_of(run.campaign) == text_of(runs.front().campaign);
  });
  if (!one) return std::nullopt;
  return SampleFilter{runs.front().campaign.sweep, runs.front().campaign.number};
}

}  // namespace

std::string sweep_meant(const std::string& text) {
  const bool is_file = text.ends_with(".yaml") || text.ends_with(".yml");
  if (!is_file || !disk().exists(text)) return text;
  const YamlNode root = read_yaml(text);
  const YamlNode* name = root.find("sweep");
  if (!name) fail(root, "a sweep needs a name: `sweep: NAME`");
  return text_at(*name, "sweep");
}

std::optional<SampleFilter> find_selection_itself(Database& database, const std::string& name) {
  if (name.empty()) return SampleFilter{};
  if (auto selection = database.selection(name)) return selection;
  if (name == kCollected) return SampleFilter{"", {}};
  const std::string sweep = sweep_meant(name);
  return sweep == name ? std::nullopt : database.selection(sweep);
}

std::optional<SampleFilter> find_selection(Database& database, const std::string& name) {
  const auto selection = find_selection_itself(database, name);
  return selection ? selection : campaign_of_run(database, name);
}

Selected selected(const Globals& globals, Database& database, const std::string& name, bool pool) {
  Selected result{name, selection_named(globals, database, name), ""};
  const bool is_one = result.filter.campaign || result.filter.sweep == "";
  if (pool || is_one) return result;
  const auto campaigns = database.campaigns(result.filter.sweep);
  if (campaigns.empty()) return result;
  result.filter = {campaigns.back().sweep, campaigns.back().number};
  result.heading = heading_of(campaigns);
  return result;
}

std::vector<Selected> campaigns_of(const Globals& globals, Database& database,
                                   const std::string& name) {
  const SampleFilter filter = selection_named(globals, database, name);
  if (filter.campaign) return {{name, filter, ""}};
  std::vector<Selected> result;
  for (const auto& campaign : database.campaigns(filter.sweep))
    result.push_back({text_of(campaign), {campaign.sweep, campaign.number}, ""});
  if (result.empty()) result.push_back({name, filter, ""});
  return result;
}

}  // namespace pippin
