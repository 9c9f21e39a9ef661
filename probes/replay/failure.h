// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probes/common/log.h"

namespace pippin::probes {

/// The ways to die: "exit", "oom", "crash", "hang", "timeout-line".
std::vector<std::string> failure_names();

/// What a trainer leaves behind that dies so in that iteration; empty for "hang".
std::vector<std::string> evidence_lines(const std::string& way, std::int64_t iteration);

/// Prints the evidence and dies: "exit" and "oom" with exit code 1, "crash" by SIGSEGV,
/// "timeout-line" by SIGTERM; "hang" never returns and waits to be killed.
[[noreturn]] void die(Log& log, const std::string& way, std::int64_t iteration);

}  // namespace pippin::probes
