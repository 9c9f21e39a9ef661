// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <string>

#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

TEST_CASE("MaxText's first four steps are dispatched without waiting: they are no samples") {
  const LogRun run = only_run(excerpt("maxtext.log"));
  CHECK(steps_of(run) == std::vector<std::int64_t>{0, 1, 2, 3, 4, 6, 7, 8, 9});
  CHECK(times_of(run) == std::vector<double>{44923, 319, 5658, 5402, 5669, 5668, 5669, 6668, 5667});
  CHECK(flags_of(run) ==
        std::vector<unsigned>{kFirst, kFirst, kFirst, kFirst, 0, 0, 0, kAfterSave, 0});
  CHECK(run.resolution_ms == 1);
  CHECK(run.iterations.at(3).lm_loss == 11.379);
  CHECK(find_value(run.iterations.at(3).other, "tokens/s/GPU")->number == 9098.189);
}

TEST_CASE("MaxText counts its steps from 0: the last of 10 is step 9") {
  const LogRun run = only_run(excerpt("maxtext.log"));
  CHECK(run.planned_iterations == 9);
  CHECK(run.end == RunState::kOk);
}

TEST_CASE("MaxText's configuration is the model and the layout") {
  const LogRun run = only_run(excerpt("maxtext.log"));
  CHECK(run.point.trainer == "maxtext");
  CHECK(run.point.layout.gpus == 4);
  CHECK(run.point.layout.tp == 2);
  CHECK(run.point.layout.dp == 2);
  CHECK(run.point.layout.gbs == 96);  // 24 on each of 4 devices
  CHECK(run.point.model.seq == 2048);
  CHECK(run.point.model.params == 15933000000);
  CHECK(run.point.model.size == "deepseek2-16b");
  CHECK(run.recompute == "full");
}

