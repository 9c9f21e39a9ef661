// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <string>
#include <vector>

#include "harness/scrape/trainers/python_dict.h"
#include "tests/harness/scrape/trainers/huggingface_lines.h"

using namespace pippin;
using namespace pippin::test;

namespace {

constexpr const char* kUnknownSteps =
    "it is the time of all steps, and nothing says how many they were";

}  // namespace

TEST_CASE("Hugging Face's total of a run is one, whoever prints it, and the slowest counts") {
  const LogRun run = only_run(excerpt("huggingface.log"));
  CHECK(run.point.trainer == "huggingface");
  CHECK(steps_of(run) == std::vector<std::int64_t>{16});
  CHECK(intervals_of(run) == std::vector<std::int64_t>{16});
  CHECK(flags_of(run) == std::vector<unsigned>{kWholeRun});
  CHECK(times_of(run).front() == Approx(919097.0 / 16));
  CHECK(find_value(run.iterations.front().other, "ranks")->number == 4);
  CHECK(run.resolution_ms == Approx(1.0 / 16));
  CHECK(run.started_at == 1621924706);  // 2021-05-25 06:38:26
  CHECK(run.planned_iterations == 16);
  CHECK(run.end == RunState::kOk);
}

TEST_CASE("Hugging Face's header is the layout, and its total batch tells the GPUs") {
  const LogRun run = only_run(excerpt("huggingface.log"));
  CHECK(run.point.layout.gbs == 64);
  CHECK(run.point.layout.mbs == 4);
  CHECK(run.point.layout.gas == 1);
  CHECK(run.point.layout.dp == 16);
  CHECK(run.point.layout.gpus == 16);
  CHECK(run.point.model.hidden == 7168);
  CHECK(run.point.model.layers == 40);
  CHECK(run.recompute == "full");
  CHECK(find_value(run.arguments, "train_samples_per_second")->text == "1.088");
  CHECK(find_value(run.arguments, "num_examples")->number == 1000);
}

TEST_CASE("values that transformers 5 quotes are numbers") {
  const LogRun run =
      only_run(header(410) +
               "{'loss': '1.747', 'grad_norm': '5.769', 'learning_rate': '0', 'epoch': '0.1'}\n"
               "{'train_runtime': '2219', 'train_samples_per_second': '1.474', "
               "'train_steps_per_second': '0.185', 'train_loss': '0.7228', 'epoch': '3'}\n");
  CHECK(times_of(run).front() == Approx(2219000.0 / 410));
  CHECK(run.resolution_ms == Approx(1000.0 / 410));
  CHECK(find_value(run.arguments, "num_examples")->number == 346940);
  CHECK(find_value(run.point.axes, "trainable_parameters")->number == 21176320);
}

TEST_CASE("without Hugging Face's dictionary its table tells the time") {
  const LogRun run = only_run(
      header(16) +
      "[INFO|trainer_pt_utils.py:912] 2021-05-25 06:53:45,862 >>   train_runtime            = "
      "0:15:19.02\n");
  CHECK(times_of(run).front() == Approx(919020.0 / 16));
  CHECK(run.resolution_ms == Approx(10.0 / 16));
  CHECK(times_of(only_run(header(16) + "  train_runtime   = 1 day, 2:03:04.25\n")).front() ==
        Approx(93784250.0 / 16));
  CHECK(times_of(only_run(header(16) + "  train_runtime   = 12 days, 0:00:16.00\n")).front() ==
        Approx(1036816000.0 / 16));
}

TEST_CASE("Hugging Face's rate tells the steps where it can be of one number only") {
  const std::string total =
      "{'train_runtime': 855.7657, 'train_samples_per_second': 2.37, 'train_steps_per_second': "
      "0.297}\n";
  const LogRun run = only_run(total + total);
  CHECK(steps_of(run) == std::vector<std::int64_t>{254});
  CHECK(intervals_of(run) == std::vector<std::int64_t>{254});
  CHECK(times_of(run).front() == Approx(855765.7 / 254));
  CHECK(run.resolution_ms == Approx(0.1 / 254));
  CHECK(find_value(run.derived, "steps")->text == "train_steps_per_second · train_runtime");
  // 0.5 is 0.500.
  CHECK(steps_of(only_run("{'train_runtime': 300.1, 'train_steps_per_second': 0.5}\n")) ==
        std::vector<std::int64_t>{150});
}

