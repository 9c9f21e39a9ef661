#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/files.h"
#include "harness/records/campaign.h"

namespace pippin {

/// One run as a job script launches it.
struct ScriptRun {
  std::string name;     ///< its directory under the sweep's
  Environment env;      ///< data: quoted by the script
  std::string command;  ///< bash; values are already filled in
};

/// Everything a job script says.
struct JobScript {
  std::string title;                    ///< for the reader: "quickstart, allocation 1 of 3, 1 node"
  std::vector<std::string> directives;  ///< "#SBATCH …" lines
  fs::path directory;                   ///< absolute: where the commands run
  fs::path root;                        ///< absolute: <db>.runs/SWEEP
  std::string job;
  std::int64_t submission = 1;
  std::vector<std::string> prolog;  ///< bash
  std::vector<ScriptRun> runs;
};

/// The bash text. It needs bash and coreutils only, claims itself and each run by mkdir, goes on
/// when a run fails, and leaves exit codes by rename (protocol.h names the files).
std::string job_script(const JobScript& script);

/// How `run` launches `point`: the probe at `probes`/NAME with its options, or the sweep's command.
/// Errors: Error (bad input) naming an unknown {placeholder}.
ScriptRun script_run(const Sweep& sweep, const Point& point, const PlannedRun& run,
                     std::int64_t allocation, const fs::path& probes);

}  // namespace pippin
