// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace pippin {

/// Whether a line may be one of a shell script: a comment, a command, an assignment, a part of a
/// loop. Lines that trainers print may look so, too.
bool may_be_of_script(std::string_view line);

/// Whether a line can hardly be anything else.
bool is_of_script(std::string_view line);

/// Whether a text that begins so begins with a job script: "#!/bin/bash", "#SBATCH -N 2", or the
/// trace of the command that prints one, "+ cat job.sh".
bool begins_script(std::string_view line);

/// Follows the quotes of a script, which may go on over lines.
class ScriptQuotes {
 public:
  void see(std::string_view line);
  bool is_open() const { return open_ != kNone; }

 private:
  static constexpr char kNone = 0;
  char open_ = kNone;
};

}  // namespace pippin
