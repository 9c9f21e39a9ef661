// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <string>
#include <vector>

#include "harness/scrape/trainers/progress_bar.h"
#include "tests/harness/scrape/trainers/huggingface_lines.h"

using namespace pippin;
using namespace pippin::test;

TEST_CASE("a bar that took as long tells after how many steps Hugging Face stopped") {
  const std::string total =
      "{'train_runtime': 300.5, 'train_samples_per_second': 99.9, 'train_steps_per_second': 6.656, "
      "'epoch': 1.8}\n";
  const auto early =
      only_run(header(2000) + " 60%|######    | 1200/2000 [05:00<03:20,  4.0it/s]\n" + total);
  CHECK(steps_of(early) == std::vector<std::int64_t>{1200});
  CHECK(times_of(early).front() == Approx(300500.0 / 1200));
  // The last steps are drawn later, or never.
  const auto late =
      only_run(header(2000) + " 99%|######### | 1998/2000 [05:00<00:00,  6.6it/s]\n" + total);
  CHECK(steps_of(late) == std::vector<std::int64_t>{2000});
  // Those of an evaluation and of a data set are others.
  const auto others = only_run(header(2000) + "100%|##########| 32/32 [05:00<00:00,  4.0it/s]\n" +
                               "Map: 100%|##########| 900/2000 [05:00<00:00,  4.0it/s]\n" + total);
  CHECK(steps_of(others) == std::vector<std::int64_t>{2000});
}

TEST_CASE("without Hugging Face's header a bar tells the steps, also one that comes later") {
  const std::string bar = "100%|##########| 2000/2000 [05:00<00:00,  6.66it/s]";
  const std::string total =
      "{'train_runtime': 300.5, 'train_samples_per_second': 99.9, 'train_steps_per_second': 6.656}";
  for (const auto& log :
       {bar + total + "\n", bar + "\r" + total + "\n", total + "\n\n" + bar + "\n"}) {
    INFO(log);
    const LogRun run = only_run(log);
    CHECK(steps_of(run) == std::vector<std::int64_t>{2000});
    CHECK(run.resolution_ms == Approx(100.0 / 2000));
  }
}

TEST_CASE("a run of Hugging Face that did not end has the time of its bar") {
  const LogRun run =
      only_run(header(873) +
               " 32%|###7      | 283/873 [25:44<47:06,  4.79s/it]\n"
               "{'loss': 0.8635, 'learning_rate': 0.0001369640787949015, 'epoch': 0.97}\n\n"
               " 33%|###8      | 284/873 [25:49<45:20,  4.62s/it]\n"
               "100%|##########| 900/900 [30:49<00:00,  4.62it/s]\n");
  CHECK(steps_of(run) == std::vector<std::int64_t>{284});
  CHECK(intervals_of(run) == std::vector<std::int64_t>{284});
  CHECK(times_of(run).front() == Approx(1549000.0 / 284));
  CHECK(run.resolution_ms == Approx(1000.0 / 284));
  CHECK(flags_of(run) == std::vector<unsigned>{kWholeRun});
  const LogRun resumed = only_run(header(873, "  Continuing training from global step 280\n") +
                                  " 33%|###8      | 284/873 [00:24<45:20,  4.62s/it]\n");
  CHECK(times_of(resumed).front() == Approx(6000.0));
}

