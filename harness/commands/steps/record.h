#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "core/jobs/protocol.h"
#include "core/records/campaign.h"
#include "db/database.h"
#include "harness/campaign/machine.h"

namespace pippin {

/// Stores the campaign's plan.
void record_campaign(Database& database, const Campaign& campaign);
/// What was stored of a run; no state where it is not over yet.
struct Recorded {
  Added added;
  std::optional<RunState> state;
};

/// Writes what runs have left in a sweep's folder to the database.
class Recorder {
 public:
  Recorder(Database& database, SweepFolder& folder, const Campaign& campaign);

  /// The run's attempt that counts, if it is done; of one that is lost, what there is, with the
  /// scheduler's words. Nothing where it is not over yet.
  std::optional<RunRecord> read(const PlannedJob& job, const PlannedRun& run, const RunFate& fate);
  /// Stores it.
  Recorded record(const PlannedJob& job, const PlannedRun& run, const RunFate& fate);

 private:
  const Submission* submission(std::int64_t number);
  std::int64_t attempt_number(const std::string& job, const Attempt& attempt);
  Provenance provenance_of(const Attempt& attempt);

  Database& database_;
  SweepFolder& folder_;
  const Campaign& campaign_;
  std::map<std::int64_t, Submission> submissions_;
  std::unordered_map<std::string, const Point*> points_;  ///< of the campaign, by id
};

}  // namespace pippin
