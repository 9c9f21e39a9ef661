// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <string>

#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

namespace {

std::string block(int batch, std::string_view head, std::string_view rest) {
  return fmt::format("{}\n\t Train time/batch: {}\n\t Train time/sample: {}\n{}", head, batch - 1,
                     (batch - 1) * 1024, rest);
}

}  // namespace

TEST_CASE("Composer's samples a second are moving means of a step") {
  const LogRun run = only_run(excerpt("composer.log"));
  CHECK(run.point.trainer == "composer");
  CHECK(steps_of(run) == std::vector<std::int64_t>{2, 6});
  CHECK(times_of(run).at(0) == Approx(256 / 2.7330 * 1000));
  CHECK(times_of(run).at(1) == Approx(256 / 2.74 * 1000));
  CHECK(flags_of(run) == std::vector<unsigned>{kMovingMean | kAfterEvaluation, kMovingMean});
  CHECK(run.resolution_ms == Approx(256 / 2.74 * 1000 * 0.0001 / 2.74));
  CHECK(run.iterations.at(0).lm_loss == 10.375);
  CHECK(run.iterations.at(0).learning_rate == 0.0001);
  CHECK(run.iterations.at(0).gbs == 256);
  CHECK(run.iterations.at(0).consumed_samples == 512);  // with this step's
  CHECK(find_value(run.iterations.at(0).other, "time/train (hours)")->number == 0.0441);
  CHECK(run.nan_from == 6);
  CHECK(run.planned_iterations == 6);
  CHECK(run.end == RunState::kOk);
}

TEST_CASE("Composer's settings and counters are the layout, and its GB are 10^9 bytes") {
  const LogRun run = only_run(excerpt("composer.log"));
  CHECK(run.point.layout.gpus == 16);
  CHECK(run.point.layout.mbs == 16);
  CHECK(run.point.layout.gbs == 256);
  CHECK(run.point.model.seq == 4096);  // 1,048,576 tokens in 256 samples
  CHECK(find_value(run.point.axes, "precision")->text == "amp_bf16");
  REQUIRE(run.memory.size() == 1);
  CHECK(run.memory[0].max_reserved_mib == Approx(51.328e9 / 1048576));
  CHECK(run.memory[0].max_allocated_mib == Approx(44.642e9 / 1048576));
  CHECK(run.memory[0].allocated_mib == Approx(9.7173e9 / 1048576));
}

TEST_CASE("without Composer's settings its rates tell the GPUs, and its counters the batch") {
  std::string log;
  for (int batch = 11; batch < 14; ++batch)
    log += block(batch, fmt::format("[batch={}/48000]:", batch),
                 "\t Train throughput/batches_per_sec: 0.0027\n"
                 "\t Train throughput/samples_per_sec: 2.7330\n"
                 "\t Train throughput/tokens_per_sec: 11194.2340\n"
                 "\t Train throughput/device/tokens_per_sec: 699.6396\n");
  const LogRun run = only_run(log);
  CHECK(run.point.layout.gpus == 16);
  CHECK(run.point.layout.gbs == 1024);
  CHECK(times_of(run).at(0) == Approx(374680).epsilon(1e-5));  // not 370,370 of 0.0027
  CHECK(run.planned_iterations == 48000);
}

TEST_CASE("Composer's memory before 0.13 is in bytes, and its sum of all allocations is none") {
  const LogRun run = only_run(
      "[batch=12/4800]:\n"
      "\t Train memory/alloc_requests: 119001\n"
      "\t Train memory/allocated_mem: 8001000000000\n"
      "\t Train memory/active_mem: 4000000000\n"
      "\t Train memory/reserved_mem: 40000028672\n"
      "\t Train throughput/samples_per_sec: 83.4001\n"
      "\t Train throughput/batches_per_sec: 0.3258\n");
  REQUIRE(run.memory.size() == 1);
  CHECK_FALSE(run.memory[0].allocated_mib);
  CHECK(run.memory[0].reserved_mib == Approx(40000028672 / 1048576.0));
  CHECK_FALSE(run.memory[0].max_allocated_mib);
}

