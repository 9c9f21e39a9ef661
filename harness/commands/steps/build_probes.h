// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/records/cluster.h"

namespace pippin {

/// How the probes are to be built on this machine.
struct ProbesBuild {
  fs::path source;
  fs::path place;                 ///< the folder that is to hold them, and is replaced
  std::vector<std::string> with;  ///< what they must have: "mpi", "cuda"
  Environment env;                ///< of the cluster, as its jobs have it
  std::vector<std::string> prolog;
};

/// Builds the probes, tries them, and puts them into their place all at once: until then what was
/// there stays. Calls `begun` with the log's path. Gives what they were built with, a program a
/// line. Errors: Error (machine) in one line: what is missing, its least version, what to do.
std::string build_probes(const ProbesBuild& build,
                         const std::function<void(const fs::path& log)>& begun);

}  // namespace pippin