TEST_CASE(
    "of a rate of Hugging Face that has too few digits for the steps a step's time is known") {
  // 482 steps.
  const std::string total =
      "{'train_runtime': 6311.5782, 'train_samples_per_second': 294.0, 'train_steps_per_second': "
      "0.076, 'train_loss': 4.597211497453238, 'epoch': 1.99}\n";
  const LogRun run = only_run(total);
  CHECK(steps_of(run) == std::vector<std::int64_t>{0});
  CHECK(intervals_of(run) == std::vector<std::int64_t>{1});
  CHECK(flags_of(run) == std::vector<unsigned>{kWholeRun | kIntervalMean});
  CHECK(times_of(run).front() == Approx(1000 / 0.076));
  CHECK(*run.resolution_ms == Approx(1000 / 0.076 * 0.001 / 0.076));
  CHECK_FALSE(find_value(run.derived, "steps"));
  CHECK(find_value(run.derived, "step_time")->text == "1 / train_steps_per_second");
  // A line that says them, wherever it stands.
  const std::string bar = "100%|##########| 482/482 [1:45:11<00:00, 13.09s/it]\n";
  for (const auto& log : {bar + total, total + bar, header(482) + total}) {
    CHECK(steps_of(only_run(log)) == std::vector<std::int64_t>{482});
    CHECK(times_of(only_run(log)).front() == Approx(6311578.2 / 482));
  }
}

TEST_CASE("ms-swift says with Hugging Face's total how many steps there were") {
  for (const char* steps : {"'global_step': 1164", "'global_step/max_steps': '1164/1170'"}) {
    const LogRun run = only_run(
        fmt::format("{{'train_runtime': 3581.7097, 'train_steps_per_second': 0.325, 'epoch': 2.99, "
                    "{}}}\n",
                    steps));
    CHECK(steps_of(run) == std::vector<std::int64_t>{1164});
    CHECK(times_of(run).front() == Approx(3581709.7 / 1164));
    CHECK(run.derived.empty());
  }
}

TEST_CASE("the rates of all processes of a Hugging Face run may be of the steps that one tells") {
  const auto total = [](double seconds, const char* rate) {
    return fmt::format("{{'train_runtime': {}, 'train_steps_per_second': {}}}\n", seconds, rate);
  };
  const LogRun run = only_run(total(855.7657, "0.297") + total(868, "0.293"));
  CHECK(steps_of(run) == std::vector<std::int64_t>{254});
  CHECK(find_value(run.iterations.front().other, "ranks")->number == 2);
  const LogRun several = only_run(total(3581.7097, "0.325") + total(3590, "0.324"));
  CHECK(steps_of(several) == std::vector<std::int64_t>{0});
  CHECK(times_of(several).front() == Approx(1000 / 0.324));
}

TEST_CASE("a Hugging Face total without a number of steps is refused") {
  CHECK(reason_of("{'train_runtime': 300.5, 'epoch': 1.0}\n") == kUnknownSteps);
  CHECK(reason_of("{'train_runtime': 300.5, 'train_steps_per_second': 0.0}\n") == kUnknownSteps);
  // Until 4.4 it is steps a second, as its name does not say.
  CHECK(reason_of("{'train_runtime': 300.5, 'train_samples_per_second': 6.66}\n") == kUnknownSteps);
  CHECK(reason_of(header(10) + "{'train_runtime': 0.0, 'epoch': 1.0}\n") ==
        "its train_runtime is not above 0");
}

