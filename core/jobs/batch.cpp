// SPDX-License-Identifier: Apache-2.0
#include "core/jobs/batch.h"

#include <fmt/format.h>
#include <set>

#include "core/base/text.h"
#include "core/base/user.h"

namespace pippin {

std::string limit_text(std::int64_t seconds) {
  constexpr std::int64_t kMinute = 60, kHour = 3600;
  return fmt::format("{:02}:{:02}:{:02}", seconds / kHour, seconds % kHour / kMinute,
                     seconds % kMinute);
}

std::vector<JobStatus> unknown_tasks(const Asked& asked, const std::string& words) {
  JobStatus status;
  status.evidence = words;
  return std::vector<JobStatus>(static_cast<std::size_t>(asked.tasks), status);
}

bool is_more_alive(const JobStatus& status, const JobStatus& than) {
  using Phase = JobStatus::Phase;
  const auto rank = [](Phase phase) {
    if (phase == Phase::kRunning) return 3;
    if (phase == Phase::kWaiting) return 2;
    return phase == Phase::kEnded ? 1 : 0;
  };
  return rank(status.phase) > rank(than.phase);
}

std::string owners_of(const std::vector<Asked>& asked) {
  std::set<std::string> owners;
  for (const auto& one : asked) owners.insert(one.owner.empty() ? own_user() : one.owner);
  return join({owners.begin(), owners.end()}, ",");
}

}  // namespace pippin
