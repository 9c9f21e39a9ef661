// SPDX-License-Identifier: Apache-2.0
#include "core/jobs/submission_files.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/base/user.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;

namespace {

Point point_of(const std::string& id, std::int64_t gpus) {
  Point point;
  point.id = point.name = id;
  point.layout.gpus = gpus;
  return point;
}

PlannedJob job_of(const std::string& name, std::int64_t nodes,
                  const std::vector<std::string>& ids) {
  PlannedJob job{name, 3, nodes, {}, {}};
  for (const auto& id : ids) job.runs.push_back({id + "-a3", id, 1, 1});
  return job;
}

struct Files {
  Sweep sweep;
  std::vector<Point> points{point_of("p", 4), point_of("q", 8)};
  Submission submission;

  Files() {
    sweep.name = "gpt";
    sweep.trainer.command = "train {allocation}";
    submission.name = "gpt-s2";
    submission.number = 2;
  }
  JobFiles of(const std::vector<PlannedJob>& jobs, std::vector<std::string> directives = {}) const {
    std::vector<TaskPlan> tasks;
    for (const auto& job : jobs) tasks.push_back({&job, job.runs});
    return submission_files(sweep, index_of(points), {"/db.runs/gpt", "/probes"}, submission, tasks,
                            std::move(directives));
  }
};

}  // namespace

TEST_CASE("ranks of a node are enough for the largest point of any task") {
  const std::vector<Point> points{point_of("p", 4), point_of("q", 9), point_of("r", 1)};
  const auto of = [&](const std::vector<PlannedJob>& jobs) {
    std::vector<TaskPlan> tasks;
    for (const auto& job : jobs) tasks.push_back({&job, job.runs});
    return ranks_per_node(tasks, index_of(points));
  };
  CHECK(of({job_of("a", 1, {"p"})}) == 4);
  CHECK(of({job_of("a", 2, {"p"})}) == 2);
  CHECK(of({job_of("a", 3, {"p"})}) == 2);  // on one node two, on the others one
  CHECK(of({job_of("a", 2, {"p", "q", "r"})}) == 5);
  CHECK(of({job_of("a", 1, {"p"}), job_of("b", 1, {"q"})}) == 9);
  CHECK(of({job_of("a", 4, {"r"})}) == 1);
  CHECK(of({}) == 1);
}

TEST_CASE("a script says what it is to its reader, and where it runs") {
  Files files;
  files.sweep.cluster.prolog = {"module load x"};
  const std::string text = files.of({job_of("gpt-a3", 1, {"p"})}, {"#SBATCH --nodes=1"}).script;
  CHECK_THAT(text,
             Catch::StartsWith(
                 "#!/bin/bash\n#SBATCH --nodes=1\n"
                 "# gpt-s2: 1 run of sweep gpt, allocation 3, 1 node\n"
                 "# Written by pippin. By hand: bash THIS_FILE. What is done is not done "
                 "again.\npippin_root=/db.runs/gpt\npippin_name=gpt-s2\n"
                 "pippin_submission=2\n" +
                 fmt::format("umask {:04o} # of who submitted it\npippin_script=", own_umask())));
  CHECK_THAT(text, Contains("\nmodule load x\n") &&
                       Contains("cd " + fs::current_path().string() + " || { echo "));
  CHECK_THAT(text, !Contains(" # seconds, at most"));
  CHECK_THAT(text, Contains("\n\nexport PIPPIN_JOB=gpt-a3\n\npippin_command() {\ntrain 3\n}\n"
                            "pippin_run p-a3\n"));
  CHECK_THAT(files.of({job_of("gpt-a3", 2, {"p", "q"})}).script,
             Contains("# gpt-s2: 2 runs of sweep gpt, allocation 3, 2 nodes\n"));
}

