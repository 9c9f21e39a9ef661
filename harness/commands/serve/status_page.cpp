// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <map>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "db/names.h"
#include "harness/commands/report.h"
#include "harness/commands/serve/pages.h"
#include "harness/commands/steps/campaign_status.h"
#include "harness/commands/steps/newest_campaigns.h"
#include "harness/commands/steps/session.h"
#include "harness/commands/steps/sweep_folders.h"
#include "reports/details.h"

namespace pippin::serving {

namespace {

constexpr std::size_t kMostRows = 8;  // of what came last

std::string time_text(std::int64_t at) { return utc_text(at, "%F %H:%M:%S"); }

OpenCampaign campaign_in(const PageRequest& request) {
  const std::string name = join(request.names, "/");
  if (!name.empty()) {
    if (auto found = find_campaign(request.globals, name)) return std::move(*found);
  }
  auto names = SweepFolders(request.globals.db, request.globals.for_readers).with_campaign();
  for (const auto& known : names_in(request.globals.db, NameKind::kSelections, ""))
    names.push_back(known.name);
  throw NoSuchPage(fmt::format("no campaign of a sweep is named '{}'{}", printable(name),
                               did_you_mean(name, names)));
}

/// What canaries measured last.
PageTable canaries_of(const Evidence& evidence) {
  std::map<std::pair<std::int64_t, std::int64_t>, const CanaryEvidence*> by_time;
  for (const auto& run : evidence.runs) {
    for (const auto* canary : {&run.before, &run.after})
      if (*canary) by_time[{-(*canary)->taken_at, -(*canary)->reading}] = &**canary;
  }
  PageTable table{"Canaries, the last first",
                  {"taken (UTC)", "nodes", "ranks", "matrix product (TFLOPS)", "slowest node",
                   "all-reduce (GB/s)"},
                  {}};
  for (const auto& [key, canary] : by_time) {
    if (table.rows.size() == kMostRows) break;
    const bool has_gemm = canary->gemm.m > 0;
    const auto busbw = busbw_of(*canary);
    table.rows.push_back(
        {time_text(canary->taken_at), std::to_string(canary->nodes), std::to_string(canary->ranks),
         has_gemm ? fmt::format("{:.3g}", canary->gemm.median_tflops) : "",
         has_gemm ? canary->gemm.slowest_host : "", busbw ? fmt::format("{:.3g}", *busbw) : ""});
  }
  return table;
}

/// What failed last, and why.
PageTable failures_of(const std::vector<PointSamples>& points) {
  std::vector<const RunSamples*> failed;
  for (const auto& point : points) {
    for (const auto& run : point.runs)
      if (run.state != RunState::kOk) failed.push_back(&run);
  }
  std::stable_sort(failed.begin(), failed.end(), [](const auto* a, const auto* b) {
    return a->started_at.value_or(0) > b->started_at.value_or(0);
  });
  failed.resize(std::min(failed.size(), kMostRows));
  PageTable table{"Failures, the last first", {"run", "state", "why", "started (UTC)"}, {}};
  for (const auto* run : failed) {
    table.rows.push_back({run->run, std::string(text_of(run->state)), run->evidence,
                          run->started_at ? time_text(*run->started_at) : ""});
    table.runs.push_back(run->id);
  }
  return table;
}

/// The table so far, of a campaign that the database knows by now.
Page page_so_far(const PageRequest& request, const std::string& name) {
  if (!request.database.selection(name)) return {};
  ReportOptions options;
  options.selections = {name};
  Report table = report_of(request.globals, request.database, options);
  return page_of(request.globals, request.database, options, std::move(table));
}

PageProgress progress_of(const PageRequest& request, OpenCampaign& open) {
  auto& [folder, campaign] = open;
  const auto scheduler = request.schedulers.scheduler(campaign.scheduler);
  CampaignMachine machine = observer_of(folder, campaign, *scheduler, disk_to_read());
  machine.observe();
  PageProgress progress;
  progress.status = status_of(request.globals, machine, folder.held_back());
  progress.now = std::time(nullptr);
  return progress;
}

}  // namespace

MadePage status_page(const PageRequest& request) {
  OpenCampaign open = campaign_in(request);
  const std::string name = text_of(CampaignName{open.second.sweep, open.second.number});
  Page page = page_so_far(request, name);
  page.kind = "status";
  page.title = name;
  page.command = program_words(request.globals) + " status " + name;
  page.made_at = 0;
  page.addresses = addresses_of_things();
  page.progress = progress_of(request, open);
  auto& tables = page.progress->tables;
  if (const auto filter = request.database.selection(name))
    tables.push_back(canaries_of(request.database.evidence(*filter)));
  if (page.runs) tables.push_back(failures_of(page.runs->points()));
  std::erase_if(tables, [](const PageTable& table) { return table.rows.empty(); });
  return {page_document(page), links_of(name, true)};
}

}  // namespace pippin::serving
