// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/records/run.h"

namespace pippin {

/// How many runs ended in each state; by RunState.
using RunsByState = std::array<std::int64_t, static_cast<std::size_t>(RunState::kMissing) + 1>;

/// What a database has of one campaign, of one sweep that was noted by hand, or of all logs that
/// no sweep made.
struct CampaignContents {
  enum class Kind { kCampaign, kNoted, kLogs };
  Kind kind = Kind::kCampaign;
  std::string sweep;  ///< empty: of logs
  std::int64_t number = 0;
  std::string started;  ///< UTC, ISO 8601; empty: of logs
  std::string cluster;
  std::int64_t points = 0;      ///< that can run; of logs: unlike ones
  std::int64_t infeasible = 0;  ///< points
  RunsByState runs{};           ///< without those that were set aside
  std::int64_t dropped = 0;     ///< runs
  std::string because;          ///< why all of it, or else some runs, were set aside
  bool all_dropped = false;
  std::optional<std::int64_t> last_run;  ///< when it ended, or began: seconds since 1970, UTC
  std::vector<std::string> tags;         ///< sorted
  bool newest = false;                   ///< of its sweep
};

}  // namespace pippin