TEST_CASE("models that Hugging Face trains one after another are runs of their own") {
  const auto fold = [](int steps, int seconds) {
    return fmt::format(
        "  0%|          | 0/{0} [00:00<?, ?it/s]\r"
        "100%|##########| {0}/{0} [00:{1}<00:00,  3.63it/s]"
        "{{'train_runtime': {1}.2, 'train_samples_per_second': 7.9, 'train_steps_per_second': "
        "{2:.3f}}}\n100%|##########| {0}/{0} [00:{1}<00:00,  3.63it/s]\n"
        "  0%|          | 0/15 [00:00<?, ?it/s]\r100%|##########| 15/15 [00:04<00:00,  3.9it/s]\n"
        "{{'eval_loss': 0.18, 'eval_runtime': 4.4}}\n",
        steps, seconds, steps / (seconds + 0.2));
  };
  const auto runs = scraped(fold(40, 50) + fold(40, 44) + fold(41, 47)).runs;
  REQUIRE(runs.size() == 3);
  CHECK(times_of(runs[0]) == std::vector<double>{50200.0 / 40});
  CHECK(times_of(runs[1]) == std::vector<double>{44200.0 / 40});
  CHECK(times_of(runs[2]) == std::vector<double>{47200.0 / 41});
}

TEST_CASE("steps of Hugging Face whose time nothing says are refused") {
  constexpr const char* kNoTime =
      "it says no time of a step, and neither a train_runtime nor a bar of all steps does";
  const std::string step =
      "{'loss': 0.0, 'grad_norm': 0.08656957000494003, 'learning_rate': 6.9e-06, "
      "'completion_length': 232.825, 'reward': 1.7171093285083772, 'epoch': 0.31}\n";
  CHECK(reason_of(step + step) == kNoTime);
  CHECK(reason_of("100%|######| 345/345 [00:07<00:00,  1.23s/it]\n" + step) == kNoTime);
  CHECK(reason_of("Map:   3%|3      | 12/345 [00:15<06:50,  1.23s/it]\n" + step) == kNoTime);
  CHECK(reason_of(header(345) + step) == kNoTime);
  CHECK(reason_of("0: " + step + "1: " + step) == kNoTime);
  CHECK(scraped("he wrote {'loss': 0.5} into it\n").unused.empty());
}

TEST_CASE("a total of Hugging Face whose dictionary is torn is put together") {
  const std::string bar = "100%|##########| 194/194 [45:18<00:00, 14.02s/it]\n";
  for (const std::string total :
       {"'train_runtime': '2719', 'train_steps_per_second': '0.071', 'epoch': '2'}\n",
        "{'train_runtime': '2719', \n'train_steps_per_second': '0.071', 'epoch': '2'}\n",
        "{'train_runtime': '27\n19', 'train_steps_per_second': '0.071', 'epoch': '2'}\n",
        "{'train_runtime': '2719', 'train_steps_per_\n\nsecond': '0.071', 'epoch':\n'2'}\n",
        "{'loss': '0.5', 'epoch': '2'} {'train_runtime': '2719', 'train_steps_per_second': '0.071'"
        ", 'epoch': '2'}\n"}) {
    INFO(total);
    const LogRun run = only_run(total + bar);
    CHECK(steps_of(run) == std::vector<std::int64_t>{194});
    CHECK(times_of(run).front() == Approx(2719000.0 / 194));
    CHECK(find_value(run.arguments, "train_steps_per_second")->text == "0.071");
  }
  const LogRun ranks =
      only_run("[rank0]: {'train_runtime': 300.1,\n[rank0]:  'train_steps_per_second': 0.5}\n");
  CHECK(steps_of(ranks) == std::vector<std::int64_t>{150});
}

TEST_CASE("a total of Hugging Face that stays torn is refused with that reason") {
  const std::string begin = header(100) + "{'train_runtime': 91\n";
  CHECK(reason_of(begin + "{'eval_loss': 1.2}\n") == "it is torn");
  CHECK(reason_of(begin) == "it is torn");
  CHECK(reason_of(begin + "100%|##| 5/5 [00:01<00:00, 5.0it/s]\n{'a': 1}\n") == "it is torn");
  CHECK(reason_of(begin + "GB are left}\n") == "it is torn");
}

