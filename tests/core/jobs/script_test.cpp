// SPDX-License-Identifier: Apache-2.0
#include "core/jobs/script.h"

#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <set>

#include "core/base/error.h"
#include "core/base/mount.h"
#include "core/base/process.h"
#include "core/jobs/node_files.h"
#include "core/jobs/protocol.h"
#include "tests/support/catch.h"
#include "tests/support/left_by_jobs.h"
#include "tests/support/nasty.h"
#include "tests/support/temporary.h"

using namespace pippin;
using test::failed_of;
using test::succeeded_of;

namespace {

Sweep sweep_of(const std::string& command) {
  Sweep sweep;
  sweep.name = "test";
  sweep.trainer.command = command;
  return sweep;
}

Point point_with(const NamedValues& axes) {
  Point point;
  point.name = "p";
  point.layout.tp = 2;
  point.layout.gpus = 2;
  point.axes = axes;
  return point;
}

/// The submission that `write_script` writes.
Submission submission_named(const std::string& name = "job-s1") {
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

/// Its files in `root`, as a submission makes them.
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

}  // namespace

TEST_CASE("a job runs its runs, goes on when one fails and leaves exit codes") {
  const test::TemporaryDirectory root;
  const fs::path script = write_script(root.path(), {{"one", {{"X", "1"}}, "echo one $X; exit 3"},
                                                     {"two", {}, "cat; echo two; echo err >&2"}});
  CHECK(run_program({"bash", script.string()}).exit_code == 0);
  SweepFolder folder(disk(), root.path());
  const auto one = folder.attempts("one"), two = folder.attempts("two");
  REQUIRE(one.size() == 1);
  CHECK(one[0].name == "1-local-0");
  CHECK(one[0].exit_code == 3);
  CHECK(text_of_file(one[0].log()) == "one 1\n");
  REQUIRE(two.size() == 1);
  CHECK(two[0].exit_code == 0);
  CHECK(two[0].ended >= two[0].started);
  CHECK(text_of_file(two[0].log()) == "two\nerr\n");
  CHECK_THAT(folder.provenance(submission_named(), one[0]), Catch::Contains("host="));
  CHECK_THAT(folder.command(one[0]), Catch::Contains("echo one $X"));
  CHECK(disk().list(root / "one/1-local-0") == std::vector<std::string>{"log", "run"});
}

TEST_CASE("a job's claim says which task it is and how it sees its files") {
  const test::TemporaryDirectory root;
  const fs::path script = write_script(root.path(), {{"one", {}, "true"}});
  run_program({"env", "SLURM_JOB_ID=7", "SLURM_ARRAY_TASK_ID=1", "bash", script.string()});
  const auto claims = SweepFolder(disk(), root.path()).claims(submission_named(), {1}, {});
  REQUIRE(claims.size() == 1);
  CHECK(claims[0].name == "one/1-7-0");
  CHECK(claims[0].task == 1);
  CHECK(claims[0].view == mount_of(root.path()).view);
  CHECK(SweepFolder(disk(), root.path()).claims(submission_named(), {1}, {"one/1-7-0"}).empty());
}

TEST_CASE("a job makes its files by the umask of who submitted it") {
  const test::TemporaryDirectory root;
  JobScript job = script_of(root.path(), {{"job", {{"one", {}, ": >made"}}}});
  job.umask = 027;
  const fs::path script = write_files(job);
  run_program({"bash", "-c", "umask 077; bash \"$1\"", "_", script.string()});
  const auto mode = [&](const char* name) {
    return static_cast<unsigned>(fs::status(root / name).permissions());
  };
  const std::string outcomes = "outcomes/" + disk().list(root / "outcomes").at(0);
  for (const std::string& name : {std::string("made"), std::string("one/1-local-0/run"),
                                  std::string("one/1-local-0/log"), outcomes}) {
    CAPTURE(name);
    CHECK(mode(name.c_str()) == 0640);
  }
  CHECK(mode("one/1-local-0") == 0750);
  CHECK(mode("outcomes") == 0750);
}

TEST_CASE("a script that is started twice runs once") {
  const test::TemporaryDirectory root;
  const fs::path script =
      write_script(root.path(), {{"one", {}, "echo ran >>" + (root / "ran").string()}});
  run_program({"bash", script.string()});
  run_program({"bash", script.string()});
  CHECK(text_of_file(root / "ran") == "ran\n");
}

TEST_CASE("a second submission leaves alone what the first has done") {
  const test::TemporaryDirectory root;
  disk().write(root / "one/1-local-0/done", "exit=0 ended=1\n");
  const fs::path script =
      write_script(root.path(), {{"one", {}, "echo again"}, {"two", {}, "echo two"}});
  run_program({"bash", script.string()});
  SweepFolder folder(disk(), root.path());
  CHECK(folder.attempts("one").size() == 1);
  CHECK_FALSE(disk().exists(root / "one/1-local-0/log"));
  CHECK(folder.attempts("two").size() == 1);
}

TEST_CASE("values reach the command and the environment as they are") {
  for (const auto& text : test::nasty_texts()) {
    if (text.empty()) continue;
    CAPTURE(text);
    const test::TemporaryDirectory root;
    const Sweep sweep = sweep_of("printf '%s<end>' {own} \"{own}\" \"$PIPPIN_OWN\" {tp}");
    const ScriptRun run =
        script_run(sweep, point_with({{"own", value_of(text)}}), {"r", "", 1, 1}, 1, "/probes");
    const fs::path folder = root / "with space'$(touch pwned)";
    run_program({"bash", write_script(folder, {run}).string()});
    CHECK(text_of_file(folder / "r/1-local-0/log") ==
          fmt::format("{0}<end>{0}<end>{0}<end>2<end>", text));
    CHECK_FALSE(fs::exists("pwned"));
  }
}

TEST_CASE("a value is not run in quotes, comments and here-documents that nobody follows") {
  for (const std::string command :
       {"echo \"$(basename \"{own}\")\"", "true # it's\nprintf %s {own}",
        "cat <<EOF\nit's {own}\nEOF\nprintf %s {own}", "printf %s $'it\\'s' {own}"}) {
    CAPTURE(command);
    const test::TemporaryDirectory root;
    const std::string own = "$(touch \"$PIPPIN_RUN_DIR/pwned\")`touch pwned`";
    const ScriptRun run = script_run(sweep_of(command), point_with({{"own", value_of(own)}}),
                                     {"r", "", 1, 1}, 1, "/probes");
    run_program({"bash", write_script(root.path(), {run}).string()});
    CHECK_THAT(text_of_file(root / "r/1-local-0/log"), Catch::Contains("pwned"));
    CHECK_FALSE(fs::exists(root / "r/1-local-0/pwned"));
    CHECK_FALSE(fs::exists(root / "pwned"));
  }
}

TEST_CASE("a command that ends its process group does not end the job") {
  const test::TemporaryDirectory root;
  const fs::path script = write_script(root.path(), {{"one", {}, "trap 'kill 0' EXIT; exit 3"},
                                                     {"two", {}, "kill -KILL 0"},
                                                     {"three", {}, "set -e; false; echo not here"},
                                                     {"four", {}, "echo here"}});
  // A group of its own, or the test would end itself where the job does.
  run_program({"setsid", "--wait", "bash", script.string()});
  SweepFolder folder(disk(), root.path());
  REQUIRE(folder.attempts("two").size() == 1);
  CHECK(folder.attempts("one")[0].exit_code == 143);
  CHECK(folder.attempts("two")[0].exit_code == 137);
  CHECK(folder.attempts("three")[0].exit_code == 1);
  CHECK(folder.attempts("four")[0].exit_code == 0);
}

TEST_CASE("a prolog's own names and options do not reach the protocol") {
  const test::TemporaryDirectory root;
  JobScript job = script_of(root.path(), {{"job", {{"one", {}, "false"}, {"two", {}, "run"}}}});
  job.prolog = {"sweep=/tmp job=x submission=9 attempt=y claim=z", "run() { echo helper; }",
                "set -euf -o pipefail"};
  run_program({"bash", write_files(job).string()});
  SweepFolder folder(disk(), root.path());
  CHECK(folder.attempts("one").at(0).exit_code == 1);
  CHECK(folder.attempts("two").at(0).exit_code == 0);
  CHECK(text_of_file(root / "two/1-local-0/log") == "helper\n");
}

TEST_CASE("a run whose marker was torn is run again") {
  const test::TemporaryDirectory root;
  disk().write(root / "one/1-77-0/done", "");
  run_program({"bash", write_script(root.path(), {{"one", {}, "echo again"}}).string()});
  CHECK(attempt_that_counts(SweepFolder(disk(), root.path()).attempts("one"))->exit_code == 0);
}

TEST_CASE("provenance keeps variables whose names have digits") {
  const test::TemporaryDirectory root;
  const fs::path script = write_script(root.path(), {{"one", {}, "true"}});
  run_program({"env", "NCCL_P2P_LEVEL=NVL", "bash", script.string()});
  SweepFolder folder(disk(), root.path());
  CHECK_THAT(folder.provenance(submission_named(), folder.attempts("one").at(0)),
             Catch::Contains("NCCL_P2P_LEVEL=NVL\n"));
}

TEST_CASE("the names that a launch needs are known") {
  Sweep sweep = sweep_of(
      "{launch} x --addr {master_addr}:{master_port} {iterations} {nodes} {ranks_per_node} "
      "'{print}'");
  sweep.cluster.launch = "srun -n {ranks}";
  sweep.cluster.gpus_per_node = 4;
  Point point = point_with({});
  point.layout.gpus = 16;
  CHECK_THROWS_WITH(script_run(sweep, point, {"r", "", 1, 1}, 1, ""),
                    Catch::Contains("unknown placeholder '{print}'"));
  sweep.trainer.command =
      "{launch} x --addr {master_addr}:{master_port} {iterations} {nodes} {ranks_per_node} ${HOME}";
  CHECK(script_run(sweep, point, {"r", "", 1, 1}, 1, "").command ==
        "srun -n 16 x --addr \"${MASTER_ADDR}\":\"${MASTER_PORT}\" 20 4 4 ${HOME}");
}

TEST_CASE("a probe gets the options that it knows") {
  Sweep sweep;
  sweep.trainer.probe = "training";
  sweep.trainer.options = {"tp", "kv_heads", "own", "iterations", "seed"};
  sweep.cluster.launch = "mpirun -n {ranks}";
  const Point point = point_with({{"own", value_of(std::string("a b"))}, {"other", value_of(1.0)}});
  CHECK(script_run(sweep, point, {"r", "", 1, 1}, 1, "/p").command ==
        "mpirun -n 2 /p/training --tp 2 --own 'a b' --iterations 20 --seed 1");
  sweep.trainer.once = true;
  CHECK(script_run(sweep, point, {"r", "", 1, 1}, 1, "/p").command ==
        "/p/training --tp 2 --own 'a b' --iterations 20 --seed 1");
}

TEST_CASE("a here-document of the user's ends where they wrote it") {
  const test::TemporaryDirectory root;
  run_program(
      {"bash", write_script(root.path(), {{"r", {}, "cat <<EOF\n  kept\nEOF\n"}}).string()});
  CHECK(text_of_file(root / "r/1-local-0/log") == "  kept\n");
}

TEST_CASE("a job whose prolog fails traps and renames goes on with its runs") {
  const test::TemporaryDirectory root;
  JobScript job = script_of(root.path(), {{"job", {{"one", {}, "false"}, {"two", {}, "true"}}}});
  job.prolog = {"shopt -s expand_aliases failglob",
                "alias mv=false printf=false wait=true mkdir=false",
                "alias [=false local=false echo=false declare=false",
                "set -eEuTC",
                "trap 'exit 9' ERR",
                "trap 'exit 8' USR1 TERM",
                "IFS=0"};
  CHECK(run_program({"bash", write_files(job).string()}).exit_code == 0);
  SweepFolder folder(disk(), root.path());
  CHECK(folder.attempts("one").at(0).exit_code == 1);
  CHECK(folder.attempts("two").at(0).exit_code == 0);
  CHECK(succeeded_of(folder).count("two") == 1);
  CHECK(failed_of(folder).count("one") == 1);
}

TEST_CASE("a run that is suspended and resumed is not over before it ends") {
  const test::TemporaryDirectory root;
  const std::string command =
      "read -r _ _ _ _ group _ </proc/$BASHPID/stat\n"
      "setsid bash -c \"sleep 0.5; kill -CONT -- -$group\" & sleep 0.2\n"
      "kill -STOP -- -$group; sleep 0.1; echo resumed";
  run_program({"bash", write_script(root.path(), {{"one", {}, command}}).string()});
  const auto attempts = SweepFolder(disk(), root.path()).attempts("one");
  CHECK(attempts.at(0).exit_code == 0);
  CHECK(text_of_file(attempts.at(0).log()) == "resumed\n");
}

TEST_CASE("what a run leaves behind does not disturb the next") {
  const test::TemporaryDirectory root;
  const std::string left = (root / "left").string();
  // A process that was killed may be a zombie for a while.
  const std::string look = fmt::format("sleep 0.1; ! grep 'State:.[RS]' /proc/$(<{})/status", left);
  const fs::path script =
      write_script(root.path(), {{"one", {}, "sleep 60 & echo $! >" + left}, {"two", {}, look}});
  run_program({"bash", script.string()});
  CHECK(SweepFolder(disk(), root.path()).attempts("two").at(0).exit_code == 0);
}

TEST_CASE(
    "word that the time is nearly up, come before anything has run, lets the first run start") {
  const test::TemporaryDirectory root;
  JobScript job = script_of(root.path(), {{"job", {{"one", {}, "true"}, {"two", {}, "true"}}}});
  job.prolog = {"kill -USR1 $$"};
  CHECK(run_program({"bash", write_files(job).string()}).exit_code == 0);
  SweepFolder folder(disk(), root.path());
  CHECK(folder.attempts("one").at(0).exit_code == 0);
  CHECK(folder.attempts("two").empty());
}

TEST_CASE("a job begun again under its id runs again what failed last of all before") {
  const test::TemporaryDirectory root;
  const std::string sick = "[ \"$SLURM_RESTART_COUNT\" = 1 ]";
  const fs::path script = write_script(
      root.path(),
      {{"bad", {}, "exit 3"}, {"good", {}, "true"}, {"sick", {}, sick}, {"worse", {}, sick}});
  for (const char* restart : {"0", "1"}) {
    run_program({"env", "SLURM_JOB_ID=7", std::string("SLURM_RESTART_COUNT=") + restart, "bash",
                 script.string()});
  }
  SweepFolder folder(disk(), root.path());
  CHECK(folder.attempts("bad").size() == 1);
  CHECK(folder.attempts("good").size() == 1);
  CHECK(attempt_that_counts(folder.attempts("sick"))->name == "1-7-1");
  CHECK(attempt_that_counts(folder.attempts("worse"))->exit_code == 0);
}

TEST_CASE("a job that is ended during a canary launches no run any more") {
  const test::TemporaryDirectory root;
  ScriptRun run{"one", {}, "echo launched"};
  run.canary = "kill -TERM $$; sleep 60";
  run_program({"bash", write_script(root.path(), {run}).string()});
  const auto attempts = SweepFolder(disk(), root.path()).attempts("one");
  CHECK_FALSE(attempts.at(0).done());
  CHECK(attempts.at(0).interrupted);
  CHECK(text_of_file(attempts.at(0).log()) == "(none)");
}

TEST_CASE("a canary that ends its process group does not end the job") {
  const test::TemporaryDirectory root;
  ScriptRun run{"one", {}, "true"};
  run.canary = "kill -KILL 0";
  run_program({"setsid", "--wait", "bash", write_script(root.path(), {run}).string()});
  CHECK(SweepFolder(disk(), root.path()).attempts("one").at(0).exit_code == 0);
}

namespace {

/// A canary that leaves a line in `root`/taken each time that it is asked.
std::string counting_canary(const test::TemporaryDirectory& root, const std::string& then = "") {
  return fmt::format("echo \"${{PIPPIN_RUN_DIR##*/}}\" >>{}; echo '{{\"canary\":1}}'{}",
                     (root / "taken").string(), then);
}

ScriptRun with_canary(const std::string& name, const std::string& canary) {
  return {name, {}, "true", canary};
}

std::string first_line(const fs::path& file) {
  const std::string text = text_of_file(file);
  return text.substr(0, text.find(' '));
}

}  // namespace

TEST_CASE("one reading between two runs is the after of one and the before of the next") {
  const test::TemporaryDirectory root;
  const std::string canary = counting_canary(root);
  const fs::path script = write_script(
      root.path(), {with_canary("one", canary), with_canary("two", canary),
                    with_canary("three", canary + " # others"), with_canary("four", "")});
  run_program({"bash", script.string()});
  CHECK(text_of_file(root / "taken") == "1-local-0\n1-local-0\n1-local-0\n1-local-0\n1-local-0\n");
  SweepFolder folder(disk(), root.path());
  const auto attempt = [&](const std::string& run) { return folder.attempts(run).at(0); };
  CHECK(first_line(attempt("one").canary_before()) == "canary=1");
  CHECK(first_line(attempt("one").canary_after()) == "canary=2");
  CHECK(text_of_file(attempt("two").canary_before()) ==
        text_of_file(attempt("one").canary_after()));
  CHECK(first_line(attempt("two").canary_after()) == "canary=3");
  CHECK(first_line(attempt("three").canary_before()) == "canary=4");
  CHECK(first_line(attempt("three").canary_after()) == "canary=5");
  CHECK(text_of_file(attempt("four").canary_before()) == "(none)");
  CHECK_THAT(text_of_file(attempt("one").canary_before()),
             Catch::Matches("canary=1 taken=[0-9]+\n\\{\"canary\":1\\}\n"));
}

TEST_CASE("the jobs of an array that is run by hand share no reading") {
  const test::TemporaryDirectory root;
  const std::string canary = counting_canary(root);
  run_program({"bash", write_files(script_of(root.path(), {{"a", {with_canary("one", canary)}},
                                                           {"b", {with_canary("two", canary)}}}))
                           .string()});
  SweepFolder folder(disk(), root.path());
  CHECK(first_line(folder.attempts("one").at(0).canary_after()) == "canary=2");
  CHECK(first_line(folder.attempts("two").at(0).canary_before()) == "canary=3");
}

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

TEST_CASE("a canary does not put a finished run at risk when the time is nearly up") {
  const test::TemporaryDirectory root;
  ScriptRun run = with_canary("one", counting_canary(root));
  run.command = "kill -USR1 $$; sleep 0.1";
  CHECK(run_program({"bash", write_script(root.path(), {run}).string()}).exit_code == 0);
  const Attempt attempt = SweepFolder(disk(), root.path()).attempts("one").at(0);
  CHECK(attempt.exit_code == 0);
  CHECK(first_line(attempt.canary_before()) == "canary=1");
  CHECK(text_of_file(attempt.canary_after()) == "(none)");
}

TEST_CASE("a canary that fails is told once and leaves its run as it is") {
  const test::TemporaryDirectory root;
  const std::string canary = "echo no device; exit 14";
  const auto outcome = run_program(
      {"bash", write_script(root.path(), {with_canary("one", canary), with_canary("two", canary)})
                   .string()});
  CHECK(outcome.exit_code == 0);
  const auto told = outcome.output.find("a canary exits 14, which its runs do not mind: see ");
  REQUIRE(told != std::string::npos);
  CHECK(outcome.output.find("a canary", told + 1) == std::string::npos);
  SweepFolder folder(disk(), root.path());
  for (const std::string run : {"one", "two"}) {
    CAPTURE(run);
    const Attempt attempt = folder.attempts(run).at(0);
    CHECK(attempt.exit_code == 0);
    CHECK_THAT(text_of_file(attempt.canary_before()), Catch::EndsWith("\nno device\n\nexit=14\n"));
  }
  CHECK(first_line(folder.attempts("two").at(0).canary_before()) == "canary=3");  // one of its own
}

TEST_CASE("a canary that is not there fails no run") {
  const test::TemporaryDirectory root;
  const auto outcome = run_program(
      {"bash",
       write_script(root.path(), {with_canary("one", "/none/canary --seconds 5")}).string()});
  CHECK_THAT(outcome.output, Catch::Contains("a canary exits 127"));
  CHECK(SweepFolder(disk(), root.path()).attempts("one").at(0).exit_code == 0);
}

TEST_CASE("a canary that hangs is stopped and the job takes no more of them") {
  const test::TemporaryDirectory root;
  const std::string canary = counting_canary(root, "; sleep 60");
  JobScript job =
      script_of(root.path(), {{"job", {with_canary("one", canary), with_canary("two", canary)}}});
  job.canary = CanaryTime{1, 1};
  const auto outcome = run_program({"bash", write_files(job).string()});
  CHECK_THAT(outcome.output, Catch::Contains("no more canaries in this job"));
  CHECK(text_of_file(root / "taken") == "1-local-0\n");
  SweepFolder folder(disk(), root.path());
  CHECK(folder.attempts("one").at(0).exit_code == 0);
  CHECK(folder.attempts("two").at(0).exit_code == 0);
  CHECK_THAT(text_of_file(folder.attempts("one").at(0).canary_before()),
             Catch::Contains("stopped after 1 s\n\nexit=143\n"));
}

namespace {

constexpr int kLimit_s = 4;  // long enough for a command to begin beside a compiler

/// A run that is over its time after that, and one that goes on behind it.
std::vector<Attempt> attempts_of_stopped(const fs::path& root, const std::string& command,
                                         bool stalled = false, int grace_s = 1) {
  JobScript job = script_of(root, {{"job", {{"one", {}, command}, {"two", {}, "true"}}}});
  (stalled ? job.stalled_s : job.run_time_s) = kLimit_s;
  job.prolog = {fmt::format("pippin_grace={}", grace_s)};
  CHECK(run_program({"bash", write_files(job).string()}).exit_code == 0);
  SweepFolder folder(disk(), root);
  CHECK(folder.attempts("two").at(0).exit_code == 0);
  CHECK(failed_of(folder).count("one") == 1);
  return folder.attempts("one");
}

/// Whether a process works whose command line fits the expression, which does not fit itself.
bool works(const std::string& argument) {
  const auto outcome = run_program({"bash", "-c",
                                    "for p in /proc/[0-9]*; do\n"
                                    "  if tr '\\0' ' ' <$p/cmdline | grep -q '" +
                                        argument +
                                        "' && [ ${p#/proc/} != $$ ]; then echo found; fi\n"
                                        "done 2>/dev/null"});
  return outcome.output.find("found") != std::string::npos;
}

}  // namespace

TEST_CASE("a run over its run_time is stopped and the next goes on") {
  const test::TemporaryDirectory root;
  const auto attempt = attempts_of_stopped(root.path(), "printf 'step 7\\n\\n'; sleep 600").at(0);
  CHECK(attempt.exit_code == 124);
  CHECK(attempt.stopped == "run_time");
  CHECK(attempt.stopped_after_s == kLimit_s);
  CHECK_FALSE(attempt.interrupted);
  CHECK(attempt.last_line == "step 7");
  CHECK(text_of_file(attempt.log()) == "step 7\n\npippin: stopped (run_time after=4 s)\n");
  CHECK_THAT(
      text_of_file(attempt.directory / "run"),
      Catch::Contains(fmt::format("pippin: exit=124 ended={} started={} stopped=run_time after=4\n",
                                  *attempt.ended, *attempt.started)));
}

TEST_CASE(
    "a run that its job has no time to launch is not taken for the one that was stopped before "
    "it") {
  const test::TemporaryDirectory root;
  JobScript job =
      script_of(root.path(), {{"job", {{"one", {}, "sleep 600"}, {"two", {}, "true"}}}});
  job.run_time_s = kLimit_s;
  job.prolog = {"pippin_grace=1",
                "pippin_begins_on_node() { [ \"$run\" = one ] || kill -TERM $$; }"};
  run_program({"bash", write_files(job).string()});
  SweepFolder folder(disk(), root.path());
  CHECK(folder.attempts("one").at(0).stopped == "run_time");
  CHECK_FALSE(folder.attempts("two").at(0).done());
  CHECK(folder.attempts("two").at(0).interrupted);
}

TEST_CASE("a run that is stopped has not gone well, whatever it leaves") {
  const test::TemporaryDirectory root;
  const int grace_s = 60;  // which ends when the run does
  const auto attempt = attempts_of_stopped(
      root.path(), "trap 'echo saved; exit 0' TERM; sleep 600 & wait", false, grace_s)[0];
  CHECK(attempt.exit_code == 124);
  CHECK_THAT(text_of_file(attempt.log()), Catch::EndsWith("saved\n"));
}

TEST_CASE("a run that is stopped is told once and has its grace to save") {
  const test::TemporaryDirectory root;
  const std::string trainer =
      "trap \"echo told; told=1\" TERM; until [ -n \"$told\" ]; do sleep 0.1; done; "
      "sleep 3; echo saved";
  const std::string launch = GENERATE("", "setsid ");  // that leaves its process group
  const std::string command =
      fmt::format("{}bash -c '{}' >>\"$PIPPIN_RUN_DIR/saves\"", launch, trainer);
  const int grace_s = 60;  // which ends when the run does
  const auto attempt = attempts_of_stopped(root.path(), command, false, grace_s).at(0);
  CHECK(attempt.stopped == "run_time");
  CHECK(text_of_file(attempt.directory / "saves") == "told\nsaved\n");
}

TEST_CASE("a run whose log falls silent is stopped, and one that prints is not") {
  const test::TemporaryDirectory root;
  const auto attempt = attempts_of_stopped(root.path(),
                                           "for i in 1 2 3 4 5 6 7 8; do sleep 0.8; echo $i; done\n"
                                           "printf '50 %%\\r60 %%'; sleep 600",
                                           true)
                           .at(0);
  CHECK(attempt.stopped == "stalled");
  CHECK(attempt.last_line == "60 %");
  CHECK_THAT(text_of_file(attempt.log()), Catch::Contains("\n8\n50 %\r60 %\npippin: stopped ("));
}

TEST_CASE("a run that writes to the log of its sweep is not silent") {
  const auto [log, file] = GENERATE(table<std::string, std::string>(
      {{"train.log", "train.log"}, {"it's */log.{rank}", "it's one/log.3"}}));
  const test::TemporaryDirectory root;
  const std::string command = fmt::format(
      "cd \"$PIPPIN_RUN_DIR\"; mkdir -p \"it's one\"\n"
      "for i in 1 2 3 4 5 6 7 8; do sleep 0.8; echo $i >>\"{}\"; done; sleep 600",
      file);
  JobScript job = script_of(root.path(), {{"job", {{"one", {}, command}}}});
  job.stalled_s = kLimit_s;
  job.log = log;
  job.prolog = {"pippin_grace=1"};
  CHECK(run_program({"bash", write_files(job).string()}).exit_code == 0);
  const auto attempt = SweepFolder(disk(), root.path()).attempts("one").at(0);
  CHECK(attempt.stopped == "stalled");
  CHECK_THAT(text_of_file(attempt.directory / file), Catch::EndsWith("\n8\n"));
}

TEST_CASE("what has left a run's process group is stopped with it, also where it does not listen") {
  const test::TemporaryDirectory root;
  const auto mark = root.path().filename().string();
  const std::string command = fmt::format(
      "pippin_test_stays() {{ setsid bash -c \"$1\" {0} & }}\n"
      "stubborn=\"trap '' TERM; while :; do sleep 0.1; done\"\n"
      "pippin_test_stays \"$stubborn\"\n"
      "(setsid bash -c 'pippin_test=1; (bash -c \"$1\" {0} &) ; exit' _ \"$stubborn\" &)\n"
      "bash -c \"$stubborn\" {0}",
      mark);
  const auto attempt = attempts_of_stopped(root.path(), command).at(0);
  CHECK(attempt.stopped == "run_time");
  CHECK_FALSE(works("sleep 0[.]1; done " + mark));
}

TEST_CASE("a marker of a run that was stopped counts as done") {
  const test::TemporaryDirectory root;
  disk().write(root / "one/1-local-0/done", "exit=124 ended=1 stopped=stalled after=300\n");
  CHECK_THAT(
      run_program({"bash", write_script(root.path(), {{"one", {}, "true"}}).string()}).output,
      Catch::Contains("one is done already"));
  const auto attempts = SweepFolder(disk(), root.path()).attempts("one");
  CHECK(attempts.at(0).stopped == "stalled");
  CHECK(attempts.at(0).stopped_after_s == 300);
}

namespace {

/// Runs p1-a1, p2-a1, … of these commands in one job that gives up after 3 failures alike; how many
/// were launched.
std::size_t launched_of(const fs::path& root, const std::vector<std::string>& commands,
                        std::int64_t points = 2) {
  std::vector<ScriptRun> runs;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    runs.push_back({fmt::format("p{}-a1", points == 1 ? 1 : i + 1), {}, commands[i]});
    if (points == 1) runs.back().name = fmt::format("p-a{}", i + 1);
  }
  JobScript job = script_of(root, {{"job", runs}});
  job.give_up_after = 3;
  job.points = points;
  run_program({"bash", write_files(job).string()});
  SweepFolder folder(disk(), root);
  return succeeded_of(folder).size() + failed_of(folder).size();
}

}  // namespace

