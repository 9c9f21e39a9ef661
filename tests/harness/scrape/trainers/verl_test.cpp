// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

TEST_CASE("verl tells the seconds of each step, and what else was done in it") {
  const LogRun run = only_run(excerpt("verl.log"));
  CHECK(run.point.trainer == "verl");
  CHECK(steps_of(run) == std::vector<std::int64_t>{1, 2, 3});
  CHECK(times_of(run) == std::vector<double>{161080, 191500, 171500});
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst, kAfterEvaluation, kAfterSave});
  CHECK(find_value(run.iterations.at(0).other, "gen (s)")->number == 61.5);
  CHECK(find_value(run.iterations.at(0).other, "perf/max_memory_allocated_gb")->number == 62.447);
  CHECK(run.iterations.at(1).grad_norm == 0.021);
  CHECK(run.planned_iterations == 3);
  CHECK(run.end == RunState::kOk);
}

TEST_CASE("verl's throughput of a GPU tells how many there are") {
  CHECK(only_run(excerpt("verl.log")).point.layout.gpus == 2);
  std::string log = excerpt("verl.log");
  for (auto at = log.find("throughput:"); at != std::string::npos;
       at = log.find("throughput:", at + 1))
    log.replace(at, 12, "throughput:9");
  CHECK_FALSE(only_run(log).point.layout.gpus);
}

TEST_CASE("a line of verl that a console has wrapped is not used") {
  for (const std::string log :
       {"step:1 - global_seqlen/min:484245.000 - actor/pg_loss:0.001\n"
        " - timing_s/gen:61.5 - timing_s/step:161.08 - perf/throughput:413.39\n",
        "step:1 - timing_s/gen:61.5 - timing_s/step:161.\n08 - perf/throughput:413.39\n"}) {
    INFO(log);
    const Scraped found = scrape_parts([&](const auto& take) { take(log); });
    CHECK(found.runs.empty());
    REQUIRE(found.unused.size() == 1);
    CHECK(found.unused.front().reason == "a console has wrapped it");
  }
}

TEST_CASE("verl's line is found behind Ray's coloured name") {
  const LogRun run = only_run(
      "\x1b[36m(TaskRunner pid=1271585)\x1b[0m step:7 - timing_s/gen:4 - timing_s/step:10.5 - "
      "perf/total_num_tokens:8000 - perf/time_per_step:10.5 - perf/throughput:95.238\n");
  CHECK(times_of(run) == std::vector<double>{10500});
  CHECK(run.point.layout.gpus == 8);
}

TEST_CASE("verl's memory is that of the rank with most, in GB of 2^30 bytes") {
  const auto memory = only_run(test::excerpt("verl.log")).memory;
  REQUIRE(memory.size() == 1);
  CHECK(memory[0].max_allocated_mib == Approx(62.447 * 1024));
}

TEST_CASE("verl's fine-tuning tells the seconds of a step") {
  const LogRun run = only_run(
      "step:1 - train/loss:0.8078852891921997 - train/lr(1e-3):0.0002702702702702703 - "
      "train/time(s):14.796027898788452\n"
      "Epoch 1/6:   2%|1      | 1/62 [00:09<09:36,  9.45s/it]step:2 - "
      "train/loss:0.7787683010101318 - train/lr(1e-3):0.0005405405405405405 - "
      "train/time(s):7.293778896331787\n");
  CHECK(run.point.trainer == "verl");
  CHECK(steps_of(run) == std::vector<std::int64_t>{1, 2});
  CHECK(times_of(run).at(1) == Approx(7293.7788963));
  CHECK(run.iterations.at(1).lm_loss == Approx(0.7787683010101318));
}

TEST_CASE(
    "verl's fine-tuning without a time, or with one that is cut, is refused with the reason") {
  const auto reason_of = [](const std::string& end) {
    const std::string log = "step:2 - train/loss:1.0065364837646484 - train/lr(1e-3):0.0005" + end;
    const Scraped scraped = scrape_parts([&](const auto& take) { take(log + "\n"); });
    CHECK(scraped.runs.empty());
    REQUIRE(scraped.unused.size() == 1);
    return scraped.unused[0].reason;
  };
  CHECK(reason_of("") == "it does not say how long the step took");
  CHECK(reason_of(" - train/time(s):7") == "a console has wrapped it");
}

TEST_CASE("verl's workers say how many steps there will be, where its driver does not") {
  const std::string step =
      "(TaskRunner pid=247607) step:1 - timing_s/gen:4 - timing_s/step:10.5 - "
      "perf/time_per_step:10.5\n";
  const auto workers = [](const char* steps) {
    return "(WorkerDict pid=249887) Total steps: " + std::string(steps) + ", num_warmup_steps: 0\n";
  };
  CHECK(only_run(workers("140") + step).planned_iterations == 140);
  CHECK_FALSE(only_run(workers("0") + step).planned_iterations);
  CHECK_FALSE(only_run(workers("-1") + step).planned_iterations);
  CHECK_FALSE(only_run("Total steps: 140\n" + step).planned_iterations);
  CHECK(only_run("(TaskRunner pid=247607) Total training steps: 70\n" + workers("140") + step)
            .planned_iterations == 70);
}

TEST_CASE("the first step of verl that goes on from a checkpoint is that of its launch") {
  const std::string step =
      "step:101 - timing_s/gen:61.5 - timing_s/step:161.08 - perf/throughput:413.39\n";
  CHECK(flags_of(only_run("Setting global step to 100\n" + step)) == std::vector<unsigned>{kFirst});
  CHECK(flags_of(only_run(step)) == std::vector<unsigned>{0});
}