TEST_CASE("the losses of a Hugging Face step are found behind another dictionary") {
  const std::string step =
      "{'loss': 0.42, 'grad_norm': 25.8, 'epoch': 0.26, 'global_step/max_steps': '12/94', "
      "'elapsed_time': '18m 26s'}";
  CHECK(reason_of("1/94', 'elapsed_time': '16m 51s'} " + step + " " + step + "\n") ==
        "it says no time of a step, and neither a train_runtime nor a bar of all steps does");
  CHECK(reason_of("{'loss':\n0.42, 'epoch': 0.26}\n") ==
        "it says no time of a step, and neither a train_runtime nor a bar of all steps does");
}

namespace {

std::string total_of(double seconds) {
  return fmt::format("{{'train_runtime': {}, 'train_steps_per_second': 2.0, 'epoch': 1.0}}\n",
                     seconds);
}

}  // namespace

TEST_CASE("two trainings of Hugging Face that took as long are two where the epochs begin anew") {
  const std::string first = losses({0.25, 0.5, 0.75, 1}) + total_of(300.5);
  const auto runs = scrape(first + losses({0.25, 0.5, 0.75, 1}, 1.9) + total_of(301));
  REQUIRE(runs.size() == 2);
  CHECK(times_of(runs[0]) == std::vector<double>{500});
  CHECK(times_of(runs[1]) == std::vector<double>{500});
  CHECK_FALSE(find_value(runs[1].iterations.front().other, "ranks"));
  // What another node prints of the same training, however late, is the same.
  CHECK(scrape(first + losses({0.25, 0.5, 0.75, 1}) + total_of(301)).size() == 1);
  CHECK(scrape("0: " + losses({0.5}) + "1: " + losses({0.25}, 1.9) + total_of(301)).size() == 1);
}

TEST_CASE("a Hugging Face run that is killed and begins anew without a header has its own times") {
  const std::string killed = losses({0.25, 0.5, 0.75});
  const Scraped anew = scraped(killed + losses({0.25, 0.5, 0.75, 1}, 1.9) + total_of(300.5));
  REQUIRE(anew.runs.size() == 1);
  CHECK(times_of(anew.runs[0]) == std::vector<double>{500});
  REQUIRE(anew.unused.size() == 1);
  CHECK(anew.unused[0].first.find("'loss': 2,") != std::string::npos);
  const Scraped behind = scraped(killed + losses({0.70, 0.95}, 1.9) + total_of(300.5));
  CHECK(behind.runs.empty());
  REQUIRE(behind.unused.size() == 2);
  CHECK(behind.unused[1].reason ==
        "it goes on from a checkpoint, and nothing says from which step");
}

TEST_CASE("a Hugging Face run that left losses only, and begins anew with a header, is refused") {
  const Scraped found = scraped(header(100) + losses({0.25, 0.5}) + header(100) + total_of(50));
  REQUIRE(found.runs.size() == 1);
  CHECK(times_of(found.runs[0]) == std::vector<double>{500});
  REQUIRE(found.unused.size() == 1);
  CHECK(found.unused[0].reason ==
        "it says no time of a step, and neither a train_runtime nor a bar of all steps does");
}