TEST_CASE("a program that is not there is not looked for a thousand times") {
  for (const std::string missing :
       {"no_such_program --mbs $RANDOM", "bash -c 'exit 126'",
        "echo \"ModuleNotFoundError: No module named 'megatron'\"; echo \"[rank$RANDOM] end\"; "
        "exit 1",
        "echo 'slurmstepd: error: execve(): train: No such file or directory'; exit 2"}) {
    CAPTURE(missing);
    const test::TemporaryDirectory root;
    CHECK(launched_of(root.path(), std::vector<std::string>(1000, missing)) == 3);
    const auto given_up = SweepFolder(disk(), root.path()).given_up();
    REQUIRE(given_up);
    CHECK(given_up->until == 1);
    CHECK(given_up->runs == std::vector<std::string>{"p1-a1", "p2-a1", "p3-a1"});
    CHECK_FALSE(given_up->host.empty());
    CHECK_FALSE(disk().exists(root / "alike"));
  }
}

TEST_CASE("what is seldom needed is found wherever a script was started, and means what it means") {
  const test::TemporaryDirectory root;
  JobScript job = script_of(root.path(), {{"job", {{"p-a1", {}, "no_such_program"}}}});
  job.give_up_after = 3;
  job.prolog = {"shopt -s expand_aliases", "alias printf=false mapfile=false"};
  const fs::path script = write_files(job);
  const fs::path away = root / "away.sh";
  fs::rename(script, away);
  CHECK(run_program({"bash", "-c", "cd \"$1\" && bash away.sh", "_", root.path().string()})
            .exit_code == 0);
  CHECK_THAT(text_of_file(root / "alike"),
             Catch::Contains("p-a1\t") && Catch::Contains("no_such_program: command not found"));
}

