// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/base/process.h"
#include "core/jobs/scheduler.h"
#include "slurm/answers.h"

/// What squeue and sacct list of jobs that are asked for. A token is a job's name when it is handed
/// over; a site's plugin or a person may rename it. Then its id and its script tell whose it is.
namespace pippin::slurm {

/// How long Slurm's programs may take that only look.
inline constexpr std::chrono::seconds kPatience{60};

/// Whether Slurm gave it an id: a controller's answer may be lost.
bool has_id(const Asked& asked);

/// Those in the queue, by their tokens: of all that the owners have there, as Slurm's controller
/// sends all of them whatever squeue is to show.
/// Errors: Error (machine) where Slurm does not answer.
std::vector<Entry> jobs_in_queue(const std::vector<Asked>& asked);

/// Those that accounting knows by their tokens.
/// Errors: Error (machine) where it does not answer.
std::vector<Entry> jobs_in_accounting(const std::vector<Asked>& asked);

/// … by their ids and the commands that submitted them. Requires that all have ids, and
/// accounting_has_submit_lines().
std::vector<Entry> renamed_in_accounting(const std::vector<Asked>& asked);

/// False where it is none: squeue says of a user whom nobody knows just now that there are no jobs,
/// and exits with 0.
bool is_answer(const Answer& answer);

/// "Slurm does not answer: …"
std::string silence_of(const Answer& answer);

/// Errors: Error (machine) with the silence where it is none.
void check_answer(const Answer& answer);

/// As sbatch and sacct take a time, seconds since 1970.
std::string local_time(std::int64_t seconds);

}  // namespace pippin::slurm
