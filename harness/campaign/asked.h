// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/jobs/protocol.h"
#include "core/jobs/scheduler.h"

namespace pippin {

/// What a scheduler is asked for to hear of a submission.
Asked asked_of(const SweepFolder& folder, const Submission& submission);

/// Why this scheduler is not the one that has the folder's jobs, and would say that it knows none
/// of them; empty: it is the one. Nothing where it does not answer, or nobody has noted which one
/// it is.
std::optional<std::string> why_elsewhere(SweepFolder& folder, Scheduler& scheduler);

}  // namespace pippin