TEST_CASE("failures of a run's own, however alike, stop nothing") {
  for (const std::string failure :
       {"echo 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB'; exit 1",
        "echo 'cannot open shared object file'; echo 'std::bad_alloc'; exit 127",
        "echo 'AssertionError: 24 layers, 5 stages'; exit 1", "kill -9 $BASHPID",
        "echo ' iteration        7/      20 |'; echo 'No such file or directory'; exit 1"}) {
    CAPTURE(failure);
    const test::TemporaryDirectory root;
    CHECK(launched_of(root.path(), std::vector<std::string>(8, failure)) == 8);
    CHECK_FALSE(SweepFolder(disk(), root.path()).given_up());
  }
}

TEST_CASE("a run that ends otherwise, or another failure, lets failures count anew") {
  const std::string missing = "no_such_program";
  for (const std::string between : {"true", "exit 1", "no_other_program"}) {
    CAPTURE(between);
    const test::TemporaryDirectory root;
    CHECK(launched_of(root.path(), {missing, missing, between, missing, missing, between}) == 6);
  }
}

TEST_CASE("one point that fails alike stops nothing where there are others, else it does") {
  const test::TemporaryDirectory root;
  std::vector<ScriptRun> runs;
  for (int i = 1; i <= 6; ++i) runs.push_back({fmt::format("p-a1-r{}", i), {}, "no_such_program"});
  JobScript job = script_of(root.path(), {{"job", runs}});
  job.give_up_after = 3;
  job.points = 2;
  run_program({"bash", write_files(job).string()});
  CHECK(failed_of(SweepFolder(disk(), root.path())).size() == 6);
  const test::TemporaryDirectory alone;
  CHECK(launched_of(alone.path(), std::vector<std::string>(6, "no_such_program"), 1) == 3);
}