TEST_CASE("Unsloth's banner is the header") {
  const std::string steps =
      "{'train_runtime': '403', 'train_samples_per_second': '2.196', 'train_steps_per_second': "
      "'0.275', 'train_loss': '0.4069', 'epoch': '3'}\n";
  const std::string today =
      "==((====))==  Unsloth - 2x faster free finetuning | Num GPUs used = 1\n"
      "   \\\\   /|    Num examples = 295 | Num Epochs = 3 | Total steps = 111\n"
      "O^O/ \\_/ \\    Batch size per device = 2 | Gradient accumulation steps = 4\n"
      "\\        /    Data Parallel GPUs = 1 | Total batch size (2 x 4 x 1) = 8\n"
      " \"-____-\"     Trainable parameters = 8,798,208 of 502,830,976 (1.75% trained)\n";
  const std::string of_2024 =
      "==((====))==  Unsloth - 2x faster free finetuning | Num GPUs = 1\n"
      "   \\\\   /|    Num examples = 1,000 | Num Epochs = 1\n"
      "O^O/ \\_/ \\    Batch size per device = 2 | Gradient Accumulation steps = 4\n"
      "\\        /    Total batch size = 8 | Total steps = 111\n"
      " \"-____-\"     Number of trainable parameters = 41,943,040\n";
  for (const auto& banner : {today, of_2024}) {
    INFO(banner);
    const LogRun run = only_run(banner + steps);
    CHECK(times_of(run).front() == Approx(403000.0 / 111));
    CHECK(run.point.layout.gbs == 8);
    CHECK(run.point.layout.mbs == 2);
    CHECK(run.point.layout.gas == 4);
    CHECK(run.point.layout.gpus == 1);
    CHECK(run.planned_iterations == 111);
  }
}

TEST_CASE("a notebook's TrainOutput says the same, and the steps") {
  const std::string output =
      "TrainOutput(global_step=260, training_loss=0.98, metrics={'train_runtime': 158.9, "
      "'train_samples_per_second': 1.6, 'train_steps_per_second': 1.636, 'epoch': 1.0})\n";
  CHECK(times_of(only_run(output)).front() == Approx(158900.0 / 260));
  const LogRun twice =
      only_run("{'train_runtime': 158.9, 'train_steps_per_second': 1.636}\n" + output);
  CHECK(times_of(twice) == std::vector<double>{158900.0 / 260});
  CHECK_FALSE(find_value(twice.iterations.front().other, "ranks"));
}

TEST_CASE("a Hugging Face run that goes on from a checkpoint made the steps behind it") {
  const LogRun run =
      only_run(header(2000, "  Continuing training from global step 1500\n") +
               "{'train_runtime': 300.0, 'train_steps_per_second': 6.667, 'epoch': 1.0}\n");
  CHECK(steps_of(run) == std::vector<std::int64_t>{2000});
  CHECK(intervals_of(run) == std::vector<std::int64_t>{500});
  CHECK(times_of(run).front() == 600);
}

TEST_CASE("evaluations and checkpoints within a Hugging Face run are in its time") {
  const LogRun run = only_run(header(100) +
                              "{'eval_loss': 1.2, 'eval_runtime': 3.21, 'epoch': 0.5}\n"
                              "Saving model checkpoint to out/checkpoint-50\n"
                              "{'train_runtime': 300.0, 'epoch': 1.0}\n"
                              "{'eval_loss': 1.2, 'eval_runtime': 3.21, 'epoch': 1}\n");
  CHECK(flags_of(run) == std::vector<unsigned>{kWholeRun | kAfterEvaluation | kAfterSave});
  const std::string total = "{'train_runtime': 300.0, 'epoch': 1.0}\n";
  for (const char* evaluation :
       {"***** Running Evaluation *****\n", "{'eval_loss': 1.2, 'epoch': 0.5}\n"}) {
    CHECK(flags_of(only_run(header(100) + evaluation + total)) ==
          std::vector<unsigned>{kWholeRun | kAfterEvaluation});
    CHECK(flags_of(only_run(header(100) + total + evaluation)) == std::vector<unsigned>{kWholeRun});
  }
}

TEST_CASE("two trainings of Hugging Face in one log are two runs") {
  const std::string total = "{{'train_runtime': {}, 'train_steps_per_second': 0.5}}\n";
  const auto runs = scrape(header(100) + fmt::format(fmt::runtime(total), 200.0) + header(50) +
                           fmt::format(fmt::runtime(total), 150.0));
  REQUIRE(runs.size() == 2);
  CHECK(times_of(runs[0]).front() == 2000);
  CHECK(times_of(runs[1]).front() == 3000);
}

