// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pippin {

/// "nosuch: command not found" of "/…/job.sh: line 294: nosuch: command not found": what bash says
/// of a line of a job's script; nothing of any other line.
std::optional<std::string_view> said_of_script(std::string_view line);

/// The last line of a run's log that tells why it failed: not what launchers add to it, nor how
/// bash reports a signal that ended the run. Empty where the log has none. Shape: one line.
std::string last_words(std::string_view log, int exit_code);

/// The line that says that a run died of memory, of a log that no trainer is known of; empty where
/// none does, or another cause is stronger.
std::string out_of_memory_line(std::string_view log);

/// "exit 2", "exit 139 (Segmentation fault)".
std::string exit_text(int exit_code);

}  // namespace pippin
