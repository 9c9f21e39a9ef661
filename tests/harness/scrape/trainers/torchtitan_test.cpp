// SPDX-License-Identifier: Apache-2.0
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

TEST_CASE("torchtitan's older header names the axes of its mesh, and its batch in sequences") {
  const LogRun run = only_run(
      "[rank0]:[titan] 2025-11-25 19:44:55,287 - root - INFO - Building 2-D device mesh with "
      "['dp_shard', 'tp'], [4, 2]\n"
      "[rank0]:[titan] 2025-11-25 19:44:58,838 - root - INFO - Trainer is initialized with local "
      "batch size 8, global batch size 32, gradient accumulation steps 1, sequence length 2048, "
      "total steps 10 (warmup 2)\n"
      "[rank0]:[titan] 2025-11-25 19:44:58,838 - root - INFO - Training starts at step 1\n"
      "[rank0]:[titan] 2025-11-25 19:45:01,441 - root - INFO - step:  1  loss:  8.0277  grad_norm: "
      " "
      "1.4604  memory:  1.21GiB(0.86%)  tps: 5,756  tflops: 0.41  mfu: 0.04%\n");
  CHECK(times_of(run).at(0) == Approx(8192.0 / 5756 * 1000));
  const Layout& layout = run.point.layout;
  CHECK(layout.gpus == 8);
  CHECK(layout.tp == 2);
  CHECK(layout.pp == 1);
  CHECK(layout.dp == 4);
  CHECK(layout.gbs == 32);
  CHECK(layout.mbs == 8);
  CHECK(run.point.model.seq == 2048);
  CHECK(find_value(run.point.axes, "dp_shard")->number == 4);
}

TEST_CASE("torchtitan's older start tells the batch, and its clock then the GPUs") {
  const LogRun run = only_run(
      "[rank0]:2025-02-13 11:33:29,482 - root - INFO - Training starts at step 1, with local batch "
      "size 1, global batch size 8, sequence length 8192, total steps 100 (warmup 200)\n"
      "[rank0]:2025-02-13 11:33:45,521 - root - INFO - step: 10  loss:  9.8821  mmemory: "
      "49.59GiB(35.46%)  tps: 7,026  mfu: 41.15%\n"
      "[rank0]:2025-02-13 11:33:57,093 - root - INFO - step: 20  loss:  8.3854  memory: "
      "49.59GiB(35.46%)  tps: 7,080  mfu: 41.46%\n");
  CHECK(times_of(run).at(1) == Approx(8192.0 / 7080 * 1000));
  CHECK(run.point.layout.gpus == 8);
  CHECK(run.point.layout.gbs == 8);
}

TEST_CASE("a stage of torchtitan's pipeline that has no loss prints -1") {
  const LogRun run = only_run(
      "[rank0]:[titan] 2025-05-28 21:14:39,054 - root - INFO - step:  2  loss: -1.0000  memory: "
      "42.78GiB(54.06%)  tps: 8  tflops: 1.81  mfu: 0.58%\n"
      "[rank0]:[titan] 2025-05-28 21:15:40,293 - root - INFO - step:  3  loss: -1.0000  memory: "
      "42.78GiB(54.06%)  tps: 8  tflops: 1.81  mfu: 0.58%\n");
  CHECK(times_of(run).at(1) == Approx(61239));
  CHECK_FALSE(run.iterations.at(1).lm_loss);
  CHECK_FALSE(run.nan_from);
}

TEST_CASE("torchtitan of 2024 calls tokens words") {
  const LogRun run = only_run(
      "[rank0]:2024-06-13 12:53:42,562 - root - INFO - step: 10  loss: 10.7798  memory: "
      "41.18GiB(43.33%)  wps: 2,792  mfu: 16.35%\n"
      "[rank0]:2024-06-13 12:54:04,065 - root - INFO - step: 20  loss:  9.1087  memory: "
      "41.18GiB(43.33%)  wps: 3,812  mfu: 22.32%\n");
  CHECK(run.point.trainer == "torchtitan");
  CHECK(times_of(run).at(1) == Approx(8192.0 / 3812 * 1000));
  CHECK(run.memory.at(0).max_reserved_mib == Approx(41.18 * 1024));
}