TEST_CASE("what a Hugging Face run does before its first step is in no time of its bar") {
  const LogRun run = only_run(header(2133) +
                              "  0%|          | 0/2133 [00:00<?, ?it/s]\r"
                              "  0%|          | 0/2133 [14:18<?, ?it/s]\r"
                              "  0%|          | 1/2133 [14:59<532:38:19, 899.39s/it]\r"
                              "  0%|          | 2/2133 [15:33<231:12:46, 390.60s/it]\r"
                              "  2%|2         | 45/2133 [42:47<21:36:58, 37.27s/it]\n");
  CHECK(steps_of(run) == std::vector<std::int64_t>{45});
  CHECK(intervals_of(run) == std::vector<std::int64_t>{44});
  CHECK(times_of(run).front() == Approx(1668000.0 / 44));
  CHECK(run.resolution_ms == Approx(1000.0 / 44));
  const LogRun resumed = only_run(header(2000, "  Continuing training from global step 1500\n") +
                                  " 75%|7  | 1500/2000 [00:00<?, ?it/s]\r"
                                  " 75%|7  | 1501/2000 [00:40<5:32:00, 40.0s/it]\r"
                                  " 75%|7  | 1511/2000 [01:00<16:18, 2.0s/it]\n");
  CHECK(intervals_of(resumed) == std::vector<std::int64_t>{10});
  CHECK(times_of(resumed) == std::vector<double>{2000});
}

TEST_CASE("a bar of Hugging Face that is drawn anew after its last step makes that no longer") {
  const LogRun run = only_run(header(120) +
                              "  1%|          | 1/120 [03:05<6:07:17, 185.19s/it]\n"
                              " 20%|##        | 24/120 [1:02:17<3:59:17, 149.55s/it]\n"
                              "TypeError: iteration over a 0-d tensor\n"
                              " 20%|##        | 24/120 [1:03:31<4:14:06, 158.81s/it]\n");
  CHECK(intervals_of(run) == std::vector<std::int64_t>{23});
  CHECK(times_of(run).front() == Approx(3552000.0 / 23));
}

TEST_CASE("the first step of a Hugging Face run alone has the start-up in it") {
  const LogRun run = only_run(header(120) + "  1%|  | 1/120 [03:05<6:07:17, 185.19s/it]\n");
  CHECK(times_of(run) == std::vector<double>{185000});
  CHECK(flags_of(run) == std::vector<unsigned>{kWholeRun | kFirst});
}

TEST_CASE("the bar of an evaluation that has as many steps as Hugging Face's training is another") {
  const auto bar = [](int done, const char* took) {
    return fmt::format("\r 10%|#   | {}/100 [{}<1:00:00, 2.00s/it]", done, took);
  };
  const LogRun run =
      only_run(header(100) + bar(0, "00:00") + bar(1, "00:30") + bar(50, "10:00") + "\n" +
               bar(0, "00:00") + bar(2, "00:02") + bar(50, "10:20") + bar(40, "00:40") +
               bar(50, "10:40") + bar(51, "10:52") + bar(81, "16:40") + "\n");
  CHECK(intervals_of(run) == std::vector<std::int64_t>{80});
  CHECK(times_of(run).front() == Approx(970000.0 / 80));
}

TEST_CASE("an evaluation between the steps of a Hugging Face bar is in its time") {
  const auto bar = [](int done, const char* took) {
    return fmt::format("\r 10%|#   | {}/100 [{}<1:00:00, 2.00s/it]", done, took);
  };
  const std::string begins =
      "[INFO|trainer.py:4643] 2026-02-06 09:32:25,577 >> \n"
      "***** Running Evaluation *****\n  Num examples = 24\n";
  const std::string before = header(100) + bar(0, "00:00"), first = bar(1, "00:30");
  const auto flags = [&](const std::string& rest) { return flags_of(only_run(before + rest)); };
  using Flags = std::vector<unsigned>;
  const std::string later = bar(50, "10:00"), last = bar(81, "20:00");
  CHECK(flags(first + later + begins + last) == Flags{kWholeRun | kAfterEvaluation});
  CHECK(flags(begins + first + later + last) == Flags{kWholeRun});
  CHECK(flags(first + later + last + begins + bar(81, "20:40")) == Flags{kWholeRun});
  CHECK(flags(begins + bar(81, "20:00")) == Flags{kWholeRun | kAfterEvaluation});
  // What it came to may be printed long after.
  for (const char* figures :
       {"{'eval_loss': 1.2, 'epoch': 0.5}\n", "{'eval_loss': '1.2', 'eval_runtime': '3.21'}\n",
        "{'eval_wikitext_loss': 1.2, 'eval_wikitext_runtime': 3.21}\n"}) {
    CHECK(flags(first + later + last + figures) == Flags{kWholeRun | kAfterEvaluation});
    CHECK(flags(figures + first + later + last) == Flags{kWholeRun});
  }
  CHECK(flags(first + "{'eval_steps': 500, 'metric_for_best_model': 'eval_loss', 'a': 1}\n" +
              last) == Flags{kWholeRun});
  // A checkpoint, too.
  CHECK(flags(first + later + "\nSaving model checkpoint to out/checkpoint-50\n" + last) ==
        Flags{kWholeRun | kAfterSave});
  CHECK(flags(first + later + last + "\nSaving model checkpoint to out/checkpoint-81\n") ==
        Flags{kWholeRun});
}

