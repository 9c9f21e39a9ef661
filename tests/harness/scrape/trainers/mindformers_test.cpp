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
