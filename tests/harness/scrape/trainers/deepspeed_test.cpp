// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

namespace {

Scraped scraped(const std::string& log) {
  return scrape_parts([&](const auto& take) { take(log); });
}

std::string batches(int gbs, int gas) {
  return "[2022-03-11 02:06:50,101] [INFO] [config.py:752:print]   train_batch_size "
         "............. " +
         std::to_string(gbs) +
         "\n[2022-03-11 02:06:50,101] [INFO] [config.py:752:print]   gradient_accumulation_steps "
         ".. " +
         std::to_string(gas) + "\n";
}

constexpr const char* kOld =
    "[2022-03-11 02:06:58,985] [INFO] [timer.py:189:stop] 0/40, SamplesPerSec=80.0, "
    "MemAllocated=0.26GB, MaxMemAllocated=9.02GB\n";
constexpr const char* kOldStep =
    "[2022-03-11 02:06:58,985] [INFO] [logging.py:69:log_dist] [Rank 0] step=40, skipped=2, "
    "lr=[5e-05], mom=[[0.9, 0.999]]\n";
constexpr const char* kOf2022 =
    "[2022-12-20 08:26:26,101] [INFO] [timer.py:197:stop] 0/40, RunningAvgSamplesPerSec=158.3, "
    "CurrSamplesPerSec=160.0, MemAllocated=1.75GB, MaxMemAllocated=2.6GB\n";

}  // namespace

TEST_CASE("DeepSpeed's engine tells the rate of single steps, and its header the batch") {
  const LogRun run = only_run(excerpt("deepspeed.log"));
  CHECK(run.point.trainer == "deepspeed");
  CHECK(steps_of(run) == std::vector<std::int64_t>{10, 20, 30});
  CHECK(times_of(run)[1] == 500);
  CHECK(times_of(run)[2] == 1000);
  CHECK(intervals_of(run) == std::vector<std::int64_t>{1, 1, 1});
  // All ten steps before the first line were skipped, of the next ten only one, nobody knows which.
  CHECK(flags_of(run) == std::vector<unsigned>{kSkippedStep, 0, 0});
  CHECK(run.iterations.at(1).learning_rate == 0.00043367666454271);
  REQUIRE(run.memory.size() == 1);
  CHECK(run.memory.front().max_allocated_mib == 6.25 * 1024);
  CHECK(run.started_at == 1703854960);
}

TEST_CASE("DeepSpeed's configuration is the layout") {
  const Point point = only_run(excerpt("deepspeed.log")).point;
  CHECK(point.layout.gbs == 64);
  CHECK(point.layout.mbs == 4);
  CHECK(point.layout.gas == 2);
  CHECK(point.layout.dp == 8);
  CHECK(point.layout.gpus == 8);
  CHECK(find_value(point.axes, "zero_stage")->number == 2);
  CHECK(find_value(point.axes, "precision")->text == "fp16");
}

TEST_CASE("DeepSpeed's oldest line is a running mean") {
  const LogRun run = only_run(batches(64, 1) + kOld);
  CHECK(steps_of(run) == std::vector<std::int64_t>{40});
  CHECK(times_of(run).front() == 800);
  CHECK(flags_of(run) == std::vector<unsigned>{kMovingMean});
}

TEST_CASE("DeepSpeed counted micro-batches until 2022") {
  CHECK(steps_of(only_run(batches(64, 4) + kOld)) == std::vector<std::int64_t>{10});
  const std::string batch = batches(64, 1).substr(0, batches(64, 1).find('\n') + 1);
  // Where the step has the same number, a step is one micro-batch.
  CHECK(steps_of(only_run(batch + kOldStep + kOld)) == std::vector<std::int64_t>{40});
  const Scraped unknown = scraped(batch + kOld);
  CHECK(unknown.runs.empty());
  REQUIRE(unknown.unused.size() == 1);
  CHECK(unknown.unused.front().reason ==
        "it counts micro-batches, and nothing says how many make up a step");
}

TEST_CASE("of DeepSpeed's rate of 2022 one micro-batch of several is no step") {
  CHECK(times_of(only_run(batches(64, 1) + kOf2022)) == std::vector<double>{400});
  CHECK(flags_of(only_run(batches(64, 1) + kOf2022)).front() == 0);
  const Scraped several = scraped(batches(64, 4) + kOf2022);
  CHECK(several.runs.empty());
  REQUIRE(several.unused.size() == 1);
  CHECK(several.unused.front().reason == "its figure is of one of several micro-batches");
}

