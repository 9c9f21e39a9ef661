// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/jobs/scheduler.h"

/// What Slurm's programs print, read. Pure. Tested with the answers of 22.05; other versions print
/// the same fields.
namespace pippin::slurm {

/// What squeue and sacct are asked for, and what one line of theirs says.
extern const char* const kQueueFormat;       ///< of squeue --format
extern const char* const kAccountingFormat;  ///< of sacct --format
extern const char* const kSubmitLineFormat;  ///< … with the command in the name's place

/// Every `step`-th task from `first` to `last`.
struct TaskRange {
  std::int64_t first = 1, last = 1, step = 1;
  std::int64_t count() const { return last < first ? 0 : (last - first) / step + 1; }
};

/// Some tasks of one job, in one state.
struct Entry {
  std::string name;
  std::string id;                ///< as scontrol takes it: "4711", "4711_[3-5]"
  std::string array_id;          ///< the job's, or the array's: "4711"
  std::vector<TaskRange> tasks;  ///< 1 for what is no array
  std::string state;             ///< "PENDING", "NODE_FAIL"
  std::string reason;
  std::optional<std::int64_t> start, end;  ///< seconds since 1970
  std::string nodes, user;
  std::string exit_code;  ///< "9:0"; of accounting
  std::string script;     ///< as sbatch was given it; of the queue
  std::string excluded;   ///< nodes that it is kept off, "n[1-3]"; of the queue
  /// Accounting ended it, for a controller that came back without it: CANCELLED, and no "by 4711".
  bool is_forgotten = false;
};

/// Errors: Error (machine) quoting a line that is not as asked for.
std::vector<Entry> read_queue(std::string_view output);
std::vector<Entry> read_accounting(std::string_view output);

/// "4711_[3-5,9%2]" → 3 to 5, 9; "4711" → 1; empty where it is no id of a job or an array.
std::vector<TaskRange> tasks_of(std::string_view id);

/// What an entry means for each of its tasks.
JobStatus status_of(const Entry& entry);

/// What to do about a job that pends for this reason and will not start by itself; empty where it
/// need but wait.
std::string remedy_of(std::string_view reason);

/// What sbatch has said. `submitted` is the job's id.
Handed read_submission(int exit_code, std::string_view output, std::string_view errors);

/// A number of nodes, CPUs, jobs or MB: from 0 to 10^9; nothing for what is none, and for more than
/// any cluster has.
std::optional<std::int64_t> count_in(std::string_view text);

/// The value of a line of `scontrol show config`: "MaxArraySize"; empty where there is none.
std::string config_value(std::string_view config, std::string_view name);

/// "sbatch --parsable --job-name=t-s1-abc …" → "t-s1-abc"; empty where it says none.
std::string name_in_submit_line(std::string_view line);

/// Whether sacct tells of the commands that jobs were submitted by: since 21.08.
bool accounting_has_submit_lines(std::string_view config);

/// How long a submission that got no answer may still arrive, seconds. Source: munge's credentials
/// live as long as `ttl` in AuthInfo says, 300 s where it says nothing.
std::int64_t credential_life_s(std::string_view config);

}  // namespace pippin::slurm