TEST_CASE("MaxText's configuration says how many parameters a token meets of a mixture") {
  const auto model = [](const std::string& more) {
    std::string log = excerpt("maxtext.log");
    log.insert(log.find("Num_devices"),
               "Config param num_decoder_layers: 27\nConfig param emb_dim: 2048\n"
               "Config param mlp_dim: 10944\n" +
                   more);
    return only_run(log).point.model;
  };
  const std::string experts = "Config param num_experts: 64\n",
                    of_token = "Config param num_experts_per_tok: 6\n",
                    others =
                        "Config param moe_mlp_dim: 1408\n"
                        "Config param first_num_dense_layers: 1\n";
  const Model mixture = model(experts + of_token + others);
  CHECK(mixture.style == "moe");
  CHECK(mixture.active_params == 15'933'000'000 - std::int64_t{26} * 58 * 3 * 2048 * 1408);
  CHECK(model(experts + others).style == "moe");
  CHECK_FALSE(model(experts + others).active_params);
  CHECK_FALSE(model(experts + of_token + others + "Config param interleave_moe_layer_step: 2\n")
                  .active_params);
  CHECK_FALSE(model(experts + of_token).active_params);  // of so wide experts it has more
  // A width of experts is printed of all models, and is theirs where some layers are dense.
  const std::string usual = "Config param mlp_dim: 1408\nConfig param moe_mlp_dim: 7168\n";
  CHECK(model(experts + of_token + usual).active_params ==
        15'933'000'000 - std::int64_t{27} * 58 * 3 * 2048 * 1408);
  CHECK(model("Config param num_experts: 1\n" + of_token).style.empty());
}

TEST_CASE("MaxText's GB of memory are 2^30 bytes, by device") {
  const LogRun run = only_run(excerpt("maxtext.log"));
  REQUIRE(run.memory.size() == 2);
  CHECK(run.memory[0].allocated_mib == Approx(44.63 * 1024));
  CHECK(run.memory[1].rank == 1);
  CHECK(run.memory[1].allocated_mib == Approx(44.65 * 1024));
}

TEST_CASE("what MaxText saves or evaluates after a step is in the time of the next") {
  std::string log = "Num_devices: 8, shape (1, 8)\n";
  for (int step = 0; step < 12; ++step) {
    if (step == 5) log += "Completed eval after train step 5, loss=3.100, perplexity=22.198\n";
    if (step == 9) log += "saved a checkpoint at step 8\n";
    log += fmt::format("completed step: {}, seconds: 2.1{}, TFLOP/s: 36.722, loss: 2.191\n", step,
                       step % 10);
  }
  const auto flags = flags_of(only_run(log));
  CHECK(flags.at(5) == 0);
  CHECK(flags.at(6) == kAfterEvaluation);
  CHECK(flags.at(8) == 0);
  CHECK(flags.at(9) == kAfterSave);
}

TEST_CASE("MaxText of 2023 prints no tokens, and a log may begin in its midst") {
  const LogRun run = only_run(
      "completed step: 15107, seconds: 2.167, TFLOP/s: 36.722, loss: 2.191\n"
      "completed step: 15108, seconds: 2.164, TFLOP/s: 36.771, loss: 2.173\n"
      "completed step: 15109, seconds: 2.166, TFLOP/s: 36.739, loss: 2.1");
  CHECK(steps_of(run) == std::vector<std::int64_t>{15107, 15108, 15109});
  CHECK(times_of(run) == std::vector<double>{2167, 2164, 2166});
  CHECK(flags_of(run) == std::vector<unsigned>{0, 0, 0});
  CHECK_FALSE(run.iterations.at(2).lm_loss);  // it may be cut
  CHECK(find_value(run.iterations.at(0).other, "TFLOP/s/GPU")->number == 36.722);
  CHECK_FALSE(run.point.layout.gpus);
}

TEST_CASE("MaxDiffusion prints samples, not tokens") {
  const LogRun run = only_run(
      "completed step: 0, seconds: 142.395, TFLOP/s/device: 34.364, loss: 0.270\n"
      "completed step: 1, seconds: 137.207, TFLOP/s/device: 35.664, Samples/s/device: 0.007, "
      "loss: 0.144\n");
  CHECK(times_of(run) == std::vector<double>{142395, 137207});
  CHECK(find_value(run.iterations.at(1).other, "samples/s/GPU")->number == 0.007);
}

TEST_CASE("MaxText's lines while its batch grows, or without a time, are named and not taken") {
  const std::string log =
      "[Rampup Batch Size Phase], completed step: 3, seconds: 1.310, total_weights: 8192, "
      "loss: 9.038\n"
      "[Rampup Batch Size Phase], completed step: 4, seconds: 1.312, total_weights: 8192, "
      "loss: 9.011\n"
      "completed profiler activation/deactivation step: 5, total_weights: 8192, loss: 8.9\n"
      "completed step: 6, seconds: 2.612, TFLOP/s/device: 134.9, Tokens/s/device: 8672.1, "
      "total_weights: 8192, loss: 8.038\n";
  const Scraped scraped = scrape_parts([&](const auto& take) { take(log); });
  REQUIRE(scraped.runs.size() == 1);
  CHECK(steps_of(scraped.runs[0]) == std::vector<std::int64_t>{6});
  REQUIRE(scraped.unused.size() == 2);
  CHECK(scraped.unused[0].count == 2);
  CHECK(scraped.unused[1].count == 1);
}

TEST_CASE("of MaxText's hosts, which all print, the slowest counts") {
  std::string log;
  for (int step = 0; step < 6; ++step) {
    for (int host = 0; host < 4; ++host)
      log += fmt::format(
          "completed step: {}, seconds: 5.66{}, TFLOP/s/device: 134.9, Tokens/s/device: 8672.1, "
          "total_weights: 196608, loss: 10.374\n",
          step, host);
  }
  const LogRun run = only_run(log);
  CHECK(steps_of(run) == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5});
  CHECK(times_of(run) == std::vector<double>(6, 5663));
  CHECK(find_value(run.iterations.at(5).other, "ranks")->number == 4);
  CHECK(find_value(run.iterations.at(5).other, "fastest rank (ms)")->number == 5660);
}

TEST_CASE("a MaxText that starts anew is another launch, which starts up again") {
  const std::string log = excerpt("maxtext.log");
  const auto runs = scrape(log + log);
  REQUIRE(runs.size() == 2);
  CHECK(flags_of(runs[1]) == flags_of(runs[0]));
}

TEST_CASE("MaxText's steps 1 to 3 are no samples where step 0 is not in the log, either") {
  const LogRun run = only_run(
      "2023-10-03 11:48:40.025 PDT\n"
      "completed step: 1, seconds: 8.693, TFLOP/s: 1.731, loss: 9.206\n"
      "2023-10-03 11:48:40.308 PDT\n"
      "completed step: 2, seconds: 0.206, TFLOP/s: 72.958, loss: 9.352\n"
      "2023-10-03 11:48:40.589 PDT\n"
      "completed step: 3, seconds: 0.282, TFLOP/s: 53.464, loss: 9.768\n");
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst, kFirst, kFirst});
}