TEST_CASE("the bar of diffusers' scripts is Hugging Face's, too") {
  const LogRun run = only_run(
      "12/12/2024 07:07:23 - INFO - __main__ - ***** Running training *****\n"
      "12/12/2024 07:07:23 - INFO - __main__ -   Total optimization steps = 200000\n"
      "Steps:   0%|          | 0/200000 [00:00<?, ?it/s]\r"
      "Steps:   0%|          | 3/200000 [00:12<228:23:10,  4.11s/it, loss=0.00152, lr=0.0001]\n");
  CHECK(times_of(run) == std::vector<double>{4000});
}

TEST_CASE("the bar above which Hugging Face prints its losses is that of all steps") {
  const std::string loss = "{'loss': -0.0684, 'grad_nor";
  const std::string bar = "\n  0%|          | 3/1562 [18:48<164:33:29, 379.99s/it]\n";
  const LogRun run = only_run(bar + "                      \n" + loss + "\n");
  CHECK(steps_of(run) == std::vector<std::int64_t>{3});
  CHECK(times_of(run) == std::vector<double>{376000});
  CHECK(intervals_of(run) == std::vector<std::int64_t>{3});
  CHECK(flags_of(run) == std::vector<unsigned>{kWholeRun});
  CHECK(run.planned_iterations == 1562);
  CHECK_FALSE(run.end);
  CHECK(times_of(only_run("Train:   0%|  | 3/1562 [18:48<164:33:29, 379.99s/it]" + loss + "\n")) ==
        std::vector<double>{376000});
  // Other loops that print a loss, and those of several bars.
  CHECK(scrape(bar + "{'loss': 0.5, 'accuracy': 0.25}\n").empty());
  CHECK(reason_of(bar + loss + "\n 5%|# | 5/98 [00:10<09:33, 2.00s/it]\n" + loss + "\n") ==
        "it says no time of a step, and the bars before such lines count to several numbers");
}

TEST_CASE("a bar of Hugging Face without a header may count steps of a run before") {
  const std::string loss = "{'loss': 1.5, 'learning_rate': 1e-05, 'epoch': 0.5}\n";
  const auto bar = [](int done, const char* took, const char* rate) {
    return fmt::format("\r 10%|#   | {}/1000 [{}<1:00:00, {}s/it]\n", done, took, rate);
  };
  CHECK(reason_of(bar(300, "01:40", "2.00") + loss) ==
        "it says no time of a step, and its bar may count steps of a run before: its seconds do "
        "not fit its rate");
  const LogRun resumed =
      only_run(bar(0, "00:00", "?") + bar(251, "00:03", "0.01") + bar(301, "01:43", "1.98") + loss);
  CHECK(steps_of(resumed) == std::vector<std::int64_t>{301});
  CHECK(intervals_of(resumed) == std::vector<std::int64_t>{50});
  CHECK(times_of(resumed) == std::vector<double>{2000});
  // A total is of the steps that this run made.
  const std::string total =
      "{'train_runtime': 1501.0, 'train_steps_per_second': 0.666, 'epoch': 1.0}\n";
  CHECK(reason_of(bar(0, "00:00", "?") + bar(251, "00:03", "0.01") + bar(999, "25:00", "2.00") +
                  total) == "it goes on from a checkpoint, and nothing says from which step");
  CHECK(times_of(only_run(bar(0, "00:00", "?") + bar(3, "00:06", "2.00") +
                          bar(999, "24:58", "1.50") + total)) == std::vector<double>{1501});
  const LogRun whole = only_run(bar(1, "00:08", "8.00") + bar(101, "03:28", "2.00") + loss);
  CHECK(intervals_of(whole) == std::vector<std::int64_t>{100});
  CHECK(times_of(whole) == std::vector<double>{2000});
}