TEST_CASE("two trainings without headers are told apart by their times") {
  const auto runs = scrape(
      "{'train_runtime': 200.0, 'train_steps_per_second': 0.5}\n"
      "{'train_runtime': 200.1, 'train_steps_per_second': 0.5}\n"
      "{'train_runtime': 250.0, 'train_steps_per_second': 0.4}\n");
  REQUIRE(runs.size() == 2);
  CHECK(times_of(runs[0]).front() == 2001);
  CHECK(times_of(runs[1]).front() == 2500);
}

TEST_CASE("a smaller batch that Hugging Face tries again with is the one that counts") {
  std::string smaller = header(820);
  smaller.replace(smaller.find("device = 1"), 10, "device = 2");
  smaller.replace(smaller.find("= 16\n"), 5, "= 32\n");
  const LogRun run =
      only_run(smaller + "CUDA out of memory. Tried to allocate 2.00 GiB\n" + header(1640) +
               "{'train_runtime': 820.0, 'train_steps_per_second': 2.0}\n");
  CHECK(run.point.layout.mbs == 1);
  CHECK(run.point.layout.gbs == 16);
  CHECK(times_of(run).front() == 500);
  CHECK(run.end == RunState::kOk);
}

TEST_CASE("where Hugging Face's options split the model its batch does not tell the GPUs") {
  const std::string total = "{'train_runtime': 820.0, 'train_steps_per_second': 2.0}\n";
  CHECK(only_run(header(1640) + total).point.layout.gpus == 2);
  CHECK(only_run("sequence_parallel_size=1,\n" + header(1640) + total).point.layout.gpus == 2);
  const Layout split =
      only_run("'sequence_parallel_size': 4,\n" + header(1640) + total).point.layout;
  CHECK(split.dp == 2);
  CHECK_FALSE(split.gpus);
}

TEST_CASE("a Hugging Face run that dies without a total has a layout and no times") {
  const LogRun run = only_run(header(100) + "torch.OutOfMemoryError: CUDA out of memory. Tried\n");
  CHECK(run.iterations.empty());
  CHECK(run.point.layout.gbs == 16);
  CHECK(run.end == RunState::kOom);
}

TEST_CASE("a total that is cut or quoted is none") {
  CHECK(scraped(header(100) + "{'train_runtime': 919.0").runs.front().iterations.empty());
  CHECK(scrape("assert logs == {'train_runtime': 919.0, 'train_steps_per_second': 0.5}\n").empty());
  CHECK(scrape("train_runtime  = time.time() - start\n").empty());
}

TEST_CASE("a Python dictionary that is cut keeps its whole entries") {
  const auto entries = entries_in("'a': 0.5, 'b': '7', 'c': 12");
  REQUIRE(entries.size() == 2);
  CHECK(entries[0] == std::pair<std::string_view, std::string_view>("a", "0.5"));
  CHECK(entries[1] == std::pair<std::string_view, std::string_view>("b", "7"));
}

TEST_CASE("Axolotl says what memory a rank takes, by names that have changed") {
  const auto of = [](const std::string& line) {
    return only_run(test::excerpt("huggingface.log") + line).memory;
  };
  const auto now =
      of("{'loss': '1.25', 'memory/max_active (GiB)': '2.5', 'memory/max_allocated (GiB)': '2.25', "
         "'memory/device_reserved (GiB)': '3.5', 'epoch': '0.1'}\n");
  REQUIRE(now.size() == 1);
  CHECK(now[0].max_allocated_mib == 2304);
  CHECK(now[0].reserved_mib == 3584);
  const auto before =
      of("{'loss': 1.25, 'memory/max_mem_active(gib)': 2.5, 'memory/max_mem_allocated(gib)': 2.25, "
         "'memory/device_mem_reserved(gib)': 3.5}\n");
  REQUIRE(before.size() == 1);
  CHECK(before[0].max_allocated_mib == 2304);
  CHECK(before[0].reserved_mib == 3584);
  CHECK(of("we have seen {'memory/max_allocated (GiB)': 2}\n").empty());
}

