// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

TEST_CASE("NeMo's lines are means of the steps since the line before, counted from 0") {
  const LogRun run = only_run(excerpt("nemo.log"));
  CHECK(steps_of(run) == std::vector<std::int64_t>{9, 19, 29, 39});
  CHECK(times_of(run) == std::vector<double>{9061, 6061, 6058, 6060});
  CHECK(intervals_of(run) == std::vector<std::int64_t>{10, 10, 10, 10});
  CHECK(flags_of(run) ==
        std::vector<unsigned>{kFirst | kIntervalMean, kIntervalMean, kIntervalMean, kIntervalMean});
  CHECK(run.resolution_ms == Approx(1));
  CHECK(run.iterations.at(1).lm_loss == 10.4);
  CHECK(run.iterations.at(1).gbs == 128);
  CHECK(run.iterations.at(1).consumed_samples == 2560);
  CHECK(find_value(run.iterations.at(1).other, "TFLOP/s/GPU")->number == 1252);
  CHECK(run.planned_iterations == 39);
  CHECK(run.end == RunState::kOk);
}

TEST_CASE("NeMo's groups of ranks are the layout") {
  const Layout layout = only_run(excerpt("nemo.log")).point.layout;
  CHECK(layout.gpus == 16);
  CHECK(layout.tp == 4);
  CHECK(layout.pp == 2);
  CHECK(layout.cp == 1);
  CHECK(layout.dp == 2);
  CHECK(layout.gbs == 128);
}

TEST_CASE("NeMo's lists of all groups tell the layout, too") {
  std::string log = excerpt("nemo.log");
  std::string without;
  for (std::size_t at = 0; at < log.size();) {
    const auto end = log.find('\n', at) + 1;
    const auto line = log.substr(at, end - at);
    if (line.find("Rank 0 has") == std::string::npos && line.find("processes") == std::string::npos)
      without += line;
    at = end;
  }
  const Layout layout = only_run(without).point.layout;
  CHECK(layout.gpus == 16);
  CHECK(layout.tp == 4);
  CHECK(layout.pp == 2);
}

TEST_CASE("NeMo's memory is in bytes") {
  const LogRun run = only_run(excerpt("nemo.log"));
  REQUIRE(run.memory.size() == 1);
  CHECK(run.memory[0].max_reserved_mib == Approx(127785762816.0 / 1048576));
  CHECK(run.memory[0].max_allocated_mib == Approx(115792977920.0 / 1048576));
}

TEST_CASE("NeMo's memory of before 2025 is the most that was reserved") {
  const LogRun run = only_run(
      "Training epoch 0, iteration 8/49 | lr: 1.349e-06 | global_step: 8 | peak_memory_usage: "
      "70833405952 | memory_allocated: 44271689728 | train_step_timing in s: 12.4\n"
      "Training epoch 0, iteration 9/49 | lr: 1.499e-06 | global_step: 9 | peak_memory_usage: "
      "7.1e+10 | memory_allocated: 44271689728 | train_step_timing in s: 12.39\n");
  REQUIRE(run.memory.size() == 1);
  CHECK(run.memory[0].rank == 0);
  CHECK(run.memory[0].max_reserved_mib == Approx(7.1e10 / 1048576));
  CHECK(run.memory[0].allocated_mib == Approx(42220.77));
  CHECK_FALSE(run.memory[0].max_allocated_mib);
  const LogRun bar = only_run(
      "Epoch 0: :   0%|          | 5/300 [02:16<2281:40:05, v_num=0, reduced_train_loss=11.00, "
      "global_step=4.000, consumed_samples=960.0, peak_memory_usage=7.08e+10, "
      "memory_allocated=4.43e+10, train_step_timing in s=10.40]\n");
  REQUIRE(bar.memory.size() == 1);
  CHECK(bar.memory[0].max_reserved_mib == Approx(7.08e10 / 1048576));
}

