// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

TEST_CASE("MindFormers counts its steps in each epoch anew") {
  const LogRun run = only_run(excerpt("mindformers.log"));
  CHECK(run.point.trainer == "mindformers");
  CHECK(steps_of(run) == std::vector<std::int64_t>{1, 2, 3, 4});
  CHECK(times_of(run) == std::vector<double>{103328, 1752, 1751, 1750});
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst, 0, kSkippedStep, 0});
  CHECK(run.resolution_ms == 1);
  CHECK(run.iterations.at(1).lm_loss == 10.633);
  CHECK(run.iterations.at(1).learning_rate == 1e-5);
  CHECK(find_value(run.iterations.at(1).other, "TFLOP/s/NPU")->number == 170.738);
  CHECK(run.nan_from == 4);
  CHECK(run.planned_iterations == 4);
  CHECK(run.end == RunState::kOk);
  CHECK(run.point.layout.tp == 4);
  CHECK(run.point.layout.gpus == 8);
}

TEST_CASE("MindFormers of 2026 has no epochs") {
  const LogRun run = only_run(
      "{ step:[    1/   10], loss:  11.813965, per_step_time:  13570ms, load_balancing_loss:   "
      "1.093977, lr: 1.000000e-05, grad_norm:  13.831877, throughput:   1.36T }\n"
      "{ step:[    2/   10], loss:  11.755612, per_step_time:    710ms, load_balancing_loss:   "
      "1.106543, lr: 1.000000e-05, grad_norm:  19.926786, throughput:  25.92T }\n");
  CHECK(times_of(run) == std::vector<double>{13570, 710});
  CHECK(run.iterations.at(1).lm_loss == 11.755612);
  CHECK(run.iterations.at(1).grad_norm == 19.926786);
  CHECK_FALSE(run.end);
}

TEST_CASE("of MindFormers' two losses the step's own counts") {
  const LogRun run = only_run(
      "{ Epoch:[  1/  2], step:[    2/   19], loss:[10.633/10.641], per_step_time: 1752ms, lr: "
      "1e-05, overflow cond: False, loss_scale: 1.0\n");
  CHECK(run.iterations.at(0).lm_loss == 10.633);
}

TEST_CASE("a step that MindFormers left out for its gradients is flagged, also in a cut line") {
  const LogRun run = only_run(
      "- INFO - { Epoch:[  1/  2], step:[    1/ 6500], loss: 0.000, per_step_time: 166756ms, lr: "
      "0.0, overflow cond: False, loss_scale: 1.0, global_norm: [44.313248], "
      "train_throughput_per_npu: 2.849T\n"
      "- INFO - { Epoch:[  1/  2], step:[    2/ 6500], loss: 0.000, per_step_time: 7637ms, lr: "
      "0.0, "
      "overflow cond: False, loss_scale: 1.0, global_norm: [47.329006], train_throughput_per_npu: "
      "62.211T\n"
      "- INFO - opt_global_step: 0, skip_data_grad_norm_threshold: 3.0, is_skip: [ True]\n"
      "ValueError: Current global norm [47.329006] of step 2 has been 2 consecutive times greater "
      "than threshold 3.0, stop training...\n");
  CHECK(times_of(run) == std::vector<double>{166756, 7637});
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst, kSkippedStep});
  CHECK(run.end == RunState::kFailed);
}

namespace {

const std::string kOldPlace =
    "[INFO] 2023-07-11 10:48:37,162 [/root/mindformers/core/callback/callback.py:269] ";

std::string old_step(int step, const char* ms) {
  return kOldPlace + "print_output_info: Epoch:[  1/  1], step:[  " + std::to_string(step) +
         "/  125], loss:[2.220/2.220], time:" + ms +
         " ms, lr:[2.4499998e-06], overflow cond: False, loss_scale: 16384.0\n";
}

}  // namespace

TEST_CASE("MindFormers of 2023 tells the time of a sink's steps") {
  const std::string sink = kOldPlace +
                           "epoch_end: Per sink_size step time: 1963.915 ms, per step time: "
                           "490.979 ms, avg loss: 2.220\n";
  const LogRun run = only_run(old_step(116, "1951.612") + sink + old_step(120, "1953.753") + sink);
  CHECK(steps_of(run) == std::vector<std::int64_t>{116, 120});
  CHECK(times_of(run)[1] == Approx(1953.753 / 4));
  CHECK(intervals_of(run) == std::vector<std::int64_t>{4, 4});
  CHECK(run.iterations.at(0).lm_loss == 2.22);
  CHECK(*run.iterations.at(0).learning_rate == Approx(2.45e-6));
}