TEST_CASE("a Hugging Face run that is killed and begins anew in the same log is two") {
  const std::string total =
      "{'train_runtime': 300.5, 'train_samples_per_second': 5.3, 'train_steps_per_second': "
      "0.333}\n";
  const std::string killed = header(100) +
                             " 0%|  | 0/100 [00:00<?, ?it/s]\r 49%|#4 | 49/100 [01:38<01:42, "
                             "2.00s/it]\n{'loss': 1.5, 'epoch': 0.1}\n";
  const auto runs = scrape(killed + header(100) + total);
  REQUIRE(runs.size() == 2);
  CHECK(steps_of(runs[0]) == std::vector<std::int64_t>{49});
  CHECK(times_of(runs[0]).front() == Approx(2000));
  CHECK(runs[0].planned_iterations == 100);
  CHECK(steps_of(runs[1]) == std::vector<std::int64_t>{100});
  CHECK(times_of(runs[1]).front() == Approx(3005));
}

TEST_CASE("a header that is said again at the first step, or by another rank, begins nothing") {
  const std::string bar = " 49%|#4 | 49/100 [01:38<01:42, 2.00s/it]\n";
  const std::string first = " 1%|  | 1/100 [00:02<03:18, 2.00s/it]\n";
  CHECK(steps_of(only_run(header(100) + first + header(100) + bar)) ==
        std::vector<std::int64_t>{49});
  const auto by_rank = [](int rank) {
    return fmt::format(
        "[rank{0}]: ***** Running training *****\n"
        "[rank{0}]:   Total optimization steps = 100\n",
        rank);
  };
  const std::string later = " 51%|#5 | 51/100 [01:42<01:38, 2.00s/it]\n";
  CHECK(steps_of(only_run(by_rank(0) + bar + by_rank(1) + later)) == std::vector<std::int64_t>{51});
}

TEST_CASE("a table of Hugging Face's metrics alone tells how many steps there were") {
  const LogRun run = only_run(
      "***** train metrics *****\n"
      "  epoch                    =        1.0\n"
      "  train_loss               =     2.6578\n"
      "  train_runtime            = 0:08:52.30\n"
      "  train_samples            =     100000\n"
      "  train_samples_per_second =    187.862\n"
      "  train_steps_per_second   =      2.134\n"
      "***** Running Evaluation *****\n"
      "100%|##########| 3125/3125 [01:34<00:00, 33.23it/s]\n");
  CHECK(steps_of(run) == std::vector<std::int64_t>{1136});
  CHECK(times_of(run).at(0) == Approx(532300.0 / 1136));
  CHECK(find_value(run.derived, "steps"));
}

TEST_CASE("it is explained why lines of Hugging Face give nothing by themselves") {
  std::vector<std::string> why;
  explain_lines(
      [](const auto& take) {
        take(
            "  0%|          | 3/1562 [18:48<164:33:29, 379.99s/it]\n"
            "{'loss': 0.5, 'learning_rate': 1e-05, 'epoch': 0.5}\n"
            "Map: 100%|##########| 15/15 [00:01<00:00, 9.0it/s]\n"
            "we have seen {'loss': 0.5} there\n"
            "{'train_runtime': 300.5,\n"
            "'epoch': 1.0}\n");
      },
      [&](const ExplainedLine& line) { why.push_back(line.why); });
  CHECK(why == std::vector<std::string>{
                   "what its bar tells of a run is known where that ends",
                   "it says no time of a step",
                   "has words that are looked for, but not as a trainer prints them, or was said "
                   "before",
                   "has words that are looked for, but not as a trainer prints them, or was said "
                   "before",
                   "its dictionary goes on below", ""});
}

