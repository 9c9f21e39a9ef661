// SPDX-License-Identifier: Apache-2.0
// Jobs of several tasks, whose runs stand in files of their own.
#include <fmt/format.h>

#include "core/base/process.h"
#include "tests/core/jobs/job_scripts.h"
#include "tests/support/catch.h"
#include "tests/support/left_by_jobs.h"
#include "tests/support/temporary.h"

using namespace pippin;
using test::script_of;
using test::submission_named;
using test::succeeded_of;
using test::text_of_file;
using test::write_files;
using test::write_script;

namespace {

/// Three tasks: of two runs, of one, of two. A run's log has its job and its name.
JobScript array_of(const fs::path& root) {
  const std::string command = "echo $PIPPIN_JOB $RUN";
  const auto run = [&](const std::string& name) {
    return ScriptRun{name, {{"RUN", name}}, command};
  };
  return script_of(
      root,
      {{"a", {run("one"), run("two")}}, {"b", {run("three")}}, {"c", {run("four"), run("five")}}});
}

}  // namespace

TEST_CASE("a task of an array runs its runs, and by hand all tasks do") {
  const std::vector<std::string> names{"one", "two", "three", "four", "five"};
  const std::vector<std::string> jobs{"a", "a", "b", "c", "c"};
  for (const std::string task : {"1", "2", "3", ""}) {
    CAPTURE(task);
    const test::TemporaryDirectory root;
    const fs::path script = write_files(array_of(root.path()));
    CHECK(run_program({"env", "SLURM_ARRAY_TASK_ID=" + task, "bash", script.string()}).exit_code ==
          0);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool runs = task.empty() || jobs[i] == std::string(1, "abc"[task[0] - '1']);
      CHECK(text_of_file(root / names[i] / "1-local-0/log") ==
            (runs ? jobs[i] + " " + names[i] + "\n" : "(none)"));
    }
  }
}

TEST_CASE("a job that is no array runs all its runs in whatever task it was begun") {
  const test::TemporaryDirectory root;
  const fs::path script = write_script(root.path(), {{"one", {}, "true"}, {"two", {}, "true"}});
  run_program({"env", "SLURM_ARRAY_TASK_ID=7", "bash", script.string()});
  CHECK(succeeded_of(SweepFolder(disk(), root.path())).size() == 2);
}

TEST_CASE("a run that bash cannot read is left open and the others run") {
  const test::TemporaryDirectory root;
  const fs::path script = write_script(
      root.path(), {{"one", {}, "true"}, {"two", {}, "echo )"}, {"three", {}, "true"}});
  const auto outcome = run_program({"bash", script.string()});
  CHECK(outcome.exit_code == 2);
  CHECK_THAT(outcome.output, Catch::Contains("syntax error"));
  SweepFolder folder(disk(), root.path());
  CHECK(succeeded_of(folder) == RunNames{"one", "three"});
  CHECK(folder.attempts("two").empty());
}

TEST_CASE("a command may have any lines, and does not see the file that it stands in") {
  const test::TemporaryDirectory root;
  const std::string lines = "cat <<'EOF'\n# Run 2: 1 lines\n}\n\nEOF\n";
  const fs::path script = write_script(
      root.path(), {{"one", {}, lines + "# done"}, {"two", {}, "readlink /proc/$BASHPID/fd/*"}});
  CHECK(run_program({"bash", script.string()}).exit_code == 0);
  CHECK(text_of_file(root / "one/1-local-0/log") == "# Run 2: 1 lines\n}\n\n");
  const std::string open = text_of_file(root / "two/1-local-0/log");
  CHECK_THAT(open, Catch::Contains("/dev/null\n") && !Catch::Contains("tasks-1.sh"));
}

TEST_CASE("folders that are made before their runs are no attempts") {
  const test::TemporaryDirectory root;
  std::vector<ScriptRun> runs{{"r1", {}, "true"}, {"r2", {}, "kill $$; sleep 60"}};
  for (int i = 3; i <= 40; ++i) runs.push_back({fmt::format("r{}", i), {}, "true"});
  disk().write(root / "r4/1-7-0/done", "exit=0 ended=1\n");
  run_program({"bash", write_script(root.path(), runs).string()});
  SweepFolder folder(disk(), root.path());
  CHECK(folder.attempts("r1").at(0).done());
  CHECK(fs::is_empty(root / "r3/1-local-0"));
  CHECK(folder.attempts("r3").empty());
  CHECK(folder.attempts("r4").size() == 1);
  CHECK_FALSE(fs::exists(root / "r40"));
}