TEST_CASE("DeepSpeed's rates without a batch are no times") {
  const std::string log = excerpt("deepspeed.log");
  const Scraped found = scraped(log.substr(log.find("[2023-12-29 13:02:49,647]")));
  CHECK(found.runs.empty());
  REQUIRE(found.problems.size() == 1);
  CHECK(found.problems.front() ==
        "looks like a log of deepspeed, but it says samples a second, but not how many samples a "
        "step has (gbs)");
}

TEST_CASE("a line of DeepSpeed that a console has torn is not used") {
  const Scraped found = scraped(
      "RunningAvgSamplesPerSec=149.4829861942806, CurrSamplesPerSec=161.99957513920629, "
      "MemAllocated=22.45GB, MaxMemAllocated=29.08GB\n");
  CHECK(found.runs.empty());
  REQUIRE(found.unused.size() == 1);
  CHECK(found.unused.front().reason == "it does not say which step it is of");
}

TEST_CASE("DeepSpeed's pipeline tells means since its line before, and the batch by a law") {
  const LogRun run = only_run(
      "Using topology: {ProcessCoord(pipe=0, data=0, model=0): 0, ProcessCoord(pipe=0, data=1, "
      "model=0): 1, ProcessCoord(pipe=1, data=0, model=0): 2, ProcessCoord(pipe=1, data=1, "
      "model=0): 3}\n"
      "[2021-05-25 06:38:26,359] [INFO] [config.py:752:print]   world_size ................... 2\n"
      "steps: 2 loss: 12.8004 iter time (s): 145.206 samples/sec: 7.052\n"
      "steps: 4 loss: nan iter time (s): 142.001 samples/sec: 7.211\n");
  CHECK(steps_of(run) == std::vector<std::int64_t>{2, 4});
  CHECK(times_of(run) == std::vector<double>{145206, 142001});
  CHECK(intervals_of(run) == std::vector<std::int64_t>{2, 2});
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst | kIntervalMean, kIntervalMean});
  CHECK(run.resolution_ms == 1);
  CHECK(run.nan_from == 4);
  CHECK(run.point.layout.gbs == 1024);
  CHECK(run.point.layout.pp == 2);
  CHECK(run.point.layout.tp == 1);
  CHECK(run.point.layout.gpus == 4);
}

TEST_CASE("DeepSpeed's rounded rates of large batches tell no batch") {
  const LogRun run = only_run(
      "steps: 2 loss: 12.8004 iter time (s): 0.512 samples/sec: 5300.123\n"
      "steps: 4 loss: 12.8004 iter time (s): 0.512 samples/sec: 5300.125\n");
  CHECK_FALSE(run.point.layout.gbs);
}

TEST_CASE("a step that DeepSpeed's profiler slowed down is not used") {
  std::string log = excerpt("deepspeed.log");
  const std::string profile = "Profile Summary at step 19:\n";
  log.insert(log.find("[2023-12-29 13:02:51,116]"), profile);
  const Scraped found = scraped(log);
  REQUIRE(found.runs.size() == 1);
  CHECK(steps_of(found.runs.front()) == std::vector<std::int64_t>{10, 30});
  REQUIRE(found.unused.size() == 1);
  CHECK(found.unused.front().reason == "it is slower: the flops profiler measured it");
}

TEST_CASE("Hugging Face's run with DeepSpeed's single steps is theirs, and so is the layout") {
  const std::string log = excerpt("deepspeed.log");
  const std::string begin =
      "***** Running training *****\n"
      "  Total optimization steps = 30\n";
  const auto runs =
      scrape(begin + log + "{'train_runtime': 30.0, 'train_steps_per_second': 1.0}\n");
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].point.trainer == "deepspeed");
  CHECK(steps_of(runs[0]) == std::vector<std::int64_t>{10, 20, 30});
  CHECK(runs[0].end == RunState::kOk);
  // Without them there is only the whole.
  const LogRun whole = only_run(log.substr(0, log.find("[2023-12-29 13:02:49,647]")) + begin +
                                "{'train_runtime': 30.0, 'train_steps_per_second': 1.0}\n");
  CHECK(whole.point.trainer == "huggingface");
  CHECK(whole.point.layout.gpus == 8);
  CHECK(times_of(whole) == std::vector<double>{1000});
}

TEST_CASE("a Megatron log is not also one of DeepSpeed's engine") {
  const auto runs = scrape(
      "------------------------ arguments ------------------------\n"
      "  world_size ...................................... 8\n"
      "-------------------- end of arguments ---------------------\n"
      " iteration       10/    1000 | consumed samples:          640 | elapsed time per iteration "
      "(ms): 2767.3 | learning rate: 1.0E-05 | global batch size:    64 | lm loss: 8.1E+00 | "
      "number "
      "of skipped iterations:   0 |\n" +
      excerpt("deepspeed.log"));
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].format == "megatron");
}