TEST_CASE("jobs end at once that others gave up before them, and later submissions do not") {
  const test::TemporaryDirectory root;
  JobScript job = script_of(root.path(), {{"job", {{"p-a1", {}, "true"}}}});
  job.give_up_after = 3;
  for (const std::int64_t until : {1, 0}) {
    disk().write(root / "given-up",
                 fmt::format("until={} after=1\nq-a1\tn1\tkind\tno such program\n", until));
    const auto outcome = run_program({"env", "SLURM_JOB_ID=7", "bash", write_files(job).string()});
    CHECK(outcome.exit_code == (until == 1 ? 1 : 0));
    CHECK(SweepFolder(disk(), root.path()).attempts("p-a1").size() == (until == 1 ? 0 : 1));
  }
}

TEST_CASE("a line of the prolog that fails ends the job with that line") {
  const test::TemporaryDirectory root;
  disk().write(root / "site.sh", "false\n[ -e /none ] && true\ntrue\n");  // its own affair
  JobScript job = script_of(root.path(), {{"job", {{"one", {}, "true"}}}});
  job.prolog = {"source " + (root / "site.sh").string(),
                "[ -e /none ] && echo there",
                "module() { return 1; }",
                "true | false || true",
                "module load cuda/13",
                "touch " + (root / "behind").string()};
  const auto outcome = run_program({"env", "SLURM_JOB_ID=7", "bash", write_files(job).string()});
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.output, Catch::Contains("the prolog's line 'module load cuda/13' exits 1"));
  CHECK_FALSE(disk().exists(root / "behind"));
  SweepFolder folder(disk(), root.path());
  CHECK(folder.attempts("one").empty());
  CHECK(folder.claims(submission_named(), {1}, {}).at(0).fault ==
        "the prolog's line 'module load cuda/13' exits 1");
}

