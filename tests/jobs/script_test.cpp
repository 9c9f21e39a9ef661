#include "harness/jobs/script.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/process.h"
#include "harness/jobs/protocol.h"
#include "tests/support/nasty.h"
#include "tests/support/temporary.h"

using namespace pippin;

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
  if (!files.tasks.empty()) disk().write(folder.tasks_file(submission_named()), files.tasks);
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
  CHECK_THAT(text_of_file(one[0].directory / "command"), Catch::Contains("echo one $X"));
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
          text + "<end>" + text + "<end>" + text + "<end>2<end>");
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
  CHECK(counted(SweepFolder(disk(), root.path()).attempts("one"))->exit_code == 0);
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
  CHECK(folder.outcomes().succeeded.count("two") == 1);
  CHECK(folder.outcomes().failed.count("one") == 1);
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
  CHECK(counted(folder.attempts("sick"))->name == "1-7-1");
  CHECK(counted(folder.attempts("worse"))->exit_code == 0);
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
