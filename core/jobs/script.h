// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/records/campaign.h"

namespace pippin {

/// One run as a job script launches it.
struct ScriptRun {
  std::string name;     ///< its directory under the sweep's
  Environment env;      ///< data: quoted by the script
  std::string command;  ///< bash; values are already filled in
  /// Bash, run before and after it, once between two runs with the same text; empty: none.
  std::string canary = {};
};

/// The runs of one job.
struct ScriptTask {
  std::string job;
  std::vector<ScriptRun> runs;
};

/// What a job reckons a canary with. In seconds.
struct CanaryTime {
  std::int64_t usual_s = 0;
  std::int64_t most_s = 0;  ///< it is stopped then
};

/// Everything a job script says.
struct JobScript {
  std::string title;                    ///< for the reader: "quickstart, allocation 1 of 3, 1 node"
  std::vector<std::string> directives;  ///< "#SBATCH …" lines
  fs::path directory;                   ///< absolute: where the commands run
  fs::path root;                        ///< absolute: <db>.runs/SWEEP
  std::string name;                     ///< the submission's: "gpt-52b-n4-s1"
  std::int64_t submission = 1;          ///< its number
  std::vector<std::string> prolog;      ///< bash
  std::optional<std::int64_t> run_time_s;      ///< what one run takes at most: it is stopped then
  std::vector<ScriptTask> tasks;               ///< more than one: an array
  std::optional<CanaryTime> canary = {};       ///< nothing: it is in `run_time_s`
  std::int64_t bad_node_after = 0;             ///< failures of different points; 0: no node is bad
  std::int64_t give_up_after = 0;              ///< failures alike, one after the other; 0: never
  std::int64_t points = 1;                     ///< of the campaign
  std::optional<std::int64_t> stalled_s = {};  ///< a run is stopped whose log is silent for so long
  std::string log = {};  ///< the file beside it that may grow in its place; empty: none
  std::optional<unsigned> umask = {};  ///< of who submits it; nothing: as the scheduler has it
};

/// What a submission consists of.
struct JobFiles {
  std::string script;
  /// Of more than one run, what they are: tasks-1.sh and so on. The script reads them one by one.
  std::vector<std::string> tasks;
  bool is_private = false;  ///< they hold what only their user is to read
};

/// The bash texts. They need bash and coreutils only, claim the job and each run, go on when a run
/// fails, start none that the job's time is too short for, and leave exit codes in their records
/// (protocol.h has the lines). A canary that fails or hangs is no failure of its run.
JobFiles job_files(const JobScript& script);

/// How `run` launches `point`: the probe at `probes`/NAME with its options, or the sweep's command;
/// and its canary: the probe `probes`/canary launched alike, or the cluster's command.
/// Errors: Error (bad input) naming an unknown {placeholder}, or what is too long for a program.
ScriptRun script_run(const Sweep& sweep, const Point& point, const PlannedRun& run,
                     std::int64_t allocation, const fs::path& probes);

}  // namespace pippin
