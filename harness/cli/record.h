#pragma once

#include "db/database.h"
#include "harness/jobs/protocol.h"
#include "harness/records/campaign.h"

namespace pippin {

/// Stores the campaign's plan.
void record_campaign(Database& database, const Campaign& campaign);
/// What was stored of a run; no state where it is not over yet.
struct Recorded {
  Added added;
  std::optional<RunState> state;
};

/// Stores what the run has left in its folder: the attempt that counts, if it is done.
/// `lost`: no job will run it any more, and the scheduler said this of it; then what there is
/// counts.
Recorded record_run(Database& database, SweepFolder& folder, const Campaign& campaign,
                    const PlannedJob& job, const PlannedRun& run,
                    const std::optional<std::string>& lost);

/// The parameters of a model as its shape has them, where it names none itself.
void complete_model(Model& model);

}  // namespace pippin
