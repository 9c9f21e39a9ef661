// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/rank_jobs.h"

#include <algorithm>
#include <utility>

namespace pippin {

namespace {

/// Rates become times by what another rank's file says.
void read_by_headers(RankJob& job) {
  const auto header = std::find_if(job.read.begin(), job.read.end(), [](const RankFile& file) {
    return file.read.scraped && !file.read.scraped->runs.empty() &&
           file.read.scraped->runs.front().point.layout.gpus;
  });
  if (header == job.read.end()) return;
  const NamedValues planned = counts_of(header->read.scraped->runs.front().point);
  for (auto& file : job.read) {
    const auto& scraped = file.read.scraped;
    if (!scraped || !scraped->runs.empty() || scraped->problems.empty() || scraped->text) continue;
    file.read = read_file(file.found.path, {file.found.told, planned});
  }
}

std::vector<RankLog> logs_of(RankJob& job) {
  std::vector<RankLog> logs;
  for (auto& file : job.read) {
    if (!file.read.scraped) continue;
    logs.push_back({file.found.rank, std::move(file.read.scraped->runs)});
  }
  return logs;
}

void give_back(RankJob& job, std::vector<RankLog>&& logs) {
  auto log = logs.begin();
  for (auto& file : job.read) {
    if (file.read.scraped) file.read.scraped->runs = std::move((log++)->runs);
  }
}

/// How ranks ended that have no launch in their files.
void add_silent(const RankJob& job, std::vector<RankLog>& logs) {
  auto log = logs.begin();
  for (const auto& file : job.read) {
    if (!file.read.scraped) continue;
    const ScrapedFile& scraped = *file.read.scraped;
    const bool is_silent = log->runs.empty() && scraped.reason.empty();
    if (is_silent) {
      log->runs.push_back(silent_launch(
          [&](const auto& take) { read_scraped_text(scraped, file.found.path, take); }));
    }
    ++log;
  }
}

bool has_lines(const RankLog& log) {
  return std::any_of(log.runs.begin(), log.runs.end(),
                     [](const LogRun& run) { return !run.iterations.empty(); });
}

/// The file that the job is known by, also as it grows: the first that has lines, or a header.
std::size_t main_of(const std::vector<RankLog>& logs) {
  auto found = std::find_if(logs.begin(), logs.end(), has_lines);
  if (found == logs.end())
    found = std::find_if(logs.begin(), logs.end(),
                         [](const RankLog& log) { return !log.runs.empty(); });
  return static_cast<std::size_t>(found - logs.begin());
}

}  // namespace

bool says_apart(const RankJob& job, const RankFile& file) {
  if (job.sign != RankSign::kNumber || file.found.rank != 0) return false;
  if (!file.read.scraped || file.read.scraped->runs.empty()) return true;
  const Count gpus = file.read.scraped->runs.front().point.layout.gpus;
  return !gpus || *gpus % job.ranks != 0;
}

JoinedRanks join_files(RankJob& job) {
  std::stable_sort(job.read.begin(), job.read.end(), [](const RankFile& a, const RankFile& b) {
    return a.found.rank < b.found.rank;
  });
  read_by_headers(job);
  std::vector<RankLog> logs = logs_of(job);
  const bool has_runs =
      std::any_of(logs.begin(), logs.end(), [](const RankLog& log) { return !log.runs.empty(); });
  JoinedRanks joined;
  const bool is_named = job.sign != RankSign::kNumber;
  joined.contradict = is_named && contradict(logs);
  if (!is_named) joined.kinship = kinship_of(logs);
  if (is_named && has_runs && !joined.contradict) joined.kinship = Kinship::kOneJob;
  if (joined.kinship != Kinship::kOneJob) {
    give_back(job, std::move(logs));
    return joined;
  }
  std::size_t place = main_of(logs);  // among those that could be read
  add_silent(job, logs);
  while (!job.read[joined.main].read.scraped || place-- != 0) ++joined.main;
  job.read[joined.main].read.scraped->runs = join_ranks(std::move(logs));
  return joined;
}

}  // namespace pippin
