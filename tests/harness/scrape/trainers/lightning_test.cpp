// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

TEST_CASE("a bar of Lightning shows a moving mean, and its epochs follow each other") {
  const LogRun run = only_run(excerpt("lightning.log"));
  CHECK(run.point.trainer == "lightning");
  CHECK(steps_of(run) == std::vector<std::int64_t>{1, 2, 100, 101});
  CHECK(times_of(run) == std::vector<double>{4150, 2350, 500, 500});
  CHECK(flags_of(run) ==
        std::vector<unsigned>{kFirst | kMovingMean, kMovingMean, kMovingMean, kMovingMean});
  CHECK(run.iterations.at(1).lm_loss == 2.2);
  CHECK(run.point.layout.gpus == 4);
  CHECK(run.end == RunState::kOk);
}

TEST_CASE("a step of Lightning is a batch of its bar, however many optimizers step in it") {
  // Its global_step counts each optimizer's steps since 1.6 (Lightning-AI/pytorch-lightning#17958).
  const LogRun run = only_run(
      "Epoch 0:   1%|1         | 1/200 [00:02<06:38,  2.00s/it, loss=1.93, v_num=3, "
      "global_step=2.0, g_loss=0.70, d_loss=1.23]\n"
      "Epoch 0:   1%|1         | 2/200 [00:03<04:57,  1.50s/it, loss=1.91, v_num=3, "
      "global_step=4.0, g_loss=0.71, d_loss=1.20]\n"
      "Epoch 0: 100%|##########| 200/200 [01:40<00:00,  2.00it/s, loss=1.21, v_num=3, "
      "global_step=4e+2, g_loss=0.81, d_loss=0.40]\n"
      "Epoch 1:   0%|          | 1/200 [00:00<01:39,  2.00it/s, loss=1.20, v_num=3, "
      "global_step=402.0, g_loss=0.82, d_loss=0.38]\n"
      "`Trainer.fit` stopped: `max_steps=402` reached.\n");
  CHECK(steps_of(run) == std::vector<std::int64_t>{1, 2, 200, 201});
  CHECK(times_of(run) == std::vector<double>{2000, 1500, 500, 500});
  CHECK_FALSE(run.planned_iterations);  // steps of two optimizers
  CHECK(run.end == RunState::kOk);
}

TEST_CASE("a bar of Lightning that is being drawn is not read") {
  const LogRun run = only_run(
      "Epoch 0:   1%|1         | 1/100 [00:04<06:50,  4.15s/it, v_num=3]\n"
      "Epoch 0:   2%|1         | 2/100 [00:04<06:50,  2.15s/it, v_n");
  CHECK(steps_of(run) == std::vector<std::int64_t>{1});
}

TEST_CASE("bars of several ranks, each drawn several times for a batch, are of one launch") {
  const struct {
    int rank, batch;
    std::string_view loss;
  } drawn[] = {{0, 1, "3.1"}, {1, 1, "3.1"}, {2, 1, "3.1"}, {0, 2, "3.1"}, {1, 1, "2.2"},
               {0, 2, "2.1"}, {2, 1, "2.2"}, {1, 2, "2.1"}, {2, 2, "2.1"}};
  std::string log;
  for (const auto& bar : drawn)
    log += fmt::format(
        "[rank{0}]: Epoch 0:   {1}%|1         | {1}/100 [00:04<06:50,  {2}s/it, v_num=3, "
        "train_loss={3}]\n",
        bar.rank, bar.batch, bar.rank == 1 ? "2.20" : "2.15", bar.loss);
  const LogRun run = only_run(log);
  CHECK(steps_of(run) == std::vector<std::int64_t>{1, 2});
  CHECK(times_of(run) == std::vector<double>{2200, 2200});
}

TEST_CASE("a bar of Lightning that is drawn again after the validation keeps its pace") {
  const LogRun run = only_run(
      "Epoch 1: 100% 638/638 [22:06<00:00,  2.08s/it, v_num=skpv, train/loss_step=0.657]\n"
      "Validation DataLoader 0: 100% 62/62 [01:59<00:00,  1.93s/it]\n"
      "Epoch 1: 100% 638/638 [24:09<00:00,  2.27s/it, v_num=skpv, train/loss_step=0.657, "
      "val/loss=0.340][2025-12-24 04:21:12,872][train_moe_post][INFO] - =====\n"
      "Epoch 2: 100% 638/638 [21:51<00:00,  2.06s/it, v_num=skpv, train/loss_step=0.778]\n");
  CHECK(steps_of(run) == std::vector<std::int64_t>{1276, 1914});  // bars without room for one
  CHECK(times_of(run) == std::vector<double>{2080, 2060});
  CHECK(run.iterations.at(0).lm_loss == 0.657);
}

