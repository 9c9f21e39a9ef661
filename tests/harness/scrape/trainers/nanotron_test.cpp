// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <string>

#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

namespace {

std::string line_of(std::string_view rest) {
  return fmt::format("10/17/2025 16:31:56 [INFO|DP=0|PP=0|TP=0]: iteration: {}\n", rest);
}

}  // namespace

TEST_CASE("nanotron's times have three digits and a suffix") {
  const LogRun run = only_run(excerpt("nanotron.log"));
  CHECK(run.point.trainer == "nanotron");
  CHECK(steps_of(run) == std::vector<std::int64_t>{327281, 327282, 327283, 327284});
  CHECK(times_of(run) == std::vector<double>{21500, 11500, 11000, 11500});
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst, 0, 0, 0});
  CHECK(run.resolution_ms == Approx(100));  // also of "11K", which is 11.0K
  CHECK(run.planned_iterations == 327284);
  CHECK(run.end == RunState::kOk);
  CHECK(run.iterations.at(1).lm_loss == 2.35);
  CHECK(run.iterations.at(1).grad_norm == 1.22);
}

TEST_CASE("nanotron's plan and arguments are the layout") {
  const LogRun run = only_run(excerpt("nanotron.log"));
  const Layout layout = run.point.layout;
  CHECK(layout.dp == 1);
  CHECK(layout.pp == 2);
  CHECK(layout.tp == 1);
  CHECK(layout.gpus == 2);
  CHECK(layout.mbs == 2);
  CHECK(layout.gas == 32);
  CHECK(layout.gbs == 64);
  CHECK(run.point.model.seq == 4096);
  CHECK(run.point.model.params == 1610000000);
  REQUIRE(run.memory.size() == 1);
  CHECK(run.memory[0].max_reserved_mib == 1552);
  CHECK(run.memory[0].max_allocated_mib == 1540.2);
}

TEST_CASE("without nanotron's header its rates tell GPUs and sequence length") {
  const std::string log = excerpt("nanotron.log");
  const LogRun run = only_run(log.substr(log.find("10/17/2025 16:31:56")));
  CHECK(run.point.layout.gpus == 2);
  CHECK(run.point.layout.gbs == 64);
  CHECK(run.point.model.seq == 4096);
  CHECK(flags_of(run) == std::vector<unsigned>{0, 0, 0, 0});
}

TEST_CASE("nanotron's batch is in tokens since its time has a shorter name") {
  const LogRun run = only_run(
      "seq_len: 4096 | mbs: 4 | batch_accum: 8 | gbs: 1.05M | train_steps: 100 | "
      "total_tokens: 105M\n"
      "tp: 2 | pp: 1 | dp: 8 | cp: 1 | ep: 1\n"
      "zero_stage: 1 | full_checkpointing: False\n" +
      line_of("1 / 100 | consumed_tokens: 1.05M | time_per_iteration_ms: 9.5K | "
              "tokens_per_sec: 110K | tokens_per_sec_per_gpu: 6.9K | global_batch_size: 1.05M | "
              "grad_norm: 2.1 | lm_loss: 11 | lr: 3e-05 | model_tflops_per_gpu: 301 | "
              "eta: 0:15:40") +
      line_of("2 / 100 | consumed_tokens: 2.1M | time_per_iteration_ms: 999 | "
              "tokens_per_sec: 1.05M | tokens_per_sec_per_gpu: 65.6K | global_batch_size: 1.05M | "
              "grad_norm: 2.1 | lm_loss: nan | lr: 3e-05 | model_tflops_per_gpu: 301 | "
              "eta: 0:01:38"));
  CHECK(times_of(run) == std::vector<double>{9500, 999});
  CHECK(run.resolution_ms == Approx(1));
  CHECK(run.point.layout.gpus == 16);
  CHECK(run.point.layout.tp == 2);
  CHECK_FALSE(run.point.layout.gbs);  // 1,048,576 tokens of unknown length
  CHECK(run.nan_from == 2);
  CHECK(find_value(run.point.axes, "zero")->number == 1);
}

TEST_CASE("a batch that nanotron rounded is none") {
  const LogRun run = only_run(
      line_of("1 / 100 | consumed_tokens: 1.05M | elapsed_time_per_iteration_ms: 9.5K | "
              "tokens_per_sec: 110K | tokens_per_sec_per_gpu: 6.9K | global_batch_size: 1.54K | "
              "lm_loss: 11"));
  CHECK_FALSE(run.point.layout.gbs);
  const LogRun power = only_run(
      line_of("1 / 100 | consumed_tokens: 1.05M | elapsed_time_per_iteration_ms: 9.5K | "
              "tokens_per_sec: 110K | tokens_per_sec_per_gpu: 6.9K | global_batch_size: 1.02K | "
              "lm_loss: 11"));
  CHECK(power.point.layout.gbs == 1024);
}

TEST_CASE("nanotron's torn lines are named and not taken") {
  const std::string whole =
      "consumed_tokens: 634K | elapsed_time_per_iteration_ms: 45 | tokens_per_sec: 14.2K | "
      "tokens_per_sec_per_gpu: 1.78K | global_batch_size: 20 | lm_loss: 10.6";
  const std::string log =
      line_of("991 / 1000 | " + whole) + line_of("992 / 10") +
      line_of("993 / 1000 | consumed_tokens: 634K | elapsed_time_per_iteration_ms: 4") +
      line_of(
          "994 / 1000 | consumed_tokens: 634K | elapsed_time_per_iteration_ms: "
          "01/17/2024 13:47:27 [INFO|DP=0|PP=1|TP=0]: iteration: 994 / 1000 | " +
          whole) +
      "634K | elapsed_time_per_iteration_ms: 4.5 | tokens_per_sec: 14.2K | lm_loss: 10.6\n" +
      line_of("995 / 1000 | " + whole);
  const Scraped scraped = scrape_parts([&](const auto& take) { take(log); });
  REQUIRE(scraped.runs.size() == 1);
  CHECK(steps_of(scraped.runs[0]) == std::vector<std::int64_t>{991, 995});
  CHECK(times_of(scraped.runs[0]) == std::vector<double>{45, 45});
  CHECK(scraped.runs[0].resolution_ms == Approx(0.1));
  REQUIRE(scraped.unused.size() == 1);
  CHECK(scraped.unused[0].count == 3);
}

TEST_CASE("a nanotron line that is being written is read once its time is whole") {
  const std::string log = excerpt("nanotron.log"), time = "iteration_ms: ";
  const auto begin = log.rfind(time) + time.size();
  CHECK(only_run(log.substr(0, begin + 2)).iterations.size() == 3);
  CHECK(only_run(log.substr(0, log.size() - 1)).iterations.size() == 4);
}
