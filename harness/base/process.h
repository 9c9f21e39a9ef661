#pragma once

#include <string>
#include <vector>

#include "harness/base/files.h"

namespace pippin {

struct Outcome {
  int exit_code = 0;   ///< 128 + n where signal n ended it
  std::string output;  ///< standard output and standard error together
};

/// Runs a program found on PATH to its end, without standard input.
/// Errors: Error (machine) where it cannot be started.
Outcome run_program(const std::vector<std::string>& command);

/// Starts `command` in a session of its own, its output appended to `log`, and returns when it
/// runs: it outlives this process and its terminal. Errors: as run_program.
void start_detached(const std::vector<std::string>& command, const fs::path& log);

/// The running program's own file.
fs::path own_executable();

}  // namespace pippin
