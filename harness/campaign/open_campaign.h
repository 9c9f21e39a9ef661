// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/jobs/protocol.h"
#include "core/records/campaign.h"

namespace pippin {

/// The jobs that measure every point of the sweep as often as it asks.
/// `pack` says what a job is, packings_of() where the sweep does not. `block`: one job per
/// allocation and node count with all its points; where these do not fit the time limit, several,
/// each with some of them and with the reference. `point`: one job per point and allocation.
/// `order` says what comes first. `blocks`: one random pass over the points of a node count after
/// the other, in a job or from job to job; `sequential`: point by point; `shuffled`: all at random.
/// The orders come from the sweep's seed alone and are the same on every platform. Names of jobs
/// and runs carry the campaign's number from the second on. Errors: as packings_of().
std::vector<PlannedJob> plan_jobs(const Sweep& sweep, std::int64_t campaign);

/// A new campaign of the sweep, begun at `started` (UTC, ISO 8601).
Campaign begin_campaign(const Sweep& sweep, std::int64_t number, const std::string& started);

/// Whether a run was handed over, or started by hand: then it belongs to the campaign for good.
using HasBegun = std::function<bool(const PlannedJob& job, const PlannedRun& run)>;

/// `campaign` with what was added to the sweep since (points, allocations, runs) as further jobs,
/// and without the runs that the sweep no longer asks for, except those that have begun. What is
/// planned stays in its job, also where the sweep is packed otherwise by now; time limits are
/// today's.
Campaign continue_campaign(const Campaign& campaign, const Sweep& sweep, const HasBegun& has_begun);

/// The campaign that a run of the sweep works on: the newest one in `folder`, continued, or a new
/// one where there is none or `again` asks for it, of a number above `taken`. It is not saved yet.
Campaign open_campaign(SweepFolder& folder, const Sweep& sweep, bool again, const std::string& now,
                       std::int64_t taken = 0);

}  // namespace pippin