TEST_CASE("what all runs set alike is said once, and what one sets for itself with it") {
  Files files;
  files.sweep.env = {{"ALIKE", "1"}, {"OWN", "{gpus}"}};
  const JobFiles made = files.of({job_of("gpt-a3", 1, {"p", "q"})});
  const std::string text = made.script + made.tasks.at(0);
  const auto times = [&](const std::string& part) {
    int count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
  };
  CHECK(times("export ALIKE=1\n") == 1);
  CHECK(times("export OWN=4\n") == 1);
  CHECK(times("export OWN=8\n") == 1);
  CHECK_THAT(made.script, Contains("export ALIKE=1\n"));
  CHECK_THAT(made.tasks[0], Contains("export OWN=4\n") && Contains("export OWN=8\n"));
  CHECK(text.find("export OWN=8") > text.find("pippin_run p-a3\n"));
}

TEST_CASE("a script that holds values of env is for its user alone") {
  Files files;
  const auto is_private = [&] { return files.of({job_of("gpt-a3", 1, {"p", "q"})}).is_private; };
  CHECK_FALSE(is_private());
  files.sweep.env = {{"TOKEN", "secret"}};
  CHECK(is_private());
  std::swap(files.sweep.env, files.sweep.cluster.env);
  CHECK(is_private());
}

TEST_CASE("times of runs and canaries are whole seconds, never too few") {
  Files files;
  files.sweep.run_time_s = 50.2;
  files.sweep.canary_s = 5;
  const std::string text = files.of({job_of("gpt-a3", 1, {"p"})}).script;
  CHECK_THAT(text, Contains("\npippin_run_time=51 # seconds, at most\n") &&
                       Contains("\npippin_canary_time=15 pippin_canary_limit=65 # seconds\n"));
  CHECK_THAT(
      text,
      Contains("\ncanary_1() {\n/probes/canary --seconds 5 --sizes-in \"$pippin_root\"\n}\n") &&
          Contains("\npippin_reading_by=''\n\npippin_command() {\n") &&
          Contains("\npippin_run p-a3 canary_1\n"));
}

TEST_CASE("runs stand in a file of their own, whose parts say how long they are") {
  const Files files;
  const JobFiles made = files.of({job_of("gpt-a3", 1, {"p", "q"}), job_of("gpt-a4", 1, {"q"})});
  CHECK_THAT(made.script, Contains("# gpt-s2: an array of 2 jobs of sweep gpt, 1 node\n") &&
                              Contains("\npippin_tasks=2 pippin_tasks_a_file=128\n") &&
                              !Contains("pippin_single_runs=1") &&
                              Contains("\n\npippin_run_tasks\nexit\n"));
  std::string heads;
  REQUIRE(made.tasks.size() == 1);
  for (const auto line : split(made.tasks[0], '\n')) {
    if (line.starts_with("#")) heads += std::string(line) + "\n";
  }
  CHECK(heads ==
        "# Lines: 0 27 42\n# Task 1: 2 lines\n# Run 1: 11 lines\n# Run 2: 11 lines\n"
        "# Task 2: 2 lines\n# Run 1: 11 lines\n");
  CHECK_THAT(
      made.tasks[0],
      Catch::StartsWith(
          "# Lines: 0 27 42\n# Task 1: 2 lines\nexport PIPPIN_JOB=gpt-a3\n\n# Run 1: 11 lines\n"
          "pippin_command() {\nexport ") &&
          Catch::EndsWith("\ntrain 3\n}\npippin_run q-a3\n\n"));
}

TEST_CASE("a script is as long for many runs and tasks as for two") {
  Files files;
  const auto length = [&](std::size_t tasks, int runs) {
    PlannedJob job{"gpt-a3", 3, 1, {}, {}};
    for (int i = 1; i <= runs; ++i) job.runs.push_back({fmt::format("p-a{}", i), "p", 1, 1});
    return files.of(std::vector<PlannedJob>(tasks, job)).script.size();
  };
  CHECK(length(1, 5000) < length(1, 2) + 20);
  CHECK(length(5000, 1) < length(2, 1) + 20);
}
