// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using test::argument;
using test::only_run;
using test::row;

namespace {

std::string bare_dump(const std::string& arguments) {
  return "-------------------- arguments --------------------\n" + arguments +
         "---------------- end of arguments ----------------\n";
}

std::string neox_row(int ms) {
  return fmt::format(
      " samples/sec: 36.917 | iteration       10/   11000 | elapsed time per iteration (ms): {}.3 "
      "| "
      "learning rate: 1.364E-04 | lm_loss: 1.138677E+01 | number of skipped iterations:   0 | "
      "number of nan iterations:   0 |\n",
      ms);
}

}  // namespace

TEST_CASE("GPT-NeoX says its GPUs behind the dump, which has those that were asked for") {
  const std::string asked = argument("global_num_gpus", "4") + argument("train_batch_size", "72") +
                            argument("train_micro_batch_size_per_gpu", "18") +
                            argument("gas", "1") + argument("model_parallel_size", "1") +
                            argument("pipe_parallel_size", "0");
  const std::string said =
      "NeoXArgs.configure_distributed_args() using world size: 2 and model-parallel size: 1 \n";
  const auto runs =
      scrape(bare_dump(asked) + said + neox_row(1950) + bare_dump(asked) + neox_row(1560));
  REQUIRE(runs.size() == 2);
  const Layout ran = runs[0].point.layout, unsaid = runs[1].point.layout;
  CHECK(ran.gpus == 2);
  CHECK(ran.dp == 2);
  CHECK(ran.gbs == 36);
  CHECK(unsaid.gpus == 4);
  CHECK(unsaid.gbs == 72);
}

TEST_CASE("GPT-NeoX says its precision by a word or by what it enables") {
  const auto name = [](const std::string& said) {
    return only_run(bare_dump(argument("num_layers", "12") + said) + row(1, 1)).point.name;
  };
  const auto ends = [&](const std::string& said, const std::string& end) {
    return name(said).ends_with(end);
  };
  CHECK(ends(argument("precision", "bfloat16") + argument("fp16", "None"), "-bf16"));
  CHECK(ends(argument("bf16", "{'enabled': True}") + argument("fp16", "None"), "-bf16"));
  CHECK(ends(argument("fp16", "{'enabled': True, 'type': 'bfloat16'}"), "-bf16"));
  CHECK(ends(argument("precision", "fp32") + argument("fp16", "None"), "-fp32"));
  CHECK(!ends(argument("fp16", "{'enabled': True, 'loss_scale': 0}"), "-fp32"));
}
