#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/jobs/scheduler.h"

/// How many jobs Slurm would take now. Pure.
namespace pippin::slurm {

/// Jobs that the controller holds a record of.
struct Queued {
  std::int64_t all = 0;   ///< of everybody, also those that ended a while ago: MaxJobCount's
  std::int64_t ours = 0;  ///< of the user, waiting or running: those of account and QOS
};

/// A limit on the jobs that a user may have queued.
struct SubmitLimit {
  std::int64_t most = INT64_MAX;
  std::string name = {};  ///< "MaxSubmitJobs 100 of account six"
};

/// Reads `squeue --array --states=all --format=%u %T`.
Queued queued_of(std::string_view output, std::string_view user);

/// The lowest limit of `sacctmgr --parsable2 show user NAME withassoc
/// format=DefaultAccount,Account,QOS,DefaultQOS,MaxSubmitJobs` for the account (empty: the user's
/// default), and of `show qos format=Name,MaxSubmitJobsPerUser` for the QOS (empty: the one that
/// the account's jobs get).
/// Limits that all users of an account or QOS share are not here: only who submits learns of them.
SubmitLimit submit_limit_of(std::string_view associations, std::string_view qualities,
                            std::string_view account, std::string_view qos);

/// `config`: of `scontrol show config`.
Room room_of(std::string_view config, const Queued& queued, const SubmitLimit& limit);

}  // namespace pippin::slurm