TEST_CASE("a prolog that ends each job is given up") {
  const test::TemporaryDirectory root;
  JobScript job = script_of(root.path(), {{"job", {{"p-a1", {}, "true"}, {"q-a1", {}, "true"}}}});
  job.give_up_after = 3;
  job.points = 2;
  job.prolog = {"set -e", "false"};
  for (const char* id : {"7", "8", "9"}) {
    CHECK_FALSE(SweepFolder(disk(), root.path()).given_up());
    const auto job_id = std::string("SLURM_JOB_ID=") + id;
    CHECK(run_program({"env", job_id, "bash", write_files(job).string()}).exit_code == 1);
  }
  const auto given_up = SweepFolder(disk(), root.path()).given_up();
  REQUIRE(given_up);
  CHECK(given_up->evidence == "the prolog's line 'false' exits 1");
  CHECK_THAT(text_of(*given_up), Catch::StartsWith("3 runs in a row failed alike, all on "));
}

namespace {

/// A job of these commands, of other points, on a node of a name; what it printed.
std::string run_on(const fs::path& root, const std::string& nodes, const std::string& id,
                   const std::vector<std::string>& commands,
                   const std::vector<std::string>& prolog = {}) {
  std::vector<ScriptRun> runs;
  for (std::size_t i = 0; i < commands.size(); ++i)
    runs.push_back({fmt::format("p{}-{}-a1", id, i + 1), {}, commands[i]});
  JobScript job = script_of(root, {{"job", runs}});
  job.bad_node_after = job.give_up_after = 3;
  job.prolog = prolog;
  const std::string silent = (root / "bin").string();  // no Slurm that this machine may have
  disk().write(root / "bin/squeue", "#!/bin/sh\n");
  disk().write(root / "bin/scontrol", "#!/bin/sh\necho n1; echo n2\n");
  for (const char* program : {"squeue", "scontrol"})
    fs::permissions(root / "bin" / program, fs::perms::owner_all);
  return run_program({"env", "SLURM_JOB_ID=" + id, "SLURM_JOB_NODELIST=" + nodes,
                      fmt::format("PATH={}:{}", silent, std::getenv("PATH")), "bash",
                      write_files(job).string()})
      .output;
}

const std::string kBoom = "echo boom; exit 1";

std::optional<NodeMark> only_mark(const fs::path& root) {
  const auto marks = NodeFiles(disk(), root).marks();
  return marks.size() == 1 ? std::optional(marks[0]) : std::nullopt;
}

}  // namespace