TEST_CASE("a bar of Lightning that shows what is left of all steps counts on") {
  const LogRun run = only_run(
      "Epoch 0:   2%|2         | 3744/150000 [3:12:36<125:24:04,  0.32it/s, v_num=35a4, ...]\n"
      "Epoch 1:   0%|          | 0/146256 [00:00<?, ?it/s, v_num=35a4, ...]\n"
      "Epoch 1:   0%|          | 10/146256 [00:31<125:24:04,  0.32it/s, v_num=35a4, ...]\n");
  CHECK(steps_of(run) == std::vector<std::int64_t>{3744, 3754});
}

namespace {

/// A bar as a rank draws it: "1: ", or nothing where there is one process only.
std::string bar_of(std::string_view rank, int epoch, int batch, int total) {
  return fmt::format(
      "{}Epoch {}:  10%|##  | {}/{} [00:01<00:10, 2.00s/it, v_num=0, train_loss={}.{:02}]\n", rank,
      epoch, batch, total, epoch, batch);
}

std::string old_bar_of(int epoch, int batch, int total, std::string_view seconds = "2.00") {
  return fmt::format("Epoch {}:  10%|##  | {}/{} [00:01<00:10, {}s/it, loss={}.{:02}, v_num=0]\n",
                     epoch, batch, total, seconds, epoch, batch);
}

std::vector<std::int64_t> one_to(std::int64_t last) {
  std::vector<std::int64_t> steps;
  for (std::int64_t step = 1; step <= last; ++step) steps.push_back(step);
  return steps;
}

}  // namespace

TEST_CASE("a rank that is behind is in its own epoch of Lightning") {
  std::vector<std::string> bars[2];
  for (int rank = 0; rank < 2; ++rank) {
    for (int step = 0; step < 17; ++step) {
      const int epoch = step < 10 ? 0 : 1;
      bars[rank].push_back(
          bar_of(fmt::format("{}: ", rank), epoch, step - epoch * 10 + 1, epoch == 0 ? 10 : 7));
    }
  }
  const int behind = GENERATE(1, 4);
  std::string log;
  for (int i = 0; i < 17 + behind; ++i) {
    if (i < 17) log += bars[0][static_cast<std::size_t>(i)];
    if (i >= behind) log += bars[1][static_cast<std::size_t>(i - behind)];
  }
  const LogRun run = only_run(log);
  CHECK(steps_of(run) == one_to(17));
  CHECK(run.iterations.at(9).lm_loss == 0.1);
  CHECK(run.iterations.at(10).lm_loss == 1.01);
}

TEST_CASE("an epoch of Lightning goes on from the one before where not all had one total") {
  const int totals[] = {10, 8, 8};
  std::string log;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (int batch = 1; batch <= totals[epoch]; ++batch)
      log += bar_of("", epoch, batch, totals[epoch]);
  }
  const LogRun run = only_run(log);
  CHECK(steps_of(run) == one_to(26));
  CHECK(run.iterations.at(18).lm_loss == 2.01);
}

TEST_CASE("batches of the validation in a Lightning bar's total are no steps") {
  std::string log;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (int batch = 1; batch <= 12; ++batch) {
      if (batch == 11) log += "Validation DataLoader 0: 100%|###| 2/2 [00:01<00:00, 2.0it/s]\n";
      log += old_bar_of(epoch, batch, 12);
    }
  }
  const LogRun run = only_run(log);
  CHECK(steps_of(run) == one_to(30));
  CHECK(run.iterations.at(10).lm_loss == 1.01);
}

TEST_CASE("batches of several validation loaders in a Lightning bar are no steps") {
  const auto validation = [](bool until_1_5) -> std::string {
    if (until_1_5)
      return "Validating: 0it [00:00, ?it/s]\nValidating: 100%|###| 5/5 [00:02<00:00, 2.5it/s]\n";
    return "Validation: 0it [00:00, ?it/s]\n"
           "Validation DataLoader 0: 100%|###| 2/2 [00:01<00:00, 2.0it/s]\n"
           "Validation DataLoader 1: 100%|###| 3/3 [00:01<00:00, 3.0it/s]\n";
  };
  const bool until_1_5 = GENERATE(true, false);
  CAPTURE(until_1_5);
  std::string log;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (int batch = 1; batch <= 15; ++batch) {
      if (batch == 11) log += validation(until_1_5);
      log += old_bar_of(epoch, batch, 15);
    }
  }
  const LogRun run = only_run(log);
  CHECK(steps_of(run) == one_to(30));
  CHECK(run.iterations.at(10).lm_loss == 1.01);
}