TEST_CASE("a mesh that torchtitan builds for its validation begins no launch") {
  const LogRun run = only_run(
      "[rank0]:[titan] 2026-01-11 20:13:44,754 - root - INFO - step:  1  loss: 12.2521  memory: "
      "43.52GiB(31.13%)  tps: 6,922  tflops: 13.35  mfu: 1.35%\n"
      "[rank0]:[titan] 2026-01-11 20:13:44,956 - root - INFO - Building device mesh with "
      "parallelism: pp=1, dp_replicate=1, dp_shard=1, cp=1, tp=1, ep=1, etp=1\n"
      "[rank0]:[titan] 2026-01-11 20:13:45,284 - root - INFO - step:  2  loss: 12.2273  memory: "
      "47.71GiB(34.12%)  tps: 31,075  tflops: 59.95  mfu: 6.06%\n"
      "[rank0]:[titan] 2026-01-11 20:13:45,604 - root - INFO - step:  3  loss: 12.1733  memory: "
      "47.71GiB(34.12%)  tps: 51,352  tflops: 99.08  mfu: 10.02%\n");
  CHECK(steps_of(run) == std::vector<std::int64_t>{1, 2, 3});
  CHECK(run.point.layout.gpus == 1);
}

TEST_CASE("a mesh that says more of itself, or is another, begins a launch of torchtitan") {
  const std::string log = excerpt("torchtitan.log");
  const auto end = log.find("[titan] 2025-06-16 22:29:15");
  const auto runs_of = [&](const std::string& second) {
    const Scraped scraped =
        scrape_parts([&](const auto& take) { take(log.substr(0, end) + second); });
    return scraped.runs.size() + scraped.problems.size();
  };
  const std::string later =
      "[titan] 2025-06-16 22:29:15,322 - root - INFO - step: 10  loss: 10.0150  "
      "memory: 49.66GiB(52.28%)  tps: 5,851  tflops: 338.87  mfu: 34.26%\n";
  const auto mesh_end = log.find('\n') + 1;
  CHECK(runs_of(later) == 1);
  CHECK(runs_of(log.substr(0, mesh_end) + later) == 1);
  CHECK(runs_of(log.substr(0, log.find('\n', mesh_end) + 1) + later) == 2);
  CHECK(runs_of("[titan] 2025-06-16 22:28:51,322 - root - INFO - Building device mesh with "
                "parallelism: pp=2, dp_replicate=1, dp_shard=2, cp=1, tp=2, ep=1\n" +
                later) == 2);
}

TEST_CASE("a cut line of torchtitan of 2024 is none of lingua") {
  const std::string log =
      "[rank0]:2024-06-13 12:53:42,562 - root - INFO - step: 10  loss: 10.7798  memory: "
      "41.18GiB(43.33%)  wps: 2,792  mfu: 16.35%\n"
      "[rank0]:2024-06-13 12:54:04,065 - root - INFO - step: 20  loss:  9.1087  memory: "
      "41.18GiB(43.33%)  wps: 3,812  mfu: 22.32%\n"
      "[rank0]:2024-06-13 12:54:25,568 - root - INFO - step: 30  loss:  8.1087  memory: "
      "41.18GiB(43.33%)  wps: 3,812  mf";
  const LogRun run = only_run(log);
  CHECK(run.point.trainer == "torchtitan");
  CHECK(steps_of(run) == std::vector<std::int64_t>{10, 20, 30});
  const Scraped found = scrape_parts([&](const auto& take) { take(log); });
  CHECK(found.problems.empty());
}

namespace {

std::string said_by(int rank, int second, const std::string& words) {
  return fmt::format("[rank{}]:[titan] 2026-05-18 16:00:{:02},338 - root - INFO - {}\n", rank,
                     second, words);
}

std::string by_both(int second, const std::string& words) {
  return said_by(0, second, words) + said_by(1, second, words);
}

std::string mesh_with(int tp) {
  return fmt::format(
      "Building device mesh with parallelism: pp=1, dp_replicate=1, dp_shard={}, cp=1, tp={}, ep=1",
      8 / tp, tp);
}

const std::string kPlan =
    "Trainer is initialized with 8192 tokens per DP rank, 65536 tokens per train step, gradient "
    "accumulation steps 1, maximum context length 8192, total steps 100 (warmup 2)";

std::string step_of(int step) {
  return fmt::format("step: {:2}  loss:  3.24405  memory:  9.46GiB(64.99%)  tps: 4,096", step);
}

}  // namespace

