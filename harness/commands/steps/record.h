// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/jobs/protocol.h"
#include "core/records/campaign.h"
#include "db/database.h"
#include "harness/campaign/machine.h"

namespace pippin {

/// Stores the campaign's plan.
void record_campaign(Database& database, const Campaign& campaign);

/// What tables call a run that no job will bring to its end any more, unless its log knows better.
RunState state_of(const RunFate& fate);

/// Reads what runs have left in a sweep's folder.
class Recorder {
 public:
  Recorder(SweepFolder& folder, const Campaign& campaign);

  /// The run's attempt that counts, if it is done; of one that is lost, what there is, with the
  /// scheduler's words. Nothing where it is not over yet.
  std::optional<RunRecord> read(const PlannedJob& job, const PlannedRun& run, const RunFate& fate);
  /// Notes in the folder which attempts read() has found to be no successes, and which to be some
  /// after all.
  void keep_refutations();

 private:
  const Submission* submission(std::int64_t number);
  std::int64_t attempt_number(const std::string& job, const Attempt& attempt);
  Provenance provenance_of(const Attempt& attempt);
  const Provenance& provenance_of_job(const Submission& origin, const Attempt& attempt);

  SweepFolder& folder_;
  const Campaign& campaign_;
  std::vector<Refutation> refutations_;  ///< to be noted
  std::map<std::int64_t, Submission> submissions_;
  std::unordered_map<std::string, std::vector<std::int64_t>> handed_over_;  ///< by job: submissions
  std::string job_;  ///< "SUBMISSION/ID", whose is provenance_; empty: none
  Provenance provenance_;
  std::unordered_map<std::string, const Point*> points_;  ///< of the campaign, by id
};

}  // namespace pippin
