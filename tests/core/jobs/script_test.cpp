// SPDX-License-Identifier: Apache-2.0
#include "core/jobs/script.h"

#include <fmt/format.h>

#include "core/base/mount.h"
#include "core/base/process.h"
#include "tests/core/jobs/job_scripts.h"
#include "tests/support/catch.h"
#include "tests/support/left_by_jobs.h"
#include "tests/support/skip.h"
#include "tests/support/temporary.h"

using namespace pippin;
using test::failed_of;
using test::script_of;
using test::submission_named;
using test::succeeded_of;
using test::text_of_file;
using test::write_files;
using test::write_script;

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

TEST_CASE("on a node without the folder a job ends by a signal, as if the node had died") {
  const test::TemporaryDirectory root;
  JobScript job = script_of(root.path(), {{"job", {{"p-a1", {}, "true"}}}});
  job.directory = root / "go ne";
  const fs::path script = write_files(job);
  constexpr int kKilled = 128 + 9;
  const auto ended = run_program({"bash", script.string()});
  CHECK(ended.exit_code == kKilled);
  CHECK_THAT(ended.output, Catch::Contains("cannot enter " + (root / "go ne").string() + " on "));
  CHECK(SweepFolder(disk(), root.path()).attempts("p-a1").empty());
}

TEST_CASE(
    "so does a job on a node that may only read the folder, and a full disk is no fault of a "
    "node") {
  const test::TemporaryDirectory root;
  const std::string folder = root.path().string();
  const auto run_on = [&](const std::string& mount, const std::vector<ScriptRun>& runs) {
    const fs::path script = write_script(root.path(), runs);
    // The same files: seen read-only, or beside a disk without room.
    return run_program({"unshare", "--map-root-user", "--mount", "env", "SLURM_JOB_ID=7", "bash",
                        "-c", mount + " && exec bash \"$1\"", "-", script.string()});
  };
  if (run_program({"unshare", "--map-root-user", "--mount", "true"}).exit_code != 0)
    return test::skip("nothing can be mounted here");
  constexpr int kKilled = 128 + 9, kFull = 3;
  const std::string read_only =
      "mount --bind " + folder + " " + folder + " && mount -o remount,ro,bind " + folder;
  const std::vector<ScriptRun> one{{"one", {}, "true"}};
  const auto alone = run_on(read_only, one);
  CHECK(alone.exit_code == kKilled);
  CHECK_THAT(alone.output, Catch::Contains("cannot write " + folder + "/one/1-7-0 on "));
  CHECK(run_on(read_only, {{"one", {}, "true"}, {"two", {}, "true"}}).exit_code == kKilled);
  fs::create_directory(root / "one");
  const auto full = run_on("mount -t tmpfs -o nr_inodes=1 none " + folder + "/one", one);
  CHECK(full.exit_code == kFull);
  CHECK_THAT(full.output, Catch::Contains("is the disk full?"));
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

TEST_CASE("the key by which a job was submitted reaches no run and no record") {
  const test::TemporaryDirectory root;
  const fs::path script =
      write_script(root.path(), {{"one", {}, "echo \"<${SLURM_JWT-}> <$SLURM_MPI_TYPE>\""}});
  run_program({"env", "SLURM_JOB_ID=7", "SLURM_JWT=secret", "SLURM_MPI_TYPE=pmix", "bash",
               script.string()});
  SweepFolder folder(disk(), root.path());
  const auto attempts = folder.attempts("one");
  REQUIRE(attempts.size() == 1);
  CHECK(text_of_file(attempts[0].log()) == "<> <pmix>\n");
  CHECK_THAT(folder.provenance(submission_named(), attempts[0]),
             Catch::Contains("SLURM_MPI_TYPE=pmix") && !Catch::Contains("secret"));
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

namespace {

/// As slurmstepd does it, but for the seconds between: first SIGTSTP, which the script may take.
const char* const kSuspend =
    "setsid bash -c \"kill -TSTP $$; sleep 0.2; kill -STOP $$; sleep 1; kill -CONT $$\"";

}  // namespace

TEST_CASE("of a run whose job is suspended it is noted, and not of the next") {
  const test::TemporaryDirectory root;
  run_program({"bash", write_script(root.path(), {{"one", {}, kSuspend},
                                                  {"two", {}, "kill -CONT $$; sleep 0.2"}})
                           .string()});
  SweepFolder folder(disk(), root.path());
  const auto one = folder.attempts("one"), two = folder.attempts("two");
  CHECK(one.at(0).exit_code == 0);
  CHECK(one.at(0).suspended);
  CHECK(two.at(0).exit_code == 0);
  CHECK_FALSE(two.at(0).suspended);
}

TEST_CASE("a job that is suspended while its canary runs drops that reading, and fails no run") {
  const test::TemporaryDirectory root;
  JobScript job = script_of(root.path(), {{"job", {{"one", {}, "true"}, {"two", {}, "true"}}}});
  for (auto& run : job.tasks.front().runs) run.canary = kSuspend;
  run_program({"bash", write_files(job).string()});
  SweepFolder folder(disk(), root.path());
  for (const char* name : {"one", "two"}) {
    const auto attempts = folder.attempts(name);
    CHECK(attempts.at(0).exit_code == 0);
    CHECK_FALSE(attempts.at(0).suspended);
    CHECK_THAT(text_of_file(attempts.at(0).canary_after()), Catch::Contains("\nexit=148\n"));
  }
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