namespace {

std::string output_of(double seconds, double loss, const char* flops) {
  return fmt::format(
      "TrainOutput(global_step=120, training_loss={1}, metrics={{'train_runtime': {0}, "
      "'train_samples_per_second': 19.2, 'train_steps_per_second': 2.4, 'total_flos': {2}, "
      "'train_loss': {1}, 'epoch': 3.0}})\n",
      seconds, loss, flops);
}

}  // namespace

TEST_CASE("two outputs of a notebook that differ in time and loss are two trainings") {
  const std::string first = output_of(50.1234, 0.1571, "133243027343.0");
  for (const char* flops : {"99932270507.0", "133243027343.0"}) {
    const auto runs = scrape(first + "\nbefore:\n" + output_of(57.5, 0.3631, flops));
    REQUIRE(runs.size() == 2);
    CHECK(times_of(runs[0]).front() == Approx(50123.4 / 120));
    CHECK(times_of(runs[1]).front() == Approx(57500.0 / 120));
    CHECK(find_value(runs[1].arguments, "train_runtime")->text == "57.5");
    CHECK(runs[1].end == RunState::kOk);
  }
  // As long, but of other work.
  CHECK(scrape(first + output_of(50.2, 0.1571, "99932270507.0")).size() == 2);
}

TEST_CASE("outputs of one training's processes are one run, whoever prints them") {
  const std::string first = output_of(50.1234, 0.1571, "133243027343.0");
  const LogRun ranks = only_run(first + output_of(50.2, 0.1573, "133243027343.0") +
                                output_of(53.5, 0.1571, "133243027343.0"));
  CHECK(times_of(ranks).front() == Approx(53500.0 / 120));
  CHECK(find_value(ranks.iterations.front().other, "ranks")->number == 3);
  CHECK_FALSE(find_value(only_run(first + first).iterations.front().other, "ranks"));
  const auto labelled =
      scrape("[rank0]: " + first + "[rank1]: " + output_of(57.5, 0.3631, "133243027343.0"));
  CHECK(labelled.size() == 1);
}

TEST_CASE("totals without a header that differ in time and steps are of runs of their own") {
  const auto total = [](double seconds, double rate) {
    return fmt::format("{{'train_runtime': {}, 'train_steps_per_second': {}, 'epoch': 1.0}}\n",
                       seconds, rate);
  };
  const auto runs = scrape(total(300.4512, 6.64) + total(340.0643, 6.64));
  REQUIRE(runs.size() == 2);
  CHECK(steps_of(runs[0]) == std::vector<std::int64_t>{1995});
  CHECK(steps_of(runs[1]) == std::vector<std::int64_t>{2258});
  const std::string table = "  train_runtime            = 0:05:00.50\n";
  const std::string rate = "  train_steps_per_second   =      6.64\n";
  CHECK(scrape(table + rate + "  train_runtime            = 0:06:00.50\n" + rate).size() == 2);
  CHECK(scrape(total(300.5, 6.64) + table + rate).size() == 1);
}

TEST_CASE("a Hugging Face run that fails in its first step tells how many it was to make") {
  const LogRun run = only_run(header(30) + "  0%|          | 0/30 [00:00<?, ?it/s]\n" +
                              "ValueError: no such column\n");
  CHECK(run.end == RunState::kFailed);
  CHECK(run.iterations.empty());
  CHECK(run.planned_iterations == 30);
}

TEST_CASE("all lines of Hugging Face's losses that have no time are counted") {
  const Scraped found = scraped(losses({0.25, 0.5, 0.75}));
  REQUIRE(found.unused.size() == 1);
  CHECK(found.unused[0].count == 3);
}

TEST_CASE("several totals of Hugging Face that say no steps are refused line by line") {
  const Scraped found =
      scraped("{'train_runtime': 21.3, 'epoch': 1.0}\n{'train_runtime': 24.9, 'epoch': 1.0}\n");
  CHECK(found.runs.empty());
  CHECK(found.problems.empty());
  REQUIRE(found.unused.size() == 1);
  CHECK(found.unused[0].count == 2);
  CHECK(found.unused[0].reason == kUnknownSteps);
}
