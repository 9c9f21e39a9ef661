// SPDX-License-Identifier: Apache-2.0
// Jobs on nodes where run after run fails.
#include <cstdlib>
#include <fmt/format.h>
#include <optional>

#include "core/base/process.h"
#include "core/jobs/node_files.h"
#include "tests/core/jobs/job_scripts.h"
#include "tests/support/catch.h"
#include "tests/support/left_by_jobs.h"
#include "tests/support/temporary.h"

using namespace pippin;
using test::failed_of;
using test::script_of;
using test::succeeded_of;
using test::write_files;

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