TEST_CASE("without a sink a line of MindFormers of 2023 is of one step, where that can be known") {
  const LogRun run = only_run(old_step(7, "501.5") + old_step(8, "502.5") + old_step(9, "503.5"));
  CHECK(times_of(run) == std::vector<double>{501.5, 502.5, 503.5});
  const std::string apart = old_step(10, "1951.6") + old_step(20, "1953.7");
  const Scraped found = scrape_parts([&](const auto& take) { take(apart); });
  CHECK(found.runs.empty());
  REQUIRE(found.unused.size() == 1);
  CHECK(found.unused[0].reason == "nothing says of how many steps its time is");
}

TEST_CASE("ranks of MindFormers of 2023 whose lines are mixed each have their own sink") {
  const auto sink = [](const char* sink_ms, const char* step_ms) {
    return kOldPlace + "Per sink_size step time: " + sink_ms + " ms, per step time: " + step_ms +
           " ms, avg loss: 2.220\n";
  };
  const LogRun run = only_run("0: " + old_step(4, "2000.0") + "1: " + old_step(4, "2100.0") +
                              "0: " + sink("2000.0", "500.0") + "1: " + sink("2100.0", "525.0"));
  CHECK(steps_of(run) == std::vector<std::int64_t>{4});
  CHECK(times_of(run) == std::vector<double>{525});
  CHECK(find_value(run.iterations.at(0).other, "ranks")->number == 2);
}

TEST_CASE("ranks of MindFormers of 2023 whose lines are mixed each have their own last step") {
  std::string log;
  for (const int step : {1, 2, 3})
    log += "0: " + old_step(step, "500.0") + "1: " + old_step(step, "600.0");
  const Scraped found = scrape_parts([&](const auto& take) { take(log); });
  CHECK(found.unused.empty());
  REQUIRE(found.runs.size() == 1);
  CHECK(times_of(found.runs[0]) == std::vector<double>{600, 600, 600});
}

TEST_CASE("a step that MindFormers left out is that of the rank that says so") {
  const auto step = [](int rank, int number) {
    return std::to_string(rank) + ": - INFO - { Epoch:[  1/  1], step:[    " +
           std::to_string(number) +
           "/  125], loss: 2.092, per_step_time: 500ms, lr: 2.55e-06, overflow cond: False, "
           "loss_scale: 16384.0\n";
  };
  const LogRun run = only_run(
      step(0, 1) + step(1, 1) + step(0, 2) + step(0, 3) + step(1, 2) +
      "1: - INFO - opt_global_step: 1, skip_data_grad_norm_threshold: 3.0, is_skip: [ True]\n");
  CHECK(steps_of(run) == std::vector<std::int64_t>{1, 2, 3});
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst, kSkippedStep, 0});
}

TEST_CASE("a sink's line of MindFormers of 2023 that has no mean loss is told like the others") {
  const auto line = [](int step, const char* ms) {
    return "print_output_info: Epoch:[  1/  2], step:[    " + std::to_string(step) +
           "/29134], loss: 0.744, time:" + ms +
           " ms, lr:8e-08, overflow cond: False, loss_scale: 128.0\n";
  };
  const Scraped found = scrape_parts([&](const auto& take) { take(line(2, "68580.279")); });
  CHECK(found.runs.empty());
  REQUIRE(found.unused.size() == 1);
  CHECK(found.unused[0].reason == "nothing says of how many steps its time is");
  const LogRun run =
      only_run(line(2, "2200.5") +
               "epoch_end: Per sink_size step time: 2240.0 ms, per step time: 1120.0 ms, avg loss: "
               "0.744\n");
  CHECK(steps_of(run) == std::vector<std::int64_t>{2});
  CHECK(times_of(run) == std::vector<double>{1100.25});
  CHECK(intervals_of(run) == std::vector<std::int64_t>{2});
  CHECK(run.iterations.at(0).lm_loss == 0.744);
  CHECK(run.planned_iterations == 58268);
}

TEST_CASE("it is explained that lines below say of how many steps MindFormers' time is") {
  std::vector<std::string> why;
  explain_lines([](const auto& take) { take(old_step(4, "2000.0")); },
                [&](const ExplainedLine& line) { why.push_back(line.why); });
  CHECK(why == std::vector<std::string>{"of how many steps its time is, lines below may say"});
}
