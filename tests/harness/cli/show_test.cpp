// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "tests/harness/cli/pippin.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using nlohmann::json;
using test::Call;
using test::Workplace;

namespace {

struct Measured : Workplace {
  Measured() {
    write("s.yaml", test::replay_sweep("where: [tp * pp < 4]\n"));
    REQUIRE(pippin("run s.yaml --quiet").exit_code == 0);
  }
  json shown(const std::string& words) const {
    const Call call = pippin("show --format json " + words);
    CAPTURE(call.err);
    REQUIRE(call.exit_code == 0);
    return json::parse(call.out);
  }
  std::string one_run() const { return sql("SELECT name FROM runs ORDER BY id LIMIT 1"); }
};

std::string line_of(const std::string& text, std::size_t number) {
  return std::string(split(text, '\n').at(number - 1));
}

}  // namespace

TEST_CASE("show says of a run where each of its figures stands") {
  const Measured here;
  const json run = here.shown(here.one_run());
  CHECK(run.at("kind") == "run");
  CHECK(run.at("run").at("state") == "ok");
  CHECK(run.at("run").at("of") == "campaign 1 of replayed");
  const std::string log = here.text(run.at("places").at("log").get<std::string>());
  const auto& left_out = run.at("left_out").at("left_out");
  REQUIRE_FALSE(left_out.empty());
  const std::string first = left_out[0].at("log_lines").get<std::string>();
  CHECK_THAT(line_of(log, std::stoul(first)), Contains("iteration        1/"));
  CHECK_THAT(left_out[0].at("why").get<std::string>(), Contains("start-up is in it"));
  const std::string id = std::to_string(run.at("run").at("number").get<int>());
  CHECK(std::to_string(run.at("step_time").at("steps").size()) ==
        here.sql("SELECT count(*) FROM iterations WHERE run = " + id));
  const auto mean = run.at("step_time").at("mean_s").get<double>();
  CHECK(mean == Approx(std::stod(here.sql(
                           "SELECT clean_mean_ms / 1000 FROM run_digests WHERE run = " + id)))
                    .epsilon(1e-6));
  CHECK(run.at("step_time").at("counted") ==
        std::stoi(here.sql("SELECT clean_lines FROM run_digests WHERE run = " + id)));
}

TEST_CASE("show puts a run beside those of its allocation and its repeats") {
  const Measured here;
  const json run = here.shown("replayed/" + here.one_run());
  const auto& repeats = run.at("repeats").at("runs");
  CHECK(repeats.size() == 3);
  const auto& neighbours = run.at("neighbours").at("runs");
  CHECK(std::to_string(neighbours.size()) ==
        here.sql("SELECT count(*) FROM runs WHERE allocation = (SELECT allocation FROM runs WHERE "
                 "name = '" +
                 here.one_run() + "')"));
  CHECK_THAT(here.pippin("show " + here.one_run()).out,
             Contains("of 3 runs of its point") && Contains(">"));
}

TEST_CASE("show knows a node of which there are only notes") {
  const Measured here;
  CHECK(here.pippin("nodes replayed --exclude n77 --because 'its GPU 3 is gone'").exit_code == 0);
  const Call call = here.pippin("show n77");
  CHECK(call.exit_code == 0);
  CHECK_THAT(call.out, Contains("says so: its GPU 3 is gone") && Contains("No run that counts"));
}

TEST_CASE("show knows points, sweeps, campaigns, tags and nodes by their names") {
  const Measured here;
  const std::string point = here.sql("SELECT name FROM points ORDER BY name LIMIT 1");
  const json of_point = here.shown(point);
  CHECK(of_point.at("kind") == "point");
  CHECK(of_point.at("rows").at("rows").at(0).at("of") == "replayed/1");
  CHECK(of_point.at("newest_first").at("runs").size() == 3);
  CHECK(here.shown(here.sql("SELECT id FROM points LIMIT 1")).at("kind") == "point");
  REQUIRE(here.pippin("tag replayed monday").exit_code == 0);
  for (const char* name : {"replayed", "replayed/1", "monday", "s.yaml"}) {
    const json sweep = here.shown(name);
    CHECK(sweep.at("kind") == "sweep");
    CHECK(sweep.at("campaigns").at("campaigns").size() == 1);
    CHECK(sweep.at("campaigns").at("campaigns").at(0).at("tags") == "monday");
  }
  const std::string node = here.sql("SELECT name FROM nodes");
  const json of_node = here.shown(node);
  CHECK(of_node.at("kind") == "node");
  CHECK(of_node.at("node").at("runs") == std::stoi(here.sql("SELECT count(*) FROM runs")));
}