TEST_CASE("meshes that several ranks of torchtitan build for validation begin no launch") {
  std::string log = by_both(0, mesh_with(1)) + by_both(1, kPlan);
  for (int step = 1; step <= 3; ++step) log += by_both(2 * step, step_of(step));
  log += by_both(8, mesh_with(1));
  for (int step = 4; step <= 5; ++step) log += by_both(2 * step, step_of(step));
  CHECK(steps_of(only_run(log)) == std::vector<std::int64_t>{1, 2, 3, 4, 5});
}

TEST_CASE("a launch of torchtitan begins whichever rank says so first") {
  std::string first = by_both(0, mesh_with(1)) + by_both(1, kPlan);
  for (int step = 1; step <= 3; ++step) first += said_by(0, 2 * step, step_of(step));
  first += by_both(8, mesh_with(1));
  for (int step = 4; step <= 5; ++step) first += said_by(0, 2 * step, step_of(step));
  const std::string second = said_by(0, 41, step_of(6)) + said_by(0, 43, step_of(7));
  const std::string plans[] = {said_by(0, 31, kPlan) + said_by(1, 31, kPlan),
                               said_by(1, 31, kPlan) + said_by(0, 31, kPlan)};
  for (const auto& plan : plans) {
    const auto runs = scrape(first + by_both(30, mesh_with(2)) + plan + second);
    REQUIRE(runs.size() == 2);
    CHECK(steps_of(runs[0]) == std::vector<std::int64_t>{1, 2, 3, 4, 5});
    CHECK(runs[0].point.layout.tp == 1);
    CHECK(steps_of(runs[1]) == std::vector<std::int64_t>{6, 7});
    CHECK(runs[1].point.layout.tp == 2);
  }
}

namespace {

/// Lines of 2024, which name no mesh, every 10 steps after 4.004 s: 6 sequences of 2048 on a rank
/// are 12288 tokens, and none of its times is a power of two.
std::string without_mesh(const std::string& rate, int first = 10) {
  std::string log =
      "[rank0]:2024-08-20 09:10:26,196 - root - INFO - Training starts at step 1, with local batch "
      "size 6, global batch size 48, sequence length 2048, total steps 100 (warmup 20)\n";
  for (int i = 0; i < 4; ++i) {
    log += fmt::format(
        "[rank0]:2024-08-20 09:10:{:02},{:03} - root - INFO - step: {:2}  loss: 12.1951  memory: "
        "61.67GiB(65.93%)  wps: {}  mfu: 22.68%\n",
        33 + 4 * i, 100 + 4 * i, first + 10 * i, rate);
  }
  return log;
}

}  // namespace

TEST_CASE(
    "a header of torchtitan without a mesh says the tokens, and the clock only who has them") {
  const LogRun run = only_run(without_mesh("30,720"));
  CHECK(times_of(run).at(1) == Approx(400));
  CHECK(run.resolution_ms == Approx(400.0 / 30720));
  CHECK(run.planned_iterations == 100);
  const Layout& layout = run.point.layout;
  CHECK(layout.dp == 8);
  CHECK(layout.gpus == 8);
  CHECK(layout.tp == 1);
  CHECK(layout.pp == 1);
  CHECK(layout.mbs == 6);
  CHECK(layout.gbs == 48);
  CHECK(run.point.model.seq == 2048);
  CHECK(find_value(run.derived, "gpus"));
}

TEST_CASE("a launch of torchtitan that names no mesh begins with its header") {
  std::string second = without_mesh("15,360", 50);
  second.replace(second.find("size 6, global batch size 48"), 28, "size 3, global batch size 24");
  const auto runs = scrape(without_mesh("30,720") + second);
  REQUIRE(runs.size() == 2);
  CHECK(steps_of(runs[0]) == std::vector<std::int64_t>{10, 20, 30, 40});
  CHECK(runs[0].point.layout.gbs == 48);
  CHECK(steps_of(runs[1]) == std::vector<std::int64_t>{50, 60, 70, 80});
  CHECK(runs[1].point.layout.gbs == 24);
  CHECK(times_of(runs[1]).at(1) == Approx(400));
}