TEST_CASE("a job on which run after run fails while others go on leaves its node") {
  const test::TemporaryDirectory root;
  // What goes on elsewhere must have ended since the first failure began.
  disk().write(root / "nodes/n2", "9999999999\tok\tq-a1\t1-1-0\t1\t\n");
  const std::string output =
      run_on(root.path(), "n1", "7", {kBoom, kBoom, kBoom, "touch " + (root / "ran").string()});
  CAPTURE(output);
  CHECK_THAT(output, Catch::Contains("n1 is a bad node: 3 runs in a row failed on it") &&
                         Catch::Contains("runs are left for other nodes"));
  CHECK_FALSE(disk().exists(root / "ran"));
  const auto mark = only_mark(root.path());
  REQUIRE(mark);
  CHECK(mark->bad);
  CHECK(mark->by == "job 7-0");
  CHECK(mark->events.size() == 3);
  CHECK(mark->events.back().words == "exit 1: boom");
  const auto histories = NodeFiles(disk(), root.path()).histories();
  REQUIRE(histories.size() == 2);
  CHECK(histories[0].events.back().kind == "left");
  CHECK(histories[0].events.back().task() == 1);
  CHECK(failed_of(SweepFolder(disk(), root.path())).size() == 3);
}

TEST_CASE("a job that begins on a bad node runs nothing, and one on other nodes does") {
  const test::TemporaryDirectory root;
  NodeFiles nodes(disk(), root.path());
  nodes.mark({"n1", true, 1, "alice", "noisy", {}});
  CHECK_THAT(run_on(root.path(), "n1", "7", {"true"}), Catch::Contains("n1 is a bad node"));
  CHECK_THAT(run_on(root.path(), "n[1-2]", "8", {"true"}), Catch::Contains("n1 is a bad node"));
  CHECK(succeeded_of(SweepFolder(disk(), root.path())).empty());
  CHECK_THAT(run_on(root.path(), "n3", "9", {"true"}), !Catch::Contains("bad node"));
  nodes.mark({"n1", false, 2, "alice", "", {}});
  CHECK_THAT(run_on(root.path(), "n1", "10", {"true"}), !Catch::Contains("bad node"));
  CHECK(succeeded_of(SweepFolder(disk(), root.path())).size() == 2);
}