TEST_CASE("a Lightning bar that is first drawn in its epoch's validation tells no steps") {
  const auto epoch = [](int number) {
    const std::string begins = "Epoch " + std::to_string(number);
    return begins + ":   0%|          | 0/25 [00:00<?, ?it/s, loss=0.5, v_num=0]\n" +
           (number == 0 ? begins +
                              ":  60%|###   | 15/25 [00:10<00:06,  1.50it/s, loss=0.4, "
                              "v_num=0]\n"
                        : "") +
           "Validation DataLoader 0: 100%|###| 10/10 [00:01<00:00, 9.0it/s]\n" + begins +
           ":  80%|####  | 20/25 [00:11<00:02,  1.80it/s, loss=0.4, v_num=0]\n";
  };
  CHECK(steps_of(only_run(epoch(0) + epoch(1))) == std::vector<std::int64_t>{15});
}

TEST_CASE("behind a validation in the midst of an epoch old Lightning's bars tell no steps") {
  const std::string validation = "Validation DataLoader 0: 100%|#| 2/2 [00:01<00:00, 2.0it/s]\n";
  std::string log;
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (int batch = 1; batch <= 14; ++batch) {
      if (batch == 6 || batch == 13) log += validation;
      log += old_bar_of(epoch, batch, 14);
    }
  }
  CHECK(steps_of(only_run(log)) == one_to(5));
}

TEST_CASE("a second launch of Lightning has not validated yet") {
  const std::string header =
      GENERATE("All distributed processes registered. Starting with 8 processes\n", "");
  std::string log;
  for (const std::string_view seconds : {"2.00", "2.50"}) {
    log += header;
    for (int batch = 1; batch <= 5; ++batch) log += old_bar_of(0, batch, 10, seconds);
    log += "Validation DataLoader 0: 100%|###| 2/2 [00:01<00:00, 2.0it/s]\n";
  }
  const Scraped scraped = scrape_parts([&](const auto& take) { take(log); });
  REQUIRE(scraped.runs.size() == 2);
  CHECK(steps_of(scraped.runs[1]) == one_to(5));
  CHECK(scraped.unused.empty());
}

TEST_CASE("a bar of Lightning without a total is read in its first epoch only") {
  const std::string log =
      "Epoch 0: : 1it [00:26, 26.64s/it, v_num=0, train_loss=13.00]\n"
      "Epoch 0: : 129it [43:14, 20.11s/it, v_num=0, train_loss=0.162]\n"
      "Epoch 1: : 1it [00:26, 26.64s/it, v_num=0, train_loss=0.161]\n";
  const Scraped scraped = scrape_parts([&](const auto& take) { take(log); });
  REQUIRE(scraped.runs.size() == 1);
  CHECK(steps_of(scraped.runs[0]) == std::vector<std::int64_t>{1, 129});
  CHECK(times_of(scraped.runs[0]) == std::vector<double>{26640, 20110});
  CHECK(scraped.unused.size() == 1);
}

TEST_CASE("a bar that counts epochs, or batches of the validation, too, tells no steps") {
  const std::string epochs =
      "Epoch 20/20: 100%|##########| 20/20 [08:35<00:00, 25.77s/it, v_num=1, "
      "train_loss_step=9.58e+3]\n";
  const Scraped of_epochs = scrape_parts([&](const auto& take) { take(epochs); });
  CHECK(of_epochs.runs.empty());
  CHECK(of_epochs.unused.size() == 1);
  const LogRun run = only_run(
      "Epoch 0:  50% 1/2 [00:00<00:00,  6.54it/s, loss=2.29, v_num=0]\n"
      "Validation DataLoader 0: 100% 1/1 [00:00<00:00, 1113.73it/s]\n"
      "Epoch 0: 100% 2/2 [00:00<00:00, 12.33it/s, loss=2.29, v_num=0]\n");
  CHECK(steps_of(run) == std::vector<std::int64_t>{1});
}

TEST_CASE("a long line of Lightning bars that are cut takes no minutes") {
  const std::string cut = GENERATE("Epoch 1: 5%|x", "Epoch 1: 5%|x| ", "Epoch 1: 5%|x| 1/2 [");
  std::string log = bar_of("", 0, 1, 10);
  for (int i = 0; i < 100000; ++i) log += cut;
  log += " v_num=\n";
  const auto begin = std::chrono::steady_clock::now();
  const LogRun run = only_run(log);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  CHECK(steps_of(run) == std::vector<std::int64_t>{1});
  CHECK(seconds.count() < 5);
}