TEST_CASE("GPUs of torchtitan that share a rank's tokens are counted, but not how they do") {
  const LogRun run = only_run(without_mesh("15,360"));
  CHECK(times_of(run).at(1) == Approx(400));
  CHECK(run.point.layout.dp == 8);
  CHECK(run.point.layout.gpus == 16);
  CHECK_FALSE(run.point.layout.tp);
  CHECK_FALSE(run.point.layout.mbs);
}

TEST_CASE("a header of torchtitan that its clock contradicts is no reason to take the clock's") {
  const std::string log = without_mesh("22,000");
  const Scraped found = scrape_parts([&](const auto& take) { take(log); });
  CHECK(found.runs.empty());
  REQUIRE(found.problems.size() == 1);
  CHECK_THAT(found.problems[0], Catch::Contains("not how many a GPU has in a step"));
}

TEST_CASE("a rate of one digit leaves open how many GPUs share a rank's tokens: the clock counts") {
  const std::string start = "[rank0]:[titan] 2025-05-28 21:11:37,626 - root - INFO - ";
  const LogRun run = only_run(
      start +
      "Trainer is initialized with local batch size 2, global batch size 2, sequence length 4096, "
      "total steps 10 (warmup 2).\n"
      "[rank0]:[titan] 2025-05-28 21:14:39,054 - root - INFO - step:  2  loss: -1.0000  memory: "
      "42.78GiB(54.06%)  tps: 8  tflops: 1.81  mfu: 0.58%\n"
      "[rank0]:[titan] 2025-05-28 21:15:40,293 - root - INFO - step:  3  loss: -1.0000  memory: "
      "42.78GiB(54.06%)  tps: 8  tflops: 1.81  mfu: 0.58%\n");
  CHECK(times_of(run).at(1) == Approx(61239));
  CHECK_FALSE(run.point.layout.gpus);
  CHECK(run.point.layout.dp == 1);
  CHECK(run.point.layout.gbs == 2);
}

TEST_CASE("a header of torchtitan with accumulation counts all of a step's tokens") {
  const LogRun run = only_run(
      "[rank0]:[titan] 2026-05-18 16:00:01,338 - root - INFO - Trainer is initialized with 12288 "
      "tokens per DP rank, 98304 tokens per train step, gradient accumulation steps 2, maximum "
      "context length 2048, total steps 100 (warmup 2)\n" +
      said_by(0, 10, "step:  1  loss:  3.24405  memory:  9.46GiB(64.99%)  tps: 4,096") +
      said_by(0, 16, "step:  2  loss:  3.24405  memory:  9.46GiB(64.99%)  tps: 4,095") +
      said_by(0, 22, "step:  3  loss:  3.24405  memory:  9.46GiB(64.99%)  tps: 4,094"));
  CHECK(times_of(run).at(0) == Approx(6000));
  CHECK(run.point.layout.dp == 4);
  CHECK(run.point.layout.gpus == 4);
  CHECK(run.point.layout.gbs == 48);
}

TEST_CASE("a time by torchtitan's clock is no finer than the clock") {
  const std::string first =
      "[rank0]:[titan] 2025-12-17 01:18:34,942 - root - INFO - step:  2  loss: 12.3984  memory: "
      "116.16GiB(83.14%)  tps: 5,970  tflops: 301.33  mfu: 30.47%\n";
  const std::string second =
      "[rank0]:[titan] 2025-12-17 01:18:42,407 - root - INFO - step:  3  loss: 12.3513  memory: "
      "116.16GiB(83.14%)  tps: 6,585  tflops: 332.35  mfu: 33.60%\n";
  const LogRun run = only_run(first + second);
  CHECK(times_of(run).at(1) == Approx(7465));
  CHECK(run.resolution_ms == Approx(7465.0 / 6585 + 1));
  const auto in_seconds = [](std::string line) { return line.erase(line.find(','), 4); };
  const LogRun coarse = only_run(in_seconds(first) + in_seconds(second));
  CHECK(times_of(coarse).at(1) == Approx(8000));
  CHECK(*coarse.resolution_ms > 1000);
}

