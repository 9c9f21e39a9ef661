// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/jobs/scheduler.h"

/// How many jobs Slurm would take now. Pure.
namespace pippin::slurm {

/// Where a job goes. What is empty is the user's, or the cluster's, default.
struct Place {
  std::string account = {}, qos = {}, partition = {};
  std::string dependency = {};  ///< that all its jobs have: "afterok:4711"
  std::string exclude = {};     ///< nodes that none of them runs on: "n[1-3]"
};

/// Jobs that the controller holds a record of: MaxJobCount's.
struct Queued {
  std::int64_t ours = 0;  ///< of the user, also those that ended a while ago
  std::int64_t live = 0;  ///< of everybody those that wait or run, as of half a minute ago
};

/// Reads `squeue --array --states=all` of the user's, a line each, and `sdiag`.
Queued queued_of(std::string_view squeue, std::string_view sdiag);

/// What Slurm says of limits on submitted jobs. What it does not say is empty.
struct LimitAnswers {
  std::string users;         ///< sacctmgr show user NAME withassoc format=kUserFields
  std::string qualities;     ///< sacctmgr show qos format=kQualityFields
  std::string partitions;    ///< scontrol --oneliner show partition
  std::string associations;  ///< scontrol show assoc_mgr users=NAME flags=assoc,qos: limits, used
};
inline constexpr const char* kUserFields = "format=DefaultAccount,Account,QOS,DefaultQOS";
inline constexpr const char* kQualityFields =
    "format=Name,Flags,MaxSubmitJobsPerUser,MaxSubmitJobsPerAccount,GrpSubmitJobs";

/// Of the user `name` whose jobs go to a place.
struct Submitter {
  std::string name;
  std::int64_t number = 0;  ///< the user's id
  Place place = {};
};

/// What the tightest limit leaves.
struct SubmitLimit {
  std::int64_t left = INT64_MAX;
  std::string words = {};  ///< "GrpSubmitJobs of account six is 50, and 48 are there"
  bool is_shut = {};       ///< it is 0
};

/// Limits of the user's association, of its account and of the accounts above it count the jobs
/// below them; a partition's QOS comes before the job's, but for one with the flag OverPartQOS.
/// Source: Slurm's resource_limits.html.
SubmitLimit submit_limit_of(const LimitAnswers& answers, const Submitter& submitter);

/// `config`: of `scontrol show config`.
Room room_of(std::string_view config, const Queued& queued, const SubmitLimit& limit);

/// Whether the cluster holds to the limits of associations and QOS.
bool enforces_limits(std::string_view config);

}  // namespace pippin::slurm