TEST_CASE("where nothing ends well elsewhere no node is bad") {
  const test::TemporaryDirectory root;
  run_on(root.path(), "n1", "7", std::vector<std::string>(8, kBoom));
  CHECK_FALSE(only_mark(root.path()));
  CHECK(failed_of(SweepFolder(disk(), root.path())).size() == 8);
}

TEST_CASE("what lacks memory makes no node bad, and jobs of several nodes blame none") {
  const test::TemporaryDirectory root;
  disk().write(root / "nodes/n9", "9999999999\tok\tq-a1\t1-1-0\t1\t\n");
  run_on(root.path(), "n1", "7", std::vector<std::string>(5, "echo 'CUDA out of memory'; exit 1"));
  run_on(root.path(), "n[1-2]", "8", std::vector<std::string>(5, kBoom));
  CHECK_FALSE(only_mark(root.path()));
}

TEST_CASE("prologs that fail on one node alone make it bad, and nothing is given up") {
  const test::TemporaryDirectory root;
  disk().write(root / "nodes/n2", "9999999999\tok\tq-a1\t1-1-0\t1\t\n");
  for (const char* id : {"7", "8", "9"}) run_on(root.path(), "n1", id, {"true"}, {"false"});
  const auto mark = only_mark(root.path());
  REQUIRE(mark);
  CHECK(mark->events.back().words == "the prolog's line 'false' exits 1");
  CHECK_FALSE(SweepFolder(disk(), root.path()).given_up());
}

TEST_CASE("what fails alike on one node alone does not end the sweep") {
  const test::TemporaryDirectory root;
  disk().write(root / "nodes/n2", "9999999999\tok\tq-a1\t1-1-0\t1\t\n");
  run_on(root.path(), "n1", "7", std::vector<std::string>(8, "no_such_program"));
  CHECK_FALSE(SweepFolder(disk(), root.path()).given_up());
  CHECK(only_mark(root.path()));
  CHECK(failed_of(SweepFolder(disk(), root.path())).size() == 3);
}

TEST_CASE("a run ends when it ends and not when its canary has been taken") {
  const test::TemporaryDirectory root;
  run_program({"bash", write_script(root.path(), {with_canary("one", "sleep 1.2")}).string()});
  const Attempt attempt = SweepFolder(disk(), root.path()).attempts("one").at(0);
  const auto taken = text_of_file(attempt.canary_after());
  CHECK(*attempt.ended - *attempt.started <= 2);
  CHECK_THAT(taken, Catch::Contains(fmt::format(" taken={}", *attempt.ended)) ||
                        Catch::Contains(fmt::format(" taken={}", *attempt.ended + 1)));
}

TEST_CASE("a job starts no run that its time is too short for with its canaries") {
  for (const std::int64_t usual_s : {10, 40}) {
    CAPTURE(usual_s);
    const test::TemporaryDirectory root;
    // A queue that gives the job a minute and a half from now on.
    disk().write(root / "bin/squeue", "#!/bin/bash\necho $(($(date +%s) + 90))\n");
    fs::permissions(root / "bin/squeue", fs::perms::owner_all);
    JobScript job = script_of(
        root.path(), {{"job", {with_canary("one", "true"), with_canary("two", "true # others")}}});
    job.run_time_s = 50;
    job.canary = CanaryTime{usual_s, 60};
    run_program({"env", "SLURM_JOB_ID=7", "PATH=" + (root / "bin").string() + ":" + getenv("PATH"),
                 "bash", write_files(job).string()});
    SweepFolder folder(disk(), root.path());
    CHECK(folder.attempts("one").size() == 1);
    CHECK(folder.attempts("two").size() == (usual_s == 10 ? 1 : 0));  // 50 + 2 x 10 < 90
  }
}

namespace {

/// A queue on PATH that says `words`, and how often it was asked, with what.
struct FakeQueue {
  explicit FakeQueue(const std::string& words) {
    const std::string calls = (root / "calls").string();
    disk().write(root / "bin/squeue", "#!/bin/bash\necho \"$@\" >>" + calls + "\n" + words + "\n");
    fs::permissions(root / "bin/squeue", fs::perms::owner_all);
  }
  /// A job of five runs that may take a minute each.
  void run_five(const std::vector<std::string>& variables) const {
    JobScript job = script_of(root.path(), {{"job", {}}});
    for (const char* name : {"one", "two", "three", "four", "five"})
      job.tasks[0].runs.push_back({name, {}, "true"});
    job.run_time_s = 60;
    std::vector<std::string> command{"env",
                                     "PATH=" + (root / "bin").string() + ":" + getenv("PATH")};
    command.insert(command.end(), variables.begin(), variables.end());
    command.insert(command.end(), {"bash", write_files(job).string()});
    CHECK(run_program(command).exit_code == 0);
  }
  std::size_t done() const { return succeeded_of(SweepFolder(disk(), root.path())).size(); }
  std::string calls() const { return disk().read(root / "calls").value_or(""); }

  test::TemporaryDirectory root;
};

}  // namespace

TEST_CASE("a job asks Slurm for its end once, however many runs it has") {
  const std::string words =
      GENERATE("echo $(($(date +%s) + 3000))", "echo N/A", "exit 1", "echo $(($(date +%s) + 30))");
  const FakeQueue queue(words);
  queue.run_five({"SLURM_JOB_ID=7"});
  CHECK(queue.done() == (words.find("+ 30))") == std::string::npos ? 5 : 1));
  CHECK(queue.calls() == "--noheader --jobs=7 --format=%e\n");
}

TEST_CASE("a job that is told its end asks only where it is too near") {
  const FakeQueue queue("echo $(($(date +%s) + 3000))");
  const auto now = static_cast<std::int64_t>(std::time(nullptr));
  queue.run_five({"SLURM_JOB_ID=7", "SLURM_JOB_END_TIME=" + std::to_string(now + 3000)});
  CHECK(queue.done() == 5);
  CHECK(queue.calls().empty());
  const FakeQueue longer("echo $(($(date +%s) + 3000))");
  longer.run_five({"SLURM_JOB_ID=7", "SLURM_JOB_END_TIME=" + std::to_string(now + 30)});
  CHECK(longer.done() == 5);
  CHECK(longer.calls() == "--noheader --jobs=7 --format=%e\n");
}

