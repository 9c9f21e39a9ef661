// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/jobs/node_files.h"
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::Call;
using test::Workplace;

namespace {

struct Measured : Workplace {
  Measured() {
    write("s.yaml", test::replay_sweep("where: [tp * pp < 4]\n"));
    REQUIRE(pippin("run s.yaml --quiet").exit_code == 0);
  }
  nlohmann::json nodes(const std::string& words) const {
    const Call call = pippin("nodes --format json " + words);
    CAPTURE(call.err);
    REQUIRE(call.exit_code == 0);
    return nlohmann::json::parse(call.out).at("nodes");
  }
};

}  // namespace

TEST_CASE("nodes lists where runs were, and what a person says of it") {
  const Measured here;
  const auto before = here.nodes("replayed");
  REQUIRE(before.size() == 1);
  CHECK(before[0].at("runs") == std::stoi(here.sql("SELECT count(*) FROM runs")));
  CHECK(before[0].at("runs_not_ok") == 0);
  const std::string name = before[0].at("node");

  const Call judged = here.pippin("nodes --exclude 'x[1-2]' --because 'GPU 3 is gone' replayed");
  CHECK(judged.exit_code == 0);
  CHECK_THAT(judged.err, Contains("x1, x2: no run is launched there any more"));
  const auto after = here.nodes("");
  REQUIRE(after.size() == 3);
  CHECK(after[0].at("node") == "x1");
  CHECK(after[0].at("state") == "bad");
  CHECK_THAT(after[0].at("because").get<std::string>(), Contains("says so: GPU 3 is gone"));
  CHECK(after[2].at("node") == name);
  CHECK_THAT(here.pippin("nodes").out, Contains("x1 is bad: "));
  CHECK_THAT(here.pippin("status replayed").out, Contains("bad nodes"));

  CHECK(here.pippin("nodes --allow x1,x2 replayed").exit_code == 0);
  CHECK_THAT(here.pippin("nodes").out, !Contains("is bad") && Contains("allowed"));
}

TEST_CASE("a launch that failed on a node counts there though it was run again elsewhere") {
  const Measured here;
  disk().write(here.path() / "t.db.runs/replayed/nodes/n1",
               "100\tfailed\tp-a1\t1-7-0\t1\texit 1: boom\n");
  const auto nodes = here.nodes("replayed");
  REQUIRE(nodes.size() == 2);
  const auto& failing = nodes[nodes[0].at("node") == "n1" ? 0 : 1];
  CHECK(failing.at("node") == "n1");
  CHECK(failing.at("failed_launches") == 1);
}

TEST_CASE("a node that died under runs says so, whoever judges it") {
  const Measured here;
  const fs::path folder = here.path() / "t.db.runs/replayed";
  for (const char* run : {"p-a1", "q-a1"})
    NodeFiles(disk(), folder).add_lost("n1", {100, "lost", run, "1-7", 0, "NODE_FAIL on n1"});
  const auto nodes = here.nodes("");
  REQUIRE(nodes.size() == 2);
  const auto& dead = nodes[nodes[0].at("node") == "n1" ? 0 : 1];
  CHECK(dead.at("because") == "the scheduler says that it failed under 2 runs");
  CHECK(dead.at("failed_launches") == 2);
  here.pippin("nodes --exclude n1 --because 'its board is old' replayed");
  CHECK_THAT(here.nodes("")[0].at("because").get<std::string>(),
             Contains("failed under 2 runs; ") && Contains("its board is old"));
}

TEST_CASE("a judgement without a reason, a node or a sweep says what is missing") {
  const Measured here;
  const auto complaint = [&](const std::string& words) {
    const Call call = here.pippin(words);
    CHECK(call.exit_code == 2);
    return call.err;
  };
  CHECK_THAT(complaint("nodes --exclude n1 replayed"), Contains("--because"));
  CHECK_THAT(complaint("nodes --exclude 'n[' --because x replayed"), Contains("names of nodes"));
  CHECK_THAT(complaint("nodes --exclude n1 --allow n2 --because x"), Contains("name one of them"));
  CHECK_THAT(complaint("nodes --allow n1 nowhere"), Contains("no sweep"));
  CHECK_THAT(complaint("run s.yaml --exclude n1"), Contains("only Slurm"));
  CHECK_THAT(complaint("run s.yaml --bad-node-after -1"), Contains("--bad-node-after"));
}
