// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/jobs/scheduler.h"

/// What batch schedulers have in common. Pure, but for the user's name.
namespace pippin {

/// What one job asks its scheduler for, beside what its cluster's file says.
struct JobWishes {
  std::string name;
  std::int64_t nodes = 1;
  std::int64_t ranks_per_node = 1;
  std::optional<std::int64_t> time_s = {};  ///< nothing: as the cluster file says
};

/// "01:20:00"
std::string limit_text(std::int64_t seconds);

/// No sure answer for any of its tasks; `words` say why.
std::vector<JobStatus> unknown_tasks(const Asked& asked, const std::string& words);

/// Whether it is the more alive one: a task may be there twice where a submission arrived twice, or
/// was begun again.
bool is_more_alive(const JobStatus& status, const JobStatus& than);

inline bool is_absent(const JobStatus& status) { return status.phase == JobStatus::Phase::kAbsent; }

/// The users who handed these over, each once, with commas between.
std::string owners_of(const std::vector<Asked>& asked);

}  // namespace pippin
