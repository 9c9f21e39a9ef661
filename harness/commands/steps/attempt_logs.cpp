// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/attempt_logs.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/packed_files.h"
#include "core/base/placeholders.h"
#include "core/records/fields.h"
#include "harness/commands/steps/rank_jobs.h"

namespace pippin {

namespace {

/// A run may have left none.
ScrapedFile scraped_log(const fs::path& log, const LogHints& hints) {
  if (disk().exists(log)) return scrape_file(log, hints, {.any = true});
  ScrapedFile none;
  none.file = LogFile(log, "");
  return none;
}

bool is_of_ranks(const std::string& log) {
  const auto parts = placeholders(log);
  return std::any_of(parts.begin(), parts.end(), [](const Piece& part) { return part.is_name; });
}

/// The files below `folder` that the pattern fits, by what stands for each * in it: those of one
/// launch, by rank.
std::map<std::string, std::vector<Found>> files_of_ranks(const fs::path& folder,
                                                         const std::string& log) {
  const RankPattern pattern(log);
  const fs::path path = log;
  const auto folders = std::distance(path.begin(), path.end()) - 1;
  std::map<std::string, std::vector<Found>> launches;
  for (const auto& inside : files_at_depth(folder, folders)) {
    const auto name = pattern.match(inside.generic_string());
    if (!name) continue;
    Found& found = launches[name->job].emplace_back();
    found.path = folder / inside;
    found.rank = name->rank;
  }
  for (auto& launch : launches) {
    std::sort(launch.second.begin(), launch.second.end(), [](const Found& a, const Found& b) {
      return a.rank != b.rank ? a.rank < b.rank : a.path < b.path;
    });
  }
  return launches;
}

/// What the ranks of a launch wrote.
ScrapedFile scraped_launch(std::vector<Found>&& files, const std::string& log,
                           const LogHints& hints) {
  RankJob job;
  job.name = log;
  job.sign = RankSign::kSaid;
  job.files = files.size();
  job.ranks = files.back().rank + 1;
  for (auto& found : files) {
    found.told = hints.told;
    FileRead read = read_file(found.path, hints, {.any = true});
    if (!read.trouble.empty()) bad_input("{}", read.trouble);
    job.read.push_back({std::move(found), std::move(read)});
  }
  const JoinedRanks joined = join_files(job);
  ScrapedFile scraped = *std::move(job.read[joined.main].read.scraped);
  if (joined.contradict) {
    scraped.runs.clear();
    scraped.problems = {fmt::format("the files {} say that different things ran", log)};
  }
  return scraped;
}

ScrapedFile scraped_ranks(const Attempt& attempt, const std::string& log, const LogHints& hints) {
  ScrapedFile all;
  auto launches = files_of_ranks(attempt.directory, log);
  if (launches.empty()) all.problems = {fmt::format("is to be {}, and there is no such file", log)};
  for (auto& [name, files] : launches) {
    ScrapedFile scraped = scraped_launch(std::move(files), log, hints);
    std::move(scraped.runs.begin(), scraped.runs.end(), std::back_inserter(all.runs));
    std::move(scraped.problems.begin(), scraped.problems.end(), std::back_inserter(all.problems));
  }
  return all;
}

ScrapedFile scraped_elsewhere(const Attempt& attempt, const Campaign& campaign,
                              const LogHints& hints) {
  if (is_of_ranks(campaign.log)) return scraped_ranks(attempt, campaign.log, hints);
  const fs::path file = attempt.directory / campaign.log;
  if (disk().exists(file)) return scraped_log(file, hints);
  ScrapedFile none;
  none.problems = {fmt::format("is to be {}, and that is not there", campaign.log)};
  return none;
}

}  // namespace

fs::path file_of_steps(const Attempt& attempt, const Campaign& campaign) {
  if (campaign.log.empty()) return attempt.log();
  if (!is_of_ranks(campaign.log)) return attempt.directory / campaign.log;
  const auto launches = files_of_ranks(attempt.directory, campaign.log);
  return launches.empty() ? attempt.directory / campaign.log
                          : launches.begin()->second.front().path;
}

ScrapedFile scraped_attempt(const Attempt& attempt, const Campaign& campaign, const Point& point) {
  const LogHints hints{campaign.scrape, counts_of(point)};
  if (campaign.log.empty()) return scraped_log(attempt.log(), hints);
  ScrapedFile printed = scraped_log(attempt.log(), {});
  ScrapedFile scraped = scraped_elsewhere(attempt, campaign, hints);
  const bool says_why = !printed.runs.empty() && printed.runs.back().end.has_value();
  for (auto& run : scraped.runs) {
    if (run.end || !says_why) continue;
    run.end = printed.runs.back().end;
    run.evidence = printed.runs.back().evidence;
  }
  scraped.file = std::move(printed.file);
  return scraped;
}

}  // namespace pippin