namespace {

/// A step of ranks whose lines have no label: some are the same in all.
std::string unlabelled(int step, const std::string& time, const std::vector<std::string>& rates) {
  std::string log;
  for (const auto& rate : rates) {
    log += fmt::format(
        "[titan] 2026-02-24 19:46:{} - root - INFO - step: {:2}  loss:  7.62585  grad_norm: "
        "26.6250  memory: 66.91GiB(37.51%)  tps: {}  mfu: 13.99%\n",
        time, step, rate);
  }
  return log;
}

const std::vector<std::string> kAlike{"10,050  tflops: 314.71", "10,050  tflops: 314.69",
                                      "10,050  tflops: 314.69", "10,049  tflops: 314.68",
                                      "10,050  tflops: 314.69", "10,049  tflops: 314.68"};

std::vector<double> ranks_of(const LogRun& run) {
  std::vector<double> ranks;
  for (std::size_t i = 0; i < run.iterations.size(); ++i) {
    const Iteration line = run.iterations.at(i);
    const Value* said = find_value(line.other, "ranks");
    ranks.push_back(said ? said->number.value_or(0) : 1);
  }
  return ranks;
}

}  // namespace

TEST_CASE("ranks of torchtitan without a label are as many as their lines of a step") {
  const std::string log = unlabelled(4, "17,508", kAlike) + unlabelled(5, "19,145", kAlike) +
                          unlabelled(6, "20,782", {kAlike[0]});
  const LogRun run = only_run(log);
  CHECK(steps_of(run) == std::vector<std::int64_t>{4, 5, 6});
  CHECK(ranks_of(run) == std::vector<double>{6, 6, 1});
  CHECK(times_of(run).at(0) == Approx(16384.0 / 10049 * 1000));
}

TEST_CASE("lines of torchtitan's ranks that differ in their time alone are of several, too") {
  const LogRun run =
      only_run(unlabelled(4, "17,508", {kAlike[1], kAlike[1]}) +
               unlabelled(4, "17,509", {kAlike[1]}) + unlabelled(5, "19,145", {kAlike[1]}));
  CHECK(ranks_of(run) == std::vector<double>{3, 1});
}

TEST_CASE("a log of torchtitan's ranks that stands twice in a file has no more of them") {
  const std::string first = unlabelled(4, "17,508", kAlike) + unlabelled(5, "19,145", kAlike);
  const std::string more = unlabelled(6, "20,782", kAlike);
  CHECK(ranks_of(only_run(first + first)) == std::vector<double>{6, 6});
  CHECK(ranks_of(only_run(first + first + more)) == std::vector<double>{6, 6, 6});
  std::string longer = first + more;
  for (int step = 7; step < 12; ++step)
    longer += unlabelled(step, fmt::format("{},{}", 15 + step, 400), kAlike);
  CHECK(ranks_of(only_run(longer + longer)) == std::vector<double>(8, 6));
}

TEST_CASE("what a labelled rank of torchtitan prints twice is of one") {
  std::string log = "[rank0]:" + unlabelled(4, "17,508", {kAlike[0]});
  log += log;
  log += "[rank0]:" + unlabelled(5, "19,145", {kAlike[0]});
  CHECK(ranks_of(only_run(log)) == std::vector<double>{1, 1});
}

TEST_CASE("a model of torchtitan with sparse parameters is a mixture of experts") {
  const auto model = [](const std::string& sparse) {
    return only_run(by_both(0, mesh_with(1)) +
                    by_both(1, "Total parameter count: dense 23,173,376, sparse " + sparse +
                                   ", active 28,098,816") +
                    by_both(2, "Model deepseek_v3 debugmodel size: 33,014,016 total parameters") +
                    by_both(3, kPlan) + by_both(4, step_of(1)))
        .point.model;
  };
  const Model mixture = model("9,840,640");
  CHECK(mixture.style == "moe");
  CHECK(mixture.params == 33'014'016);
  CHECK(mixture.active_params == 28'098'816);
  CHECK(model("0").style.empty());
  CHECK_FALSE(model("0").active_params);
}