TEST_CASE("the last task of an array, which has the array's id, asks for its own end") {
  const FakeQueue queue("echo $(($(date +%s) + 3000))");
  queue.run_five({"SLURM_JOB_ID=7", "SLURM_ARRAY_JOB_ID=7", "SLURM_ARRAY_TASK_ID=1"});
  CHECK(queue.calls() == "--noheader --jobs=7_1 --format=%e\n");
}

TEST_CASE("the probe's canary is launched as the point is and goes before the cluster's") {
  Sweep sweep = sweep_of("train");
  sweep.canary_s = 0.5;
  sweep.cluster.launch = "srun -n {ranks} -N {nodes}";
  sweep.cluster.gpus_per_node = 4;
  Point point = point_with({});
  point.layout.gpus = 16;
  const auto canary_of = [&] {
    return script_run(sweep, point, {"r", "", 1, 1}, 1, "/pro bes").canary;
  };
  CHECK(canary_of() ==
        "srun -n 16 -N 4 '/pro bes/canary' --seconds 0.5 --sizes-in \"$pippin_root\"");
  sweep.trainer.once = true;
  CHECK(canary_of() == "'/pro bes/canary' --seconds 0.5 --sizes-in \"$pippin_root\"");
  sweep.canary_s.reset();
  sweep.cluster.canary = "gemm -n {ranks}";
  CHECK(canary_of() == "gemm -n 16");
}

TEST_CASE(
    "a job that arrives after it was cancelled does nothing, and one begun by hand does all") {
  const test::TemporaryDirectory root;
  const fs::path script = write_script(root.path(), {{"one", {}, "true"}});
  disk().write(script.parent_path() / "cancelled", "");
  run_program({"env", "SLURM_JOB_ID=77", "bash", script.string()});
  SweepFolder folder(disk(), root.path());
  CHECK(folder.attempts("one").empty());
  run_program({"bash", script.string()});
  CHECK(folder.attempts("one").size() == 1);
}

TEST_CASE("every name that a command may use of a point has its value") {
  Sweep sweep = sweep_of(
      "{size} {layers} {tp} {gpus} {params} {ranks} {nodes} {ranks_per_node} {gpus_per_node} "
      "{iterations} {seed} {allocation} {repeat} {name} {own}");
  sweep.cluster.gpus_per_node = 4;
  sweep.iterations = 30;
  sweep.seed = 18446744073709551615u;
  Point point = point_with({{"own", value_of(std::string("5e8"))}});
  point.model.size = "52B";
  point.model.layers = 64;
  point.model.params = 19;
  point.layout.gpus = 9;
  const auto command_of = [&] { return script_run(sweep, point, {"r", "", 6, 7}, 5, "").command; };
  CHECK(command_of() == "52B 64 2 9 19 9 3 4 4 30 18446744073709551615 5 6 p 5e8");
  point.layout.gpus = 3;
  CHECK(command_of() == "52B 64 2 3 19 3 1 3 3 30 18446744073709551615 5 6 p 5e8");
  point.layout.gpus = 8;
  CHECK(command_of() == "52B 64 2 8 19 8 2 4 4 30 18446744073709551615 5 6 p 5e8");
  sweep.cluster.gpus_per_node = 1;
  CHECK(command_of() == "52B 64 2 8 19 8 8 1 1 30 18446744073709551615 5 6 p 5e8");
  sweep.cluster.gpus_per_node = 0;
  CHECK(command_of() == "52B 64 2 8 19 8 1 8 8 30 18446744073709551615 5 6 p 5e8");
}

TEST_CASE("a run's environment names it, and holds its values and those that are set") {
  Sweep sweep = sweep_of("train");
  sweep.cluster.env = {{"CLUSTER", "{tp}"}};
  sweep.env = {{"OWN", "<{reduce_bucket_size}>"}};
  const Point point = point_with({{"reduce_bucket_size", value_of(std::string("5e8"))}});
  const auto env = script_run(sweep, point, {"r", "", 1, 1}, 1, "").env;
  const auto value = [&](const std::string& name) {
    for (const auto& variable : env) {
      if (variable.first == name) return variable.second;
    }
    return std::string("(none)");
  };
  CHECK(value("PIPPIN_SWEEP") == "test");
  CHECK(value("PIPPIN_POINT") == "p");
  CHECK(value("PIPPIN_RUN") == "r");
  CHECK(value("PIPPIN_TP") == "2");
  CHECK(value("PIPPIN_REDUCE_BUCKET_SIZE") == "5e8");
  CHECK(value("CLUSTER") == "2");
  CHECK(value("OWN") == "<5e8>");
  sweep.env = {{"OWN", "{none}"}};
  CHECK_THROWS_WITH(script_run(sweep, point, {"r", "", 1, 1}, 1, ""),
                    "env: unknown placeholder '{none}'");
}

TEST_CASE("an unknown placeholder names a known one, and how braces stay") {
  CHECK_THROWS_WITH(
      script_run(sweep_of("train {lunch}"), point_with({}), {"r", "", 1, 1}, 1, ""),
      "command: unknown placeholder '{lunch}', did you mean 'launch'?; write '{{lunch}}' for "
      "braces that stay");
  CHECK(script_run(sweep_of("train {{lunch}} {run_dir}"), point_with({}), {"r", "", 1, 1}, 1, "")
            .command == "train {lunch} \"${PIPPIN_RUN_DIR}\"");
}

TEST_CASE("a probe that is to trace is told the folder of its run") {
  Sweep sweep;
  sweep.trainer.probe = "training";
  const auto command = [&] {
    return script_run(sweep, point_with({}), {"r", "", 1, 1}, 1, "/p").command;
  };
  CHECK(command() == "/p/training");
  sweep.trainer.traces = true;
  CHECK(command() == "/p/training --trace \"$PIPPIN_RUN_DIR\"/trace");
}

TEST_CASE("a canary runs on what its run is on") {
  Sweep sweep;
  sweep.trainer.probe = "training";
  sweep.canary_s = 2;
  CHECK(script_run(sweep, point_with({{"device", value_of(std::string("cu da"))}}), {"r", "", 1, 1},
                   1, "/p")
            .canary == "/p/canary --seconds 2 --device 'cu da' --sizes-in \"$pippin_root\"");
  CHECK(script_run(sweep, point_with({}), {"r", "", 1, 1}, 1, "/p").canary ==
        "/p/canary --seconds 2 --sizes-in \"$pippin_root\"");
}
