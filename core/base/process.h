// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/base/files.h"

namespace pippin {

/// Bytes that a program can be given in one argument, or in a variable with its name.
/// Source: execve(2), "Limits on size of arguments and environment".
inline constexpr std::size_t kLongestArgument = (std::size_t{128} << 10) - 1;

struct Outcome {
  int exit_code = 0;   ///< 128 + n where signal n ended it
  std::string output;  ///< standard output and standard error together
};

/// Runs a program found on PATH to its end, without standard input.
/// Errors: MissingProgram; Error (machine) where it cannot be started.
Outcome run_program(const std::vector<std::string>& command);

/// What a program said to a question.
struct Answer {
  int exit_code = 0;     ///< 128 + n where signal n ended it
  std::string output;    ///< standard output
  std::string errors;    ///< standard error
  bool gave_up = false;  ///< it was killed because `patience` was over
};

using Variables = std::vector<std::pair<std::string, std::string>>;

/// This process's environment.
Variables own_environment();

/// Runs a program as run_program does, in `environment` alone, and kills it when it takes longer
/// than `patience`. It dies with this process, however that ends. Errors: as run_program.
Answer ask_program(const std::vector<std::string>& command, const Variables& environment,
                   std::chrono::milliseconds patience);

/// The first line of an answer's errors, for a message: "squeue: error: Unable to contact …".
std::string complaint_of(const Answer& answer);

/// Starts `command` in a session of its own, its output appended to `log`, and returns when it
/// runs: it outlives this process and its terminal. Errors: as run_program.
void start_detached(const std::vector<std::string>& command, const fs::path& log);

/// Where PATH has a program; empty where it has none.
fs::path find_program(const std::string& name);

/// This machine's name; "unknown" where it has none.
std::string host_name();

/// The running program's own file.
fs::path own_executable();

}  // namespace pippin
