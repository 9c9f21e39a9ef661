// SPDX-License-Identifier: Apache-2.0
// Numbers in logs that no count can be: what they stand for is not known.
#include <string>

#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

namespace {

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("more parameters than can be counted are none of MaxText's") {
  const std::string log = changed(excerpt("maxtext.log"), "15.933 billion", "1e300 billion");
  const LogRun run = only_run(log);
  CHECK_FALSE(run.point.model.params);
  CHECK(find_value(run.arguments, "number parameters")->text == "1e300 billion");
}

TEST_CASE("a mesh of MaxText that has more devices than can be counted is no layout") {
  for (const std::string size : {"1e300", "9007199254740991", "1.5"}) {
    const std::string log = changed(changed(excerpt("maxtext.log"), "ici_tensor_parallelism: 2",
                                            "ici_tensor_parallelism: " + size),
                                    "dcn_tensor_parallelism: 1", "dcn_tensor_parallelism: 2");
    CHECK_FALSE(only_run(log).point.layout.tp);
  }
}

TEST_CASE("an override of nanoGPT that is no count is a fact and no batch") {
  for (const std::string size : {"1e300", "12.5"}) {
    const LogRun run =
        only_run(changed(excerpt("nanogpt.log"), "batch_size = 12", "batch_size = " + size));
    CHECK_FALSE(run.point.layout.mbs);
    CHECK(find_value(run.arguments, "batch_size")->text == size);
  }
}

TEST_CASE("a batch of nanotron that is near a power of two beyond all counts is none") {
  const LogRun run = only_run(
      "10/17/2025 16:31:56 [INFO|DP=0|PP=0|TP=0]: iteration: 1 / 100 | consumed_tokens: 1.05M "
      "| elapsed_time_per_iteration_ms: 9.5K | tokens_per_sec: 110K | tokens_per_sec_per_gpu: 6.9K "
      "| global_batch_size: 1.34e300 | lm_loss: 11\n");
  CHECK_FALSE(run.point.layout.gbs);
}

TEST_CASE("a sink of MindFormers of 2023 that has more steps than can be counted says nothing") {
  const std::string place =
      "[INFO] 2023-07-11 10:48:37,162 [/root/mindformers/core/callback/callback.py:269] ";
  const std::string log =
      place +
      "print_output_info: Epoch:[  1/  1], step:[  116/  125], loss:[2.220/2.220], time:1951.612 "
      "ms, lr:[2.4499998e-06], overflow cond: False, loss_scale: 16384.0\n" +
      place +
      "epoch_end: Per sink_size step time: 1e300 ms, per step time: 490.979 ms, avg loss: 2.220\n";
  for (const auto& run : scrape_parts([&](const auto& take) { take(log); }).runs)
    for (const auto interval : intervals_of(run)) CHECK(interval == 1);
}

TEST_CASE("a rate of Hugging Face that would be of more steps than can be counted tells none") {
  const std::string log = "{'train_runtime': 1e200, 'train_steps_per_second': 1e100}\n";
  CHECK(scrape_parts([&](const auto& take) { take(log); }).runs.empty());
}

TEST_CASE("an event of MLPerf whose time is none does not say when the run began") {
  const LogRun run = only_run(changed(excerpt("mlperf.log"), "1715848254167", "1e300"));
  CHECK(run.started_at.value_or(0) > 1715848254);  // when its first block ended
}

TEST_CASE("a file of torchtune's checkpoint that is larger than can be counted has no size") {
  const std::string step =
      " | loss:6.40 lr:5e-07 time_per_step_s:70.2 tokens_per_second_per_gpu:27\n";
  const LogRun run =
      only_run("Step 1" + step + "Model checkpoint of size 1e300 GB saved to /x/a.pt\n" +
               "Saving checkpoint took 3.5 secs\n" + "Step 2" + step);
  REQUIRE(run.checkpoints.size() == 1);
  CHECK_FALSE(run.checkpoints[0].bytes);
}