namespace {

/// Why no line of a log is used, for one reason.
UnusedLines refused(const std::string& log) {
  const Scraped scraped = scrape_parts([&](const auto& take) { take(log); });
  CHECK(scraped.runs.empty());
  REQUIRE(scraped.unused.size() == 1);
  return scraped.unused[0];
}

constexpr const char* kTimeless = "it carries no time (train_step_timing in s)";

}  // namespace

TEST_CASE("lines of NeMo that carry no time are refused with that reason") {
  std::string log;
  for (int i = 0; i < 3; ++i)
    log += fmt::format(
        "[job/0 | 0:  | [2025-10-17T11:33:02+08:00] ]Training epoch 0, iteration {0}/9 | lr: 6e-04 "
        "| consumed_samples: 32 | global_step: {0} | reduced_train_loss: 11.02\n",
        i);
  CHECK(refused(log).reason == kTimeless);
  CHECK(refused(log).count == 3);
  // Of one that is still being written nothing is said.
  const std::string begun = log + "Training epoch 0, iteration 3/9 | reduced_train_loss: 9 | train";
  CHECK(refused(begun).count == 3);
  const Scraped quoted = scrape_parts([](const auto& take) {
    take("we saw 'Training epoch 0, iteration 3/9 | lr: 1 | reduced_train_loss: 9.1'\n");
  });
  CHECK(quoted.unused.empty());
}

TEST_CASE("a line of NeMo that ends within a field is one that a console has wrapped") {
  const std::string begin =
      "Training epoch 0, iteration 5/9 | lr: 6e-04 | global_step: 5 | reduced_train_loss: 11.02";
  for (const std::string rest : {" |\n train_step_timing in s: 6.061 | consumed_samples: 5\n",
                                 " | train_step_tim\ning in s: 6.061 | consumed_samples: 5\n"}) {
    INFO(rest);
    CHECK(refused(begin + rest).reason == "a console has wrapped it");
  }
  const std::string timed =
      "\nTraining epoch 0, iteration 6/9 | global_step: 6 | train_step_timing in s: 6.061\n";
  const Scraped scraped = scrape_parts([&](const auto& take) { take(begin + timed); });
  REQUIRE(scraped.unused.size() == 1);
  CHECK(scraped.unused[0].reason == kTimeless);
  CHECK(scraped.runs.size() == 1);
}

TEST_CASE("each line of NeMo without a time is explained where it stands") {
  std::vector<std::string> why;
  explain_lines(
      [](const auto& take) {
        take("Training epoch 0, iteration 0/9 | global_step: 0 | reduced_train_loss: 11.02\n\n");
      },
      [&](const ExplainedLine& line) { why.push_back(line.why); });
  REQUIRE(why.size() == 2);
  CHECK(why[0] == kTimeless);
  CHECK(why[1].empty());
}

TEST_CASE("NeMo's fields are found in any order") {
  const LogRun run = only_run(
      "Training epoch 0, iteration 120/149 | lr: 3e-05 | consumed_samples: 121 | "
      "global_batch_size: 1 | global_step: 120 | reduced_train_loss: 1.233 | "
      "train_step_timing in s: 0.03146 | val_loss: 4.106\n"
      "Training epoch 0, iteration 121/149 | val_loss: 4.106 | train_step_timing in s: 0.03163 | "
      "global_step: 121 | global_batch_size: 1 | reduced_train_loss: 1.288\n");
  CHECK(steps_of(run) == std::vector<std::int64_t>{120, 121});
  CHECK(times_of(run).at(0) == Approx(31.46));
  CHECK(times_of(run).at(1) == Approx(31.63));
  CHECK(run.resolution_ms == Approx(0.01));
  CHECK(flags_of(run) == std::vector<unsigned>{0, 0});
  CHECK(run.end != RunState::kOk);
}

TEST_CASE("NeMo's second epoch counts on by its global step") {
  const LogRun run = only_run(
      "Training epoch 0, iteration 4/9 | global_step: 4 | train_step_timing in s: 2.1\n"
      "Training epoch 1, iteration 0/9 | global_step: 5 | train_step_timing in s: 2.2\n"
      "Training epoch 1, iteration 1/9 | global_step: 6 | train_step_timing in s: 2.3\n");
  CHECK(steps_of(run) == std::vector<std::int64_t>{4, 5, 6});
}

