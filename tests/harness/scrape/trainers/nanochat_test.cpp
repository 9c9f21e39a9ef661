// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

TEST_CASE("nanochat's first eleven steps are no samples, as it says itself") {
  const LogRun run = only_run(excerpt("nanochat.log"));
  CHECK(run.point.trainer == "nanochat");
  CHECK(steps_of(run) == std::vector<std::int64_t>{0, 1, 10, 11, 12});
  CHECK(times_of(run) == std::vector<double>{22905.19, 430.11, 429.09, 429.12, 429.14});
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst | kAfterEvaluation, kFirst, kFirst, 0, 0});
  CHECK(run.planned_iterations == 12);  // 13 steps, counted from 0
  CHECK(run.end == RunState::kOk);
  CHECK(run.iterations.at(1).lm_loss == 10.986);
  CHECK(find_value(run.iterations.at(1).other, "tokens/s")->number == 1218964);
}

TEST_CASE("nanochat's tokens are the layout") {
  const LogRun run = only_run(excerpt("nanochat.log"));
  CHECK(run.point.layout.gpus == 8);
  CHECK(run.point.layout.dp == 8);
  CHECK(run.point.layout.mbs == 32);
  CHECK(run.point.layout.gas == 1);
  CHECK(run.point.layout.gbs == 256);
  CHECK(run.point.model.seq == 2048);
  CHECK(run.point.model.params == 560988160);
  REQUIRE(run.memory.size() == 1);
  CHECK(run.memory[0].max_allocated_mib == 75422.02);
}

TEST_CASE("nanochat's lines are read where they are glued to each other") {
  const LogRun run = only_run(
      "step 00050/200000 (0.03%) | loss: 6.1 | lrm: 1.00 | dt: 1343.33ms | tok/sec: 12,196 | "
      "bf16_mfu: 0.00 | epoch: 1 | total time: 0.90mstep 00051/200000 (0.03%) | loss: 6.2 | lrm: "
      "1.00 | dt: 1436.54ms | tok/sec: 11,405 | bf16_mfu: 0.00 | epoch: 1 | total time: 0.92m\n"
      "Step 00052 | Validation bpb: 1.3013step 00052/200000 (0.03%) | loss: 6.3 | lrm: 1.00 | "
      "dt: 1343.35ms | tok/sec: 12,196 | bf16_mfu: 0.00 | epoch: 1 | total time: 0.94m\n");
  CHECK(steps_of(run) == std::vector<std::int64_t>{50, 51, 52});
  CHECK(times_of(run) == std::vector<double>{1343.33, 1436.54, 1343.35});
  CHECK(run.iterations.at(1).lm_loss == 6.2);
  CHECK(flags_of(run) == std::vector<unsigned>{0, 0, kAfterEvaluation});
}

TEST_CASE("nanochat's first step after an evaluation is flagged") {
  const auto step = [](const std::string& number, const std::string& ms) {
    return "step " + number + " (39.35%) | loss: 1.53 | lrm: 0.39 | dt: " + ms +
           "ms | tok/sec: 434,605 | mfu: 19.18 | total time: 2.55m\n";
  };
  const LogRun run = only_run(
      step("00299", "479.10") + step("00300", "478.04") + "Step 00300 | Validation bpb: 0.4624\n" +
      step("00301", "1206.35") + step("00302", "467.15") + "Step 00302 | CORE metric: 0.2211\n" +
      step("00303", "481.20") + "Step 00303 | ChatCORE: 0.1 | ChatCORE_cat: 0.2\n" +
      step("00304", "478.04") + "Step 00304 | what somebody wrote\n" + step("00305", "614.28"));
  CHECK(flags_of(run) ==
        std::vector<unsigned>{0, 0, kAfterEvaluation, 0, kAfterEvaluation, kAfterEvaluation, 0});
}

TEST_CASE("nanochat's model is known from its configuration") {
  const std::string config =
      "2025-10-15 18:32:37,457 - nanochat.checkpoint_manager - INFO - Building model with config: "
      "{'sequence_len': 2048, 'vocab_size': 65536, 'n_layer': 20, 'n_head': 10, 'n_kv_head': 10, "
      "'n_embd': 1280}\n";
  const auto runs = scrape(config + excerpt("nanochat.log") + excerpt("nanochat.log"));
  REQUIRE(runs.size() == 2);
  const Model& model = runs[0].point.model;
  CHECK(model.layers == 20);
  CHECK(model.hidden == 1280);
  CHECK(model.heads == 10);
  CHECK(model.kv_heads == 10);
  CHECK_FALSE(model.vocab);
  CHECK(model.seq == 2048);
  CHECK(model.params == 560988160);
  CHECK_FALSE(runs[1].point.model.layers);  // it may be another
}

TEST_CASE("nanochat's fine-tuning prints no number of steps") {
  const LogRun run = only_run(
      "step 00020 (0.03%) | loss: 1.100000 | lrm: 1.00 | dt: 343.33ms | tok/sec: 1,527,067 | "
      "mfu: 44.00 | epoch: 1 | total time: 0.90m\n"
      "step 00021 (0.03%) | loss: nan | lrm: 1.00 | dt: 343.34ms | tok/sec: 1,527,023 | "
      "mfu: 44.00 | epoch: 1 | total time: 0.91m\n"
      "step 00022 (0.03%) | loss: nan | lrm: 1.00 | dt: 343.34ms | tok/sec: 1,527\n");
  CHECK(steps_of(run) == std::vector<std::int64_t>{20, 21});
  CHECK_FALSE(run.planned_iterations);
  CHECK(run.nan_from == 21);
}

TEST_CASE("each of nanochat's stages in a log is a launch") {
  const auto runs = scrape(excerpt("nanochat.log") + excerpt("nanochat.log"));
  REQUIRE(runs.size() == 2);
  CHECK(flags_of(runs[1]) == flags_of(runs[0]));
}
