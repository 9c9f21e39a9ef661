// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/jobs/scheduler.h"

/// What the programs of PBS Pro and OpenPBS print, read. Pure.
/// Source: qstat(1B), qsub(1B), pbs_job_attributes(7B) of OpenPBS, and its job.h for substates and
/// exit codes.
namespace pippin::pbs {

/// What PBS says of a job, a queue or a server: "job_state" → "R", "Resource_List.walltime" →
/// "00:20:00".
using Attributes = std::map<std::string, std::string>;

/// Reads `qstat -f -F json`: the objects below "Jobs", "Queue" or "Server", by their names. Where
/// PBS has nothing to tell of there is none of these, but an answer all the same.
/// Errors: Error (machine) where it is no such answer, or was cut off.
std::map<std::string, Attributes> read_objects(std::string_view output, const std::string& kind);

/// Empty where it is not said.
std::string value_of(const Attributes& attributes, const std::string& name);

/// A job, or an array's task.
struct Entry {
  std::string id;         ///< as qdel takes it: "12.server", "12[3].server"
  std::string array_id;   ///< the job's, or the array's: "12.server", "12[].server"
  std::int64_t task = 1;  ///< of an array from 1; 0: the array itself
  std::string token;      ///< PIPPIN_TOKEN of its variables, else its name
  std::string owner;      ///< without the host: "anna"
  Attributes attributes;
};

/// The jobs in an answer of qstat.
std::vector<Entry> entries_of(const std::map<std::string, Attributes>& jobs);

/// What PBS says of one. Times are read as UTC.
JobStatus status_of(const Entry& entry);

/// What to do about a job that waits and will not start by itself; empty where it need but wait.
std::string remedy_of(const Entry& entry);

/// "12[3].server" → "12[].server"; "12.server" as it is.
std::string array_id_of(std::string_view id);

/// "01:20:00" → 4800, as does "4800"; nothing for what is none.
std::optional<std::int64_t> seconds_of(std::string_view time);

/// "Tue Jan 29 14:36:21 2019" in UTC, seconds since 1970; nothing for what is none.
std::optional<std::int64_t> time_of(std::string_view text);

/// Whether it may be a job's id, "12.server": an answer that is no PBS's has others, which would go
/// to qdel.
bool is_id(std::string_view id);

/// What qsub has said. `words` of what was taken is the job's id.
Handed read_submission(int exit_code, std::string_view output, std::string_view errors);

/// Whether errors say but that jobs are not there, or not any more.
bool speaks_of_unknown_jobs_only(std::string_view errors);
/// Or that they are ending.
bool speaks_of_ended_jobs_only(std::string_view errors);

/// A job's name in PBS: the token where it may be one, else the nearest that may. A name begins
/// with a letter, and has at most 230 letters, digits and "-_+.".
std::string job_name_of(std::string_view token);

}  // namespace pippin::pbs