TEST_CASE("a line of NeMo's second epoch that is cut before its global step is not read") {
  const std::string first =
      "Training epoch 0, iteration 4/9 | train_step_timing in s: 2.1 | global_step: 4\n"
      "Training epoch 1, iteration 0/9 | train_step_timing in s: 2.2 | global_step: 5\n";
  const std::string cut = "Training epoch 1, iteration 1/9 | train_step_timing in s: 2.3 | glob";
  CHECK(steps_of(only_run(first + cut)) == std::vector<std::int64_t>{4, 5});
  CHECK(scrape_parts([&](const auto& take) { take(cut); }).runs.empty());
}

TEST_CASE("NeMo's second epoch is read where no line has a global step") {
  const Scraped scraped = scrape_parts([&](const auto& take) {
    take(
        "Training epoch 0, iteration 1/9 | train_step_timing in s: 2.1\n"
        "Training epoch 1, iteration 0/9 | train_step_timing in s: 2.2\n"
        "Training epoch 1, iteration 1/9 | train_step_timing in s: 2.3\n");
  });
  REQUIRE(scraped.runs.size() == 2);
  CHECK(steps_of(scraped.runs[1]) == std::vector<std::int64_t>{0, 1});
}

TEST_CASE("NeMo's tokens a second and GPU tell the sequence length") {
  std::string log = "All distributed processes registered. Starting with 8 processes\n";
  for (int i = 0; i < 5; ++i)
    log += fmt::format(
        "Training epoch 0, iteration {}/99 | global_batch_size: 128 | "
        "train_step_timing in s: 9.553 | tokens_per_sec_per_gpu: 6.859e+03\n",
        i);
  const Point point = only_run(log).point;
  CHECK(point.layout.gpus == 8);
  CHECK(point.model.seq == 4096);
}

TEST_CASE("a bar of NeMo 1 is drawn several times for a step: the last is the step's own") {
  const LogRun run = only_run(excerpt("nemo1.log"));
  CHECK(steps_of(run) == std::vector<std::int64_t>{1, 2, 3, 9000});
  CHECK(times_of(run) == std::vector<double>{9870, 615, 608, 611});
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst, 0, 0, 0});
  CHECK(run.iterations.at(1).lm_loss == 10.9);
  CHECK(run.nan_from == 9000);
  CHECK(run.end == RunState::kOk);
  CHECK(run.point.trainer == "nemo");
  CHECK(run.point.layout.gpus == 8);
  CHECK(run.point.layout.tp == 2);
  CHECK(run.point.layout.dp == 4);
}

TEST_CASE("a bar of NeMo 1 that is drawn with returns only is read, too") {
  std::string log = excerpt("nemo1.log");
  std::replace(log.begin(), log.end(), '\n', '\r');
  const LogRun run = only_run(log + '\n');
  CHECK(times_of(run) == std::vector<double>{9870, 615, 608, 611});
}

TEST_CASE("without a step's own time the pace of a NeMo 1 bar is a moving mean") {
  const LogRun run = only_run(
      "Epoch 0:   1%|          | 794/77225 [9:07:17<878:01:40, 41.35s/it, loss=3.1, v_num=, "
      "reduced_train_loss=3.100, global_step=793.0, consumed_samples=1.63e+6]\r"
      "Epoch 0:   1%|          | 795/77225 [9:07:58<878:01:48, 41.36s/it, loss=3.1, v_num=, "
      "reduced_train_loss=3.090, global_step=794.0, consumed_samples=1.63e+6]\n");
  CHECK(run.point.trainer == "nemo");
  CHECK(steps_of(run) == std::vector<std::int64_t>{794, 795});
  CHECK(times_of(run).at(1) == Approx(41360));
  CHECK(flags_of(run) == std::vector<unsigned>{kMovingMean, kMovingMean});
  CHECK(run.iterations.at(1).lm_loss == 3.09);
}

