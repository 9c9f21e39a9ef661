// SPDX-License-Identifier: Apache-2.0
// What a run is told: its command, its environment, its canary.
#include <fmt/format.h>

#include "core/base/process.h"
#include "tests/core/jobs/job_scripts.h"
#include "tests/support/catch.h"
#include "tests/support/nasty.h"
#include "tests/support/temporary.h"

using namespace pippin;
using test::text_of_file;
using test::write_script;

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

}  // namespace

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
