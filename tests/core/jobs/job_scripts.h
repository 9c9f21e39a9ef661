// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/jobs/protocol.h"
#include "core/jobs/script.h"

namespace pippin::test {

/// The submission that the scripts below belong to.
Submission submission_named(const std::string& name = "job-s1");

/// A script in `root`, where its runs start, too.
JobScript script_of(const fs::path& root, std::vector<ScriptTask> tasks);

/// Its files, as a submission makes them; where the script is.
fs::path write_files(const JobScript& script);

/// Those of one job that has these runs.
fs::path write_script(const fs::path& root, std::vector<ScriptRun> runs);

/// "(none)" where there is no such file.
std::string text_of_file(const fs::path& path);

}  // namespace pippin::test