TEST_CASE("a bar of NeMo 1 that counts micro-batches tells no steps") {
  const std::string log =
      "Epoch 0:   1%|          | 800/77225 [9:07:17<878:01:40, 1.35s/it, v_num=, "
      "reduced_train_loss=3.100, global_step=99.00, consumed_samples=1.63e+6]\n";
  const Scraped scraped = scrape_parts([&](const auto& take) { take(log); });
  CHECK(scraped.runs.empty());
  CHECK(scraped.unused.size() == 1);
}

TEST_CASE("a bar of NeMo 1 that shows the step before is that step's") {
  const LogRun run = only_run(
      "Epoch 0: :  47%|####7     | 7/15 [06:19<07:13, reduced_train_loss=11.50, global_step=5.000, "
      "consumed_samples=12288.0, train_step_timing in s=49.50]\n");
  CHECK(steps_of(run) == std::vector<std::int64_t>{6});
  CHECK(times_of(run) == std::vector<double>{49500});
}

TEST_CASE("a bar of NeMo is read where a message follows it, or a return is written out") {
  const LogRun run = only_run(
      "(task, pid=6678) Epoch 0: :   0%|          | 5/300000 [02:16<2281:40:05, v_num=0, "
      "reduced_train_loss=11.00, global_step=4.000, consumed_samples=960.0, train_step_timing in "
      "s=10.40, val_loss=11.00]Epoch 0, global step 5: 'val_loss' reached 10.95736 (best "
      "10.95736), "
      "saving model\n"
      "^MEpoch 0: :   0%|          | 6/300000 [02:26<2281:40:05, v_num=0, "
      "reduced_train_loss=10.90, "
      "global_step=5.000, train_step_timing in s=10.50]^MEpoch 0: :   0%|          | 6/300000 "
      "[02:27<2281:40:05, v_num=0, reduced_train_loss=10.90, global_step=5.000, train_step_timing "
      "in "
      "s=10.50]\n");
  CHECK(steps_of(run) == std::vector<std::int64_t>{5, 6});
  CHECK(times_of(run) == std::vector<double>{10400, 10500});
}

TEST_CASE("a bar of NeMo without a total goes by its global step") {
  const LogRun run = only_run(
      "[my-full-rank-sft-1] [2025-12-17 04:54:49,774] [INFO] Epoch 1: : 1it [00:04,  4.36s/it, "
      "v_num=d3c7, reduced_train_loss=0.674, global_step=1.000, consumed_samples=128.0, "
      "train_step_timing in s=3.370, batch_time=4.400, samples/sec=14.60]\n");
  CHECK(steps_of(run) == std::vector<std::int64_t>{2});
  CHECK(times_of(run) == std::vector<double>{3370});
}

TEST_CASE("bars of NeMo's AutoModel that count micro-batches tell no steps, from the first on") {
  std::string log;
  for (int batch = 1; batch <= 4; ++batch)
    log += fmt::format(
        "Epoch 0:   0%|          | {}/43800 [00:39<6:06:25,  1.99it/s, global_step=0.000, "
        "reduced_train_loss=12.30, tps=9484.0, lr=3e-6]\n",
        batch);
  const Scraped scraped = scrape_parts([&](const auto& take) { take(log); });
  CHECK(scraped.runs.empty());
  CHECK(scraped.unused.size() == 1);
}

TEST_CASE("a bar of NeMo 1 that counts steps says how many are planned") {
  const std::string bar =
      "Epoch 0: :  50%|#####     | 25/50 [00:42<00:42, v_num=0, reduced_train_loss=7.20, "
      "global_step=24.00, consumed_samples=6400.0, train_step_timing in s=1.610]";
  CHECK(only_run(bar).planned_iterations == 50);
  std::string second = bar;
  second.replace(second.find("Epoch 0"), 7, "Epoch 1");
  second.replace(second.find("global_step=24"), 14, "global_step=74");
  CHECK_FALSE(only_run(bar + "\n" + second).planned_iterations);
}