TEST_CASE("bars of Hugging Face runs that begin anew without a header are not mixed") {
  const auto bar = [](int done, const char* took) {
    return fmt::format("\r 10%|#   | {}/1000 [{}<1:00:00, 2.00s/it]\n", done, took);
  };
  const std::string killed =
      bar(0, "00:00") + bar(1, "00:08") + losses({0.25}) + bar(500, "16:40") + losses({0.5});
  const auto runs = scrape(killed + bar(0, "00:00") + bar(401, "00:03") + losses({0.45}, 1.9) +
                           bar(451, "02:33"));
  REQUIRE(runs.size() == 2);
  CHECK(steps_of(runs[0]) == std::vector<std::int64_t>{500});
  CHECK(times_of(runs[0]).front() == Approx(992000.0 / 499));
  CHECK(steps_of(runs[1]) == std::vector<std::int64_t>{451});
  CHECK(intervals_of(runs[1]) == std::vector<std::int64_t>{50});
  CHECK(times_of(runs[1]) == std::vector<double>{3000});
}

TEST_CASE("bars of tqdm say how far they are") {
  const auto bars = bars_in(
      "Map: 50%|#####     | 5/10 [00:01<00:01, 5.0it/s] 12%|#3       | 31/1,260 [1:02:38<00:00, "
      "1.64s/it]");
  REQUIRE(bars.size() == 2);
  CHECK(bars[0].is_named);
  CHECK_FALSE(bars[1].is_named);
  CHECK(bars[1].done == 31);
  CHECK(bars[1].total == 1260);
  CHECK(bars[1].seconds == 3758);
  CHECK(bars_in("10%|#  | 1.2k/8k [00:01<00:01, 5.0it/s]").empty());
  CHECK(bars_in("10%|#  | 12/80 [00:0").empty());
}

TEST_CASE("of a finished Hugging Face run without a header the bar tells what was planned") {
  const std::string total = "{'train_runtime': 300.5, 'train_steps_per_second': 6.656}\n";
  CHECK(only_run(total + "100%|##########| 2000/2000 [05:00<00:00,  6.66it/s]\n")
            .planned_iterations == 2000);
  CHECK_FALSE(only_run(total).planned_iterations);
}

TEST_CASE("a Hugging Face run ends in a traceback that its bar did not outlive") {
  const auto bar = [](int done) {
    return fmt::format("\n  3%|3   | {}/352 [{:02}:00<25:10:16, 60.00s/it]", done, done);
  };
  const std::string traceback =
      "[rank1]: Traceback (most recent call last):\n[rank1]:   File \"train.py\", line 5\n";
  const LogRun run = only_run(header(352) + bar(1) + bar(9) + traceback + bar(9));
  CHECK(run.end == RunState::kFailed);
  CHECK(run.evidence == "Traceback (most recent call last):");
  CHECK(run.planned_iterations == 352);
  CHECK(times_of(run) == std::vector<double>{60000});
  CHECK(only_run(header(352) + bar(1) + bar(9) + traceback + bar(10)).end == RunState::kFailed);
  for (const char* error : {"", "ValueError: x\n"}) {
    const LogRun outlived =
        only_run(header(352) + bar(1) + traceback + error + bar(2) + bar(3) + bar(4));
    CHECK_FALSE(outlived.end);
    CHECK(steps_of(outlived) == std::vector<std::int64_t>{4});
  }
}
