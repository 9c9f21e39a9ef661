// SPDX-License-Identifier: Apache-2.0
#include "tests/core/jobs/job_scripts.h"

namespace pippin::test {

Submission submission_named(const std::string& name) {
  Submission submission;
  submission.name = name;
  submission.tasks = {{"job", {"one"}}};
  return submission;
}

JobScript script_of(const fs::path& root, std::vector<ScriptTask> tasks) {
  JobScript script;
  script.title = "a test";
  script.directory = root;
  script.root = root;
  script.name = "job-s1";
  script.tasks = std::move(tasks);
  return script;
}

fs::path write_files(const JobScript& script) {
  const SweepFolder folder(disk(), script.root);
  const JobFiles files = job_files(script);
  disk().write(folder.script(submission_named()), files.script);
  for (std::size_t i = 0; i < files.tasks.size(); ++i)
    disk().write(folder.tasks_file(submission_named(), i + 1), files.tasks[i]);
  return folder.script(submission_named());
}

fs::path write_script(const fs::path& root, std::vector<ScriptRun> runs) {
  return write_files(script_of(root, {{"job", std::move(runs)}}));
}

std::string text_of_file(const fs::path& path) { return disk().read(path).value_or("(none)"); }

}  // namespace pippin::test