TEST_CASE("show calls a row the best as run does, or says how many cannot be told from it") {
  const Workplace here;
  const std::string sweep =
      "sweep: s\nrepeats: {allocations: 3}\ngrid: {x: [1, 2, FAST]}\ncommand: |\n"
      "  for i in 1 2 3 4 5 6; do\n"
      "    echo \" iteration $i/6 | elapsed time per iteration (ms): $((1000 / ({x} / 2 + 1) + i % "
      "3)).5 |\"\n"
      "  done\n";
  const auto said = [&](const std::string& third) {
    std::string text = sweep;
    here.write("s.yaml", text.replace(text.find("FAST"), 4, third));
    const Call run = here.pippin("run s.yaml --quiet --again");
    CAPTURE(run.err);
    REQUIRE(run.exit_code == 0);
    return here.pippin("show s").out;
  };
  CHECK_THAT(said("4"), Contains("-x4 is the best."));
  CHECK_THAT(said("3"), Contains(" is in front, but one other cannot be told from it."));
}

TEST_CASE("show says what failed, what was dropped, and why") {
  Workplace here;
  here.write("s.yaml", test::replay_sweep("where: [tp * pp < 4]\n"));
  here.write(
      "bad.yaml",
      "sweep: bad\ncluster: local\ncommand: \"echo about to die; echo 'oh, no' >&2; exit 3\"\n"
      "grid: {mbs: [1]}\n");
  here.pippin("run bad.yaml --quiet");
  const std::string run = here.sql("SELECT name FROM runs");
  REQUIRE(here.pippin("drop " + run + " --because 'wrong image'").exit_code == 0);
  const Call call = here.pippin("show " + run);
  CHECK(call.exit_code == 0);
  CHECK_THAT(call.out, Contains("failed") && Contains("oh, no") && Contains("wrong image"));
  const Call sweep = here.pippin("show bad");
  CHECK_THAT(sweep.out, Contains("Runs that did not go well") && Contains("wrong image"));
  CHECK_THAT(sweep.out, Contains("bad/1: 0 of 1 point went well") || Contains("dropped"));
}

TEST_CASE("show tells that a log has changed, or is gone, and shows the rest") {
  Workplace here;
  std::string log = test::dump();
  for (int i = 1; i <= 6; ++i) log += test::row(i, 100 + i);
  here.write("a.log", log);
  REQUIRE(here.pippin("collect a.log").exit_code == 0);
  const Call whole = here.pippin("show 1");
  CHECK(whole.exit_code == 0);
  CHECK_THAT(whole.out, Contains("step times") && Contains("arguments"));
  here.write("a.log", log + test::row(7, 107));
  const Call grown = here.pippin("show 1");
  CHECK(grown.exit_code == 0);
  CHECK_THAT(grown.out, Contains("has changed since it was read") && Contains("mean"));
  fs::remove(here.path() / "a.log");
  const Call gone = here.pippin("show 1");
  CHECK(gone.exit_code == 0);
  CHECK_THAT(gone.out, Contains("The lines of its log are not told") && Contains("mean"));
}

TEST_CASE("show still reads where the figures of a packed run stand") {
  const Measured here;
  const json before = here.shown(here.one_run());
  REQUIRE(here.pippin("pack replayed").exit_code == 0);
  const json after = here.shown(here.one_run());
  CHECK(after.at("places").at("step_lines") == before.at("places").at("step_lines"));
}

TEST_CASE("a name that nothing has, or several things, is refused with what to say") {
  const Measured here;
  const auto complaint = [&](const std::string& words) {
    const Call call = here.pippin("show " + words);
    CHECK(call.exit_code == 2);
    CHECK(call.out.empty());
    return call.err;
  };
  CHECK_THAT(complaint("replayd"), Contains("did you mean 'replayed'?"));
  CHECK_THAT(complaint("replayed --as node"), Contains("no node is named 'replayed'"));
  CHECK_THAT(complaint("replayed --as rum"), Contains("did you mean 'run'?"));
  CHECK_THAT(complaint("replayed --format jason"), Contains("did you mean 'json'?"));
  REQUIRE(here.pippin("rename replayed " + here.sql("SELECT name FROM nodes")).exit_code == 0);
  const std::string both = here.sql("SELECT name FROM nodes");
  CHECK_THAT(complaint(both),
             Contains("is a sweep and a node; say which: --as sweep or --as node"));
  CHECK(here.shown(both + " --as node").at("kind") == "node");
  CHECK(here.shown(both + " --as sweep").at("kind") == "sweep");
}

TEST_CASE("show writes to a file that is named, and nothing to the terminal that would steer it") {
  Workplace here;
  here.write("a\x1b[31m.log", test::dump() + test::row(1, 101) + test::row(2, 102));
  REQUIRE(here.pippin("collect .").exit_code == 0);
  REQUIRE(here.pippin("note 1 \"$(printf 'red \\033[31m')\"").exit_code == 0);
  const Call call = here.pippin("show 1");
  CHECK(call.exit_code == 0);
  CHECK_THAT(call.out, !Contains("\x1b[31m") && Contains("\\x1b[31m"));
  const Call written = here.pippin("show 1 --format json -o run.json");
  CHECK(written.exit_code == 0);
  CHECK(written.out.empty());
  CHECK(json::parse(here.text("run.json")).at("kind") == "run");
}
