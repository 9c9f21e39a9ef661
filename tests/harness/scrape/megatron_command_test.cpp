// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/megatron_command.h"

#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using test::dump;
using test::only_run;
using test::row;

namespace {

const std::string kCommand =
    "+ torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 24 --hidden-size=2048 "
    "--num-attention-heads 32 --seq-length 4096 --micro-batch-size 4 --global-batch-size 1008 "
    "--tensor-model-parallel-size 2 --swiglu --data-path 0.5 a 0.5 'b' --bf16\n";

}  // namespace

TEST_CASE("without a dump the command that a shell wrote into the log is that of the launch") {
  const LogRun run = only_run(kCommand + row(1, 100));
  CHECK(run.point.model.layers == 24);
  CHECK(run.point.model.hidden == 2048);
  CHECK(run.point.model.seq == 4096);
  CHECK(run.point.model.style == "llama");
  CHECK(run.point.layout.mbs == 4);
  CHECK(run.point.layout.gbs == 1008);
  CHECK(run.point.layout.tp == 2);
  CHECK(find_value(run.derived, "arguments")->text == "the command in the log");
  CHECK(find_value(run.arguments, "data_path")->text == "0.5 a 0.5 b");
  CHECK_FALSE(find_value(run.arguments, "nproc_per_node"));
}

TEST_CASE("a command counts nothing beside a dump, and each launch has its own") {
  const LogRun dumped = only_run(kCommand + dump() + row(1, 100));
  CHECK(dumped.point.model.layers == 2);
  CHECK_FALSE(find_value(dumped.derived, "arguments"));
  std::string other = kCommand;
  other.replace(other.find("layers 24"), 9, "layers 48");
  const std::string log = kCommand + row(1, 100) + row(2, 100) + other + row(1, 90);
  const auto runs = scrape_parts([&](const auto& take) { take(log); }).runs;
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].point.model.layers == 24);
  CHECK(runs[1].point.model.layers == 48);
}

TEST_CASE("a command with variables, that goes on below or is a comment tells nothing") {
  for (const std::string line :
       {"python pretrain_gpt.py --num-layers $LAYERS --hidden-size 64 --micro-batch-size 4",
        "python pretrain_gpt.py --num-layers 2 --hidden-size 64 --micro-batch-size 4 \\",
        "# python pretrain_gpt.py --num-layers 2 --hidden-size 64 --micro-batch-size 4",
        "usage: --num-layers 2 --hidden-size 64 --micro-batch-size 4"}) {
    CAPTURE(line);
    CHECK(arguments_of_command(line).empty());
  }
}
