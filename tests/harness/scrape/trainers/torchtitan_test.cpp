#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

TEST_CASE("torchtitan's tokens a second are times of a step, by the tokens that its header says") {
  const LogRun run = only_run(excerpt("torchtitan.log"));
  CHECK(steps_of(run) == std::vector<std::int64_t>{1, 10, 20, 30});
  // 65,536 tokens on 8 GPUs
  CHECK(run.iterations.at(1).step_time_ms == Approx(65536.0 / 8 / 5851 * 1000));
  CHECK(intervals_of(run) == std::vector<std::int64_t>{1, 9, 10, 10});
  CHECK(flags_of(run) ==
        std::vector<unsigned>{kFirst, kIntervalMean, kIntervalMean, kIntervalMean});
  CHECK(run.iterations.at(1).lm_loss == 10.015);
  CHECK(run.nan_from == 30);
  CHECK(run.planned_iterations == 1000);
  CHECK(run.resolution_ms == Approx(65536.0 / 8 / 5856 * 1000 / 5856));
  CHECK(run.started_at == 1750112942);
}

TEST_CASE("torchtitan's mesh is the layout") {
  const Point point = only_run(excerpt("torchtitan.log")).point;
  CHECK(point.trainer == "torchtitan");
  CHECK(point.layout.tp == 2);
  CHECK(point.layout.pp == 1);
  CHECK(point.layout.dp == 4);
  CHECK(point.layout.gpus == 8);
  CHECK(point.layout.gbs == 8);
  CHECK(point.model.seq == 8192);
  CHECK(point.model.params == 8030261248);
}

TEST_CASE("without its header torchtitan's clock tells the tokens of a step") {
  const std::string log = excerpt("torchtitan.log");
  const LogRun run = only_run(log.substr(log.find("[titan] 2025-06-16 22:29:15")));
  CHECK(run.iterations.at(1).step_time_ms == Approx(8192.0 / 5856 * 1000));
  CHECK_FALSE(run.point.layout.gpus);
}

TEST_CASE("a step that each rank prints is one, and the slowest rank's time counts") {
  std::string log;
  for (int step = 1; step <= 3; ++step) {
    for (int rank = 0; rank < 8; ++rank) {
      log += fmt::format(
          "[rank{}]:[titan] 2025-06-16 22:29:{:02},322 - root - INFO - step: {:2}  loss:  8.1384  "
          "grad_norm:  1.0031  memory: 49.66GiB(52.28%)  tps: {}  tflops: 314.{}  mfu: 34.29%\n",
          rank, 10 + step, step, rank == 5 ? "10,000" : "10,050", 60 + rank);
    }
  }
  const LogRun run = only_run(log);
  CHECK(steps_of(run) == std::vector<std::int64_t>{1, 2, 3});
  const auto other = run.iterations.at(2).other;
  REQUIRE(find_value(other, "ranks"));
  CHECK(find_value(other, "ranks")->number == 8);
  const double slowest = run.iterations.at(2).step_time_ms;
  CHECK(*find_value(other, "fastest rank (ms)")->number == Approx(slowest * 10000 / 10050));
}

TEST_CASE("tokens a second alone are no time, unless it is known how many a step has") {
  const std::string log =
      "[titan] 2025-06-16 22:29:02,322 - root - INFO - step:  1  loss: 12.2  tps: 856  mfu: 5%\n";
  const auto read = [&](const auto& take) { take(log); };
  const Scraped unknown = scrape_parts(read);
  CHECK(unknown.runs.empty());
  REQUIRE(unknown.problems.size() == 1);
  CHECK(unknown.problems[0].starts_with("looks like a log of torchtitan, but it says tokens a"));
  const NamedValues known{
      {"gbs", value_of(8.0)}, {"seq", value_of(8192.0)}, {"gpus", value_of(8.0)}};
  const Scraped planned = scrape_parts(read, {{}, known});
  REQUIRE(planned.runs.size() == 1);
  CHECK(planned.runs[0].iterations.at(0).step_time_ms == Approx(8192.0 / 856 * 1000));
  CHECK_FALSE(planned.runs[0].point.layout.gpus);  // its log does not say so
  const Scraped told = scrape_parts(read, {known, {}});
  REQUIRE(told.runs.size() == 1);
  CHECK(told.runs[0].iterations.at(0).step_time_ms == Approx(8192.0 / 856 * 1000));
  CHECK(told.runs[0].point.layout.gpus == 8);
  CHECK(told.runs[0].configured);
}

TEST_CASE("a header that says 0 tokens is no reason to stop") {
  std::string log = excerpt("torchtitan.log");
  for (const std::string_view length : {"length 8192", "length 0"}) {
    std::string zero = log;
    const auto at = zero.find("length 8192");
    zero.replace(at, std::string_view("length 8192").size(), length);
    CHECK(only_run(zero).iterations.size() == 4);
  }
}

TEST_CASE("torchtitan's memory is the most that a rank reserved, in GiB") {
  std::string log = test::excerpt("torchtitan.log");
  const auto memory = only_run(log).memory;
  REQUIRE(memory.size() == 1);
  CHECK(memory[0].rank == 0);
  CHECK(memory[0].max_reserved_mib == Approx(49.66 * 1024));
  log +=
      "[rank3]:[titan] 2025-06-16 22:29:43,322 - root - INFO - step: 30  loss:  8.1  grad_norm:  "
      "1.0  memory: 60.00GiB(63.0%)  tps: 5,801  tflops: 335.91  mfu: 33.97%\n";
  const auto of_two = only_run(log).memory;
  REQUIRE(of_two.size() == 2);
  CHECK(of_two[1].rank == 3);
  CHECK(of_two[1].max_reserved_mib == 61440);
}
