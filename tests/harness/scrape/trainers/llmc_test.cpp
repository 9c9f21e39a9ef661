// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

TEST_CASE("llm.c's milliseconds are a step's, and its tokens a second a moving mean") {
  const LogRun run = only_run(excerpt("llmc.log"));
  CHECK(run.point.trainer == "llm.c");
  CHECK(steps_of(run) == std::vector<std::int64_t>{1, 2, 3, 4});
  CHECK(times_of(run) == std::vector<double>{3056.36, 2747.19, 2753.56, 2741.02});
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst, 0, 0, 0});
  CHECK(run.resolution_ms == Approx(0.01));
  CHECK(run.iterations.at(1).lm_loss == 10.539388);
  CHECK(run.iterations.at(1).grad_norm == 43.5996);
  CHECK(run.iterations.at(1).learning_rate == 1.71e-06);
  CHECK(find_value(run.iterations.at(1).other, "MFU %")->number == 47.4);
  CHECK(find_value(run.iterations.at(1).other, "tokens/s (moving mean)")->number == 381690);
  CHECK_FALSE(find_value(run.iterations.at(0).other, "MFU %"));
  CHECK(run.nan_from == 4);
  CHECK(run.planned_iterations == 4);
  CHECK(run.end == RunState::kOk);
}

TEST_CASE("llm.c's table is the model and the layout") {
  const LogRun run = only_run(excerpt("llmc.log"));
  const Point& point = run.point;
  CHECK(point.layout.gpus == 8);
  CHECK(point.layout.dp == 8);
  CHECK(point.layout.mbs == 64);
  CHECK(point.layout.gbs == 1024);  // 1,048,576 tokens of 1,024 each
  CHECK(point.layout.gas == 2);
  CHECK(point.model.seq == 1024);
  CHECK(point.model.layers == 48);
  CHECK(point.model.hidden == 1600);
  CHECK(point.model.heads == 25);
  CHECK(point.model.padded_vocab == 50304);
  CHECK(point.model.params == 1557686400);
  CHECK(find_value(point.axes, "zero")->number == 1);
  CHECK(find_value(point.axes, "precision")->text == "BF16");
  CHECK(run.recompute == "selective");
}

TEST_CASE("llm.c's older lines are read") {
  const LogRun spring = only_run(
      "step    1/18865 | train loss 11.009289 | norm 15.4213 | lr 8.57e-07 | 3056.36 ms | 45.6% "
      "bf16 A100 MFU | 172080 tok/s\n"
      "step    2/18865 | train loss 10.539388 | norm 14.5996 | lr 1.71e-06 | 2747.19 ms | 47.4% "
      "bf16 A100 MFU | 190690 tok/s\n");
  CHECK(times_of(spring) == std::vector<double>{3056.36, 2747.19});
  const LogRun first = only_run(
      "step 1/37: train loss 4.677779 (acc 4.67) (80.109 ms, 51128 tok/s)\n"
      "step 2/37: train loss 5.191569 (acc 4.67) (26.250 ms, 155845 tok/s)\n");
  CHECK(times_of(first) == std::vector<double>{80.109, 26.25});
  CHECK(first.iterations.at(1).lm_loss == 5.191569);
}

TEST_CASE("llm.c's train_gpt2.py prints its time in brackets") {
  const LogRun run = only_run(
      "total desired batch size: 524288\n"
      "=> calculated gradient accumulation steps: 8\n"
      "step    1/19560 | train loss 11.009289 | norm 15.4213 | lr 8.57e-07 | (3056.36 ms | 171540 "
      "tok/s)\n"
      "step    2/19560 | train loss 10.539388 | norm 14.5996 | lr 1.71e-06 | (2747.19 ms | 190845 "
      "tok/s)\n"
      "step    3/19560 | train loss 10.539388 | norm 14.5996 | lr 1.71e-06 | (2747.19 ms | 190");
  CHECK(times_of(run) == std::vector<double>{3056.36, 2747.19});
  CHECK(run.point.layout.gas == 8);
  CHECK(run.planned_iterations == 19560);
  CHECK_FALSE(run.end);
}

TEST_CASE("a second llm.c in a log is another launch") {
  const auto runs = scrape(excerpt("llmc.log") + excerpt("llmc.log"));
  REQUIRE(runs.size() == 2);
  CHECK(flags_of(runs[1]) == flags_of(runs[0]));
}

TEST_CASE("llm.c's layout is also said below its table, which may be cut") {
  const std::string steps =
      "step    1/21479 | loss 11.007906 (+nanz)| norm 16.3235 (+nanz)| lr 2.86e-06 | 2734.72 ms | "
      "-100.0% bf16 MFU | 167751 tok/s\n"
      "step    2/21479 | loss 10.829729 (+nanz)| norm 15.0011 (+nanz)| lr 5.71e-06 | 2391.52 ms | "
      "-100.0% bf16 MFU | 191824 tok/s\n";
  const std::string row =
      "| max_sequence_length T | 2048                                               |\n";
  const Layout layout =
      only_run(row +
               "batch_size B=56 * seq_len T=1024 * num_processes=2 and total_batch_size=458752\n"
               "=> setting grad_accum_steps=4\n" +
               steps)
          .point.layout;
  CHECK(layout.gpus == 2);
  CHECK(layout.dp == 2);
  CHECK(layout.mbs == 56);
  CHECK(layout.gas == 4);
  CHECK(layout.gbs == 448);
  const Point old = only_run(
                        "| batch size B          | 16                                             "
                        "    |\n" +
                        row + steps)
                        .point;
  CHECK(old.layout.mbs == 16);
  CHECK(old.model.seq == 2048);
}