TEST_CASE("without counters Composer's rates tell the batch and the sequence") {
  const auto block_of = [](int batch, const char* samples, const char* batches,
                           const char* tokens) {
    return fmt::format(
        "[batch={}/4800]:\n\t Train throughput/batches_per_sec: {}\n"
        "\t Train throughput/samples_per_sec: {}\n\t Train throughput/tokens_per_sec: {}\n",
        batch, batches, samples, tokens);
  };
  const std::string first = block_of(12, "83.4001", "0.3258", "170803.4048");
  const LogRun run = only_run(first + block_of(13, "83.4000", "0.3258", "170803.2000"));
  CHECK(run.point.layout.gbs == 256);
  CHECK(run.point.model.seq == 2048);
  CHECK(find_value(run.derived, "gbs")->text == "samples_per_sec / batches_per_sec");
  CHECK(find_value(run.derived, "seq")->text == "tokens_per_sec / samples_per_sec");
  CHECK(times_of(run).at(0) == Approx(256 / 83.4001 * 1000));
  // 1000 and 1024 are as near to the digits of such a rate.
  const LogRun unsure = only_run(block_of(12, "2.7000", "0.0027", "19683.5417"));
  CHECK_FALSE(unsure.point.layout.gbs);
  CHECK_FALSE(unsure.point.model.seq);
  CHECK(times_of(unsure).at(0) == Approx(1000 / 0.0027));
  // Texts of any length.
  const LogRun padded = only_run(first + block_of(13, "83.4000", "0.3258", "170886.6000"));
  CHECK(padded.point.layout.gbs == 256);
  CHECK_FALSE(padded.point.model.seq);
}

TEST_CASE("of Composer's window it is known of how many steps it is the mean") {
  std::string log = "speed_monitor:\n    window_size: 10\n";
  for (const int batch : {20, 30, 35})
    log += block(batch, fmt::format("[batch={}/100]:", batch),
                 "\t Train throughput/samples_per_sec: 1024.0000\n");
  const LogRun run = only_run(log);
  CHECK(intervals_of(run) == std::vector<std::int64_t>{10, 10, 1});
  CHECK(flags_of(run) == std::vector<unsigned>{kIntervalMean, kIntervalMean, kMovingMean});
  CHECK(times_of(run) == std::vector<double>{1000, 1000, 1000});
}

TEST_CASE("Composer's epochs go on in its count of batches") {
  std::string log;
  for (int batch = 4; batch < 8; ++batch)
    log +=
        block(batch, fmt::format("[epoch={}][batch={}/5]:", batch > 5 ? 2 : 1, (batch - 1) % 5 + 1),
              "\t Train throughput/samples_per_sec: 2.7330\n");
  const LogRun run = only_run(log);
  CHECK(steps_of(run) == std::vector<std::int64_t>{4, 5, 6, 7});
  CHECK_FALSE(run.planned_iterations);
}

TEST_CASE("a Composer block without a speed is named and not taken") {
  const std::string log = excerpt("composer.log");
  const Scraped scraped = scrape_parts([&](const auto& take) { take(log); });
  REQUIRE(scraped.unused.size() == 1);
  CHECK(scraped.unused[0].reason == "it does not say a speed above 0");
  CHECK(scraped.unused[0].first == "[batch=1/6]:");
  CHECK(scraped.unused[0].count == 1);
}

TEST_CASE("a Composer block that is cut gives no number that is cut") {
  const std::string log = excerpt("composer.log");
  const auto cut = log.rfind("2.7400");
  const LogRun run = only_run(log.substr(0, cut + 3));
  CHECK(times_of(run).size() == 2);
  CHECK(times_of(run).at(1) == Approx(1000 / 0.0107));  // of the whole line before it
}
