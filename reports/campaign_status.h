// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/progress.h"

namespace pippin {

/// How far a campaign is, for `pippin status`. Counts are of runs.
struct CampaignStatus {
  /// Some runs or jobs with something to say of them.
  struct Line {
    std::string what;   ///< "3 runs", or a name
    std::string words;  ///< "NODE_FAIL on n3"
    std::string remedy = {};
  };

  static constexpr std::size_t kMostLines = 8;  ///< of one kind are shown

  std::string sweep;
  std::int64_t campaign = 1;
  std::string started;  ///< UTC, ISO 8601
  std::string cluster;
  Progress progress;
  std::int64_t ok = 0, failed = 0, running = 0, waiting = 0, unsubmitted = 0, lost = 0,
               cancelled = 0, left = 0;
  std::string trouble;                     ///< the scheduler does not answer: why
  std::string held_back;                   ///< why what is not submitted is not
  std::string unread;                      ///< what has ended and is in no table
  std::vector<Line> running_now;           ///< each run, where it runs
  std::vector<Line> suspended;             ///< of those that run: where, and how many jobs
  std::vector<Line> waits;                 ///< for what, and how many jobs
  std::vector<Line> stuck;                 ///< what will not start by itself
  std::vector<Line> bad_nodes;             ///< each with its evidence
  std::vector<Line> again, gone, ill;      ///< to be run again; lost for good; failed
  std::optional<std::int64_t> next_start;  ///< seconds since 1970: when the scheduler expects one
  std::optional<std::int64_t> latest_end;  ///< … when the last that runs now must end
};

/// Lines of one kind: "failed", "waiting".
struct StatusList {
  std::string title;
  std::vector<CampaignStatus::Line> lines;
};

/// All that is said of a campaign, in its order; kinds of which there is nothing are left out.
/// Times are this machine's, relative to `now` (seconds since 1970).
std::vector<StatusList> lists_of(const CampaignStatus& status, std::int64_t now);

/// Some lines, each at most `width` columns wide where its words may be cut; times are this
/// machine's, relative to `now` (seconds since 1970).
std::string status_text(const CampaignStatus& status, std::size_t width, std::int64_t now);

}  // namespace pippin