TEST_CASE("a job whose file of tasks is cut or gone runs what is there and fails") {
  const test::TemporaryDirectory root;
  const fs::path script = write_script(root.path(), {{"one", {}, "true"}, {"two", {}, "true"}});
  const fs::path tasks = SweepFolder(disk(), root.path()).tasks_file(submission_named(), 1);
  const std::string text = text_of_file(tasks);
  disk().write(tasks, text.substr(0, text.find("pippin_run two")));
  const auto outcome = run_program({"bash", script.string()});
  CHECK(outcome.exit_code == 3);
  CHECK_THAT(outcome.output, Catch::Contains("tasks-1.sh has changed since it was written"));
  CHECK(succeeded_of(SweepFolder(disk(), root.path())).size() == 1);
  fs::remove(tasks);
  CHECK(run_program({"env", "SLURM_JOB_ID=7", "bash", script.string()}).exit_code == 3);
}

TEST_CASE("a task of a long array finds its runs, and by hand all are run") {
  const test::TemporaryDirectory root;
  const bool single = GENERATE(true, false);
  std::vector<ScriptTask> tasks;
  for (int i = 1; i <= 130; ++i) {
    tasks.push_back({"job", {{fmt::format("r{}", i), {}, fmt::format("echo {}", i)}}});
    if (!single) tasks.back().runs.push_back({fmt::format("s{}", i), {}, "true"});
  }
  const std::string script = write_files(script_of(root.path(), tasks)).string();
  const SweepFolder folder(disk(), root.path());
  const std::size_t runs_a_task = single ? 1 : 2;
  for (const int task : {1, 2, 128, 129, 130}) {
    CAPTURE(task);
    const std::string variable = fmt::format("SLURM_ARRAY_TASK_ID={}", task);
    const std::string id = fmt::format("SLURM_JOB_ID=90{}", task);
    CHECK(run_program({"env", variable, id, "bash", script}).exit_code == 0);
    CHECK(text_of_file(root / fmt::format("r{0}/1-90{0}-0/log", task)) ==
          fmt::format("{}\n", task));
  }
  CHECK(succeeded_of(folder).size() == 5 * runs_a_task);
  CHECK(run_program({"bash", script}).exit_code == 0);
  CHECK(succeeded_of(folder).size() == 130 * runs_a_task);
}

namespace {

/// An array of 70 tasks with a run each: r1, r2, …
class LongArray {
 public:
  LongArray(bool by_slurm, const std::string& command) : by_slurm_(by_slurm) {
    std::vector<ScriptTask> tasks;
    for (int i = 1; i <= 70; ++i) tasks.push_back({"job", {{fmt::format("r{}", i), {}, command}}});
    script_ = write_files(script_of(root_.path(), tasks)).string();
  }
  int run_task(int task) const {
    std::vector<std::string> words{"env"};
    if (by_slurm_) {
      words.insert(words.end(), {fmt::format("SLURM_JOB_ID=9{}", task), "SLURM_ARRAY_JOB_ID=90",
                                 fmt::format("SLURM_ARRAY_TASK_ID={}", task)});
    } else {
      words.insert(words.end(), {fmt::format("PBS_JOBID=90[{}].server", task), "PBS_JOBCOOKIE=a",
                                 fmt::format("PBS_ARRAY_INDEX={}", task)});
    }
    words.insert(words.end(), {"bash", script_});
    return run_program(words).exit_code;
  }
  /// Of the run of a task, by that.
  std::string attempt(int task) const {
    return fmt::format("1-90{}{}-0", by_slurm_ ? "_" : ".", task);
  }
  bool has_folder(int task) const {
    return fs::exists(root_ / fmt::format("r{}", task) / attempt(task));
  }
  const fs::path& root() const { return root_.path(); }

 private:
  bool by_slurm_;
  test::TemporaryDirectory root_;
  std::string script_;
};

}  // namespace

TEST_CASE("a short task of an array makes the folders of later ones, which run in them") {
  const LongArray array(GENERATE(true, false), "true");
  CHECK(array.run_task(67) == 0);
  CHECK(array.run_task(1) == 0);
  for (int i = 2; i <= 70; ++i) CHECK(array.has_folder(i) == (i > 64));
  SweepFolder folder(disk(), array.root());
  CHECK(folder.attempts("r65").empty());
  CHECK(array.run_task(65) == 0);
  CHECK(disk().list(array.root() / "r65") == std::vector<std::string>{array.attempt(65)});
  CHECK(succeeded_of(folder) == RunNames{"r1", "r65", "r67"});
}

TEST_CASE("no folder is made by a task that is long, nor for a run that is done") {
  const LongArray slow(true, "sleep 3");
  CHECK(slow.run_task(1) == 0);
  CHECK_FALSE(slow.has_folder(65));
  const LongArray array(true, "true");
  fs::create_directories(array.root() / "r66/1-7-0");
  disk().write(array.root() / "r66/1-7-0/run",
               "pippin: started=1\npippin: exit=0 ended=2 started=1\n");
  CHECK(array.run_task(1) == 0);
  CHECK(array.has_folder(65));
  CHECK_FALSE(array.has_folder(66));
}
