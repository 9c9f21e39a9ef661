// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/megatron_lines.h"
#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using test::dump;
using test::flags_of;
using test::only_run;
using test::row;

TEST_CASE("an iteration line gives all it says") {
  const auto records = iterations_in(
      " iteration       30/    1000 | consumed samples:          120 | elapsed time per iteration "
      "(ms): 2767.3 | learning rate: 1.500E-04 | global batch size:     4 | lm loss: 3.282511E+01 "
      "| loss scale: 16384.0 | grad norm: 9.804 | num zeros: 1.0E+01 | number of skipped "
      "iterations:   1 | number of nan iterations:   2 |");
  REQUIRE(records.size() == 1);
  const Iteration& iteration = records[0].iteration;
  CHECK(iteration.number == 30);
  CHECK(iteration.step_time_ms == 2767.3);
  CHECK(iteration.consumed_samples == 120);
  CHECK(iteration.gbs == 4);
  CHECK(iteration.learning_rate == 0.00015);
  CHECK(iteration.lm_loss == 32.82511);
  CHECK(iteration.loss_scale == 16384);
  CHECK(iteration.grad_norm == 9.804);
  CHECK(iteration.skipped == 1);
  CHECK(iteration.nan == 2);
  CHECK(iteration.flags == kSkippedStep);
  CHECK(iteration.other == NamedValues{{"num zeros", value_of(10.0)}});
}

TEST_CASE("seconds are seconds") {
  const auto records = iterations_in(
      "iteration 12695/ 115311 | consumed tokens: 20155564032 | elapsed time per iteration (s): "
      "105.22 | lm-loss: 2.5 | samples per second: 19.463 | TFLOPs: 149.02 |");
  REQUIRE(records.size() == 1);
  CHECK(records[0].iteration.step_time_ms == Approx(105220));
  CHECK(records[0].iteration.lm_loss == 2.5);
  CHECK(records[0].iteration.other.size() == 3);
}

TEST_CASE("today's line has a time before it and a throughput within") {
  const auto records = iterations_in(
      " [2024-04-06 03:02:12] iteration       71/     100 | consumed samples:         9088 | "
      "elapsed time per iteration (ms): 5361.6 | throughput per GPU (TFLOP/s/GPU): 243.6 | "
      "learning rate: 1.000E-05 | global batch size:   128 | lm loss: 1.0E+01 |");
  REQUIRE(records.size() == 1);
  CHECK(records[0].at == 1712372532);
  CHECK(records[0].iteration.step_time_ms == 5361.6);
  CHECK(records[0].iteration.gbs == 128);
  CHECK(records[0].iteration.other ==
        NamedValues{{"throughput per GPU (TFLOP/s/GPU)", value_of(243.6)}});
}

TEST_CASE("what ends with a bracket that nothing has opened is no time before an iteration") {
  const auto records = iterations_in("x] " + row(3, 100));
  REQUIRE(records.size() == 1);
  CHECK_FALSE(records[0].at);
  CHECK(records[0].iteration.number == 3);
}

TEST_CASE("AscendSpeed misspells the batch") {
  const auto lines = iterations_in(
      " iteration  3/50000 | consumed samples: 768 | consumed tokens:  1572864 | elapsed time per "
      "iteration (ms):  33818.0 | learning rate:    1.406E-07 | gloabl batch size:  256 | loss "
      "scale:  1.0 | grad norm:    9.216 | actual seqlen:  2048 |");
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].iteration.gbs == 256);
}

TEST_CASE("Argonne's line has equal signs and is timed by itself") {
  const auto line = [](int number) {
    return "[2024-09-16 22:59:19.287338][INFO][training_log:661] -  iteration=       " +
           std::to_string(number) +
           "/  635782 | consumed_samples=         768 | consumed_tokens=     3145728 | "
           "elapsed_time_per_iteration_ms=29570.0 | learning_rate=9.4372e-09 | "
           "global_batch_size=  768 | lm loss=11.167250 | loss_scale=1.0 | grad_norm=6.363 | "
           "actual_seqlen= 4096 | number_of_skipped_iterations=  1 | number_of_nan_iterations=  0 "
           "| samples_per_second=25.972 | [LM]TFLOPs=20.30 | [DS]TFLOPs=26.18 |\n";
  };
  const auto run = only_run(dump() + line(1) + line(2));
  REQUIRE(run.iterations.size() == 2);
  const Iteration& row = run.iterations[1];
  CHECK(row.number == 2);
  CHECK(row.step_time_ms == 29570);
  CHECK(row.gbs == 768);
  CHECK(row.consumed_samples == 768);
  CHECK(row.lm_loss == 11.16725);
  CHECK(row.learning_rate == 9.4372e-09);
  CHECK(row.grad_norm == 6.363);
  CHECK(row.loss_scale == 1);
  CHECK(row.nan == 0);
  CHECK(row.flags == kSkippedStep);
  CHECK(row.other == NamedValues{{"consumed_tokens", value_of(3145728.0)},
                                 {"actual_seqlen", value_of(4096.0)},
                                 {"samples_per_second", value_of(25.972)},
                                 {"[LM]TFLOPs", value_of(20.3)},
                                 {"[DS]TFLOPs", value_of(26.18)}});
}

TEST_CASE("a loss that is no number is kept as it stands") {
  const auto records =
      iterations_in("iteration 1/ 2 | elapsed time per iteration (ms): 5.0 | lm loss: nan |");
  REQUIRE(records.size() == 1);
  CHECK_FALSE(records[0].iteration.lm_loss);
  CHECK(records[0].iteration.other == NamedValues{{"lm loss", Value{"nan", {}}}});
}

TEST_CASE("lines without a time above zero are no samples") {
  for (const char* value : {"nan", "inf", "0.0", "-3.0", "", "x"}) {
    CAPTURE(value);
    CHECK(iterations_in(std::string(" iteration 1/ 2 | elapsed time per iteration (ms): ") + value +
                        " | lm loss: 1.0 |")
              .empty());
  }
  CHECK(iterations_in("iteration 99999999999999999999/ 1 | elapsed time per iteration (ms): 1 |")
            .empty());
}

TEST_CASE("other lines that speak of iterations are no samples") {
  for (const char* line :
       {" validation loss at iteration 168000 | lm loss value: 2.1E+00 | lm loss PPL: 8.0 |",
        "+ perl -lne 'm|elapsed time per iteration .ms.: ([0-9]+)|'",
        "  m|elapsed time per iteration (ms): 12|", "saving checkpoint at iteration   33241 to /x",
        "# iteration 1/ 2 | elapsed time per iteration (ms): 5.0 |",
        "say: \"iteration 1/ 2 | elapsed time per iteration (ms): 5.0 |",
        "+ echo iteration 1/ 2 | elapsed time per iteration (ms): 5.0 |"}) {
    CAPTURE(line);
    CHECK(iterations_in(line).empty());
  }
}

TEST_CASE("two iteration lines glued into one are two") {
  std::string line = row(1, 100) + row(2, 90);
  line.erase(line.find('\n'), 1);
  const auto records = iterations_in(line);
  REQUIRE(records.size() == 2);
  CHECK(records[0].iteration.step_time_ms == 100);
  CHECK(records[1].iteration.step_time_ms == 90);
}

TEST_CASE("launchers and terminals may decorate every line") {
  std::string log;
  for (const auto* prefix :
       {"[default7]:", "0: ", "[rank0]:", "[1,3]<stdout>:", "\x1b[32m", "node-1: ", "  4%|##\r"}) {
    log += prefix + row(static_cast<int>(log.size()) + 1, 100);
  }
  CHECK(only_run(log).iterations.size() == 7);
}

TEST_CASE("a dump with a launcher's prefix in every line is read") {
  for (const std::string prefix :
       {"[default0]:", " 0: ", "v100x16-1: ", "192.168.205.202: ", "\t", "2021-06-10 20:47:54,123 ",
        "[2021-06-10 20:47:54][INFO] - ", "(worker pid=2041) ", "INFO:train:"}) {
    CAPTURE(prefix);
    const std::string log = dump() + row(1, 9) + "time (ms) | forward-compute: 4.0\n";
    std::string tagged;
    for (std::size_t at = 0, end = 0; at < log.size(); at = end + 1) {
      end = log.find('\n', at);
      tagged += prefix + log.substr(at, end - at) + "\n";
    }
    const auto run = only_run(tagged), plain = only_run(log);
    CHECK(run.point.id == plain.point.id);
    CHECK(run.arguments.size() == plain.arguments.size());
    CHECK(run.iterations.at(0).other == plain.iterations.at(0).other);
  }
}

TEST_CASE("the same line from every rank is one iteration") {
  std::string log = dump();
  for (int number = 1; number <= 3; ++number) {
    for (const char* rank : {"0: ", "1: ", "2: "}) log += rank + row(number, 100 + number);
  }
  CHECK(only_run(log).iterations.size() == 3);
}

TEST_CASE("a step that ranks time a little differently is one, and the slowest counts") {
  for (const bool with_dump : {true, false}) {
    for (const bool labelled : {true, false}) {
      INFO(with_dump << labelled);
      std::string log = with_dump ? dump() : "";
      for (int number = 1; number <= 3; ++number) {
        for (int rank = 0; rank < 8; ++rank) {
          if (labelled) log += fmt::format("[default{}]:", rank);
          log += row(number, 100 * number + (rank == 5 ? 9 : rank));
        }
      }
      const auto run = only_run(log);
      REQUIRE(run.iterations.size() == 3);
      CHECK(run.iterations[2].step_time_ms == 309);
      const auto other = run.iterations[2].other;
      REQUIRE(find_value(other, "ranks"));
      CHECK(find_value(other, "ranks")->number == 8);
      CHECK(find_value(other, "fastest rank (ms)")->number == 300);
    }
  }
}

TEST_CASE("a rank whose lines come late is one of the launch, one that goes back is a restart") {
  const auto line = [](const std::string& rank, int number, double ms) {
    return rank + row(number, ms);
  };
  const auto late = only_run(line("0: ", 1, 100) + line("0: ", 2, 90) + line("0: ", 3, 91) +
                             line("1: ", 1, 101) + line("1: ", 2, 89) + line("1: ", 3, 92));
  CHECK(late.iterations.size() == 3);
  CHECK(late.iterations[1].step_time_ms == 90);
  CHECK(scrape(line("0: ", 1, 100) + line("0: ", 2, 90) + line("0: ", 1, 101) + line("0: ", 2, 91))
            .size() == 2);
}

TEST_CASE("what another rank glued to a line is no field of it") {
  const auto records = iterations_in(
      "iteration 1/ 2 | elapsed time per iteration (ms): 5.0 | number of nan iterations:   0 |"
      "Number of parameters in transformer layers in billions:  6.98");
  REQUIRE(records.size() == 1);
  CHECK(records[0].iteration.other.empty());
}

TEST_CASE("Primus' figures are this iteration's, its running means stand beside") {
  const auto records = iterations_in(
      "iteration 12/ 36 | elapsed time per iteration (ms): 2701.3/2712.7 | throughput per GPU "
      "(TFLOP/s/GPU): 210.5/217.3 |");
  REQUIRE(records.size() == 1);
  CHECK(records[0].iteration.step_time_ms == 2701.3);
  CHECK(records[0].resolution_ms == Approx(0.1));
  CHECK(records[0].iteration.other ==
        NamedValues{{"elapsed time per iteration (ms) running mean", value_of(2712.7)},
                    {"throughput per GPU (TFLOP/s/GPU)", value_of(210.5)},
                    {"throughput per GPU (TFLOP/s/GPU) running mean", value_of(217.3)}});
}

TEST_CASE("dumps from several ranks are one launch") {
  std::string other = dump();
  other.replace(other.find("rank ............................................ 0") + 50, 1, "1");
  CHECK(scrape(dump() + other + row(1, 100)).size() == 1);
  CHECK(scrape(dump() + dump() + row(1, 100)).size() == 2);
}

TEST_CASE("a restart is a launch of its own") {
  const auto runs =
      scrape(dump() + row(1, 100) + row(2, 90) + row(3, 91) + dump() + row(2, 92) + row(3, 93));
  REQUIRE(runs.size() == 2);
  CHECK(flags_of(runs[0]) == std::vector<unsigned>{kFirst, 0, 0});
  CHECK(flags_of(runs[1]) == std::vector<unsigned>{kFirst, 0});
}

TEST_CASE("without headers a restart shows in the numbers") {
  const auto runs = scrape(row(8, 100) + row(9, 90) + row(8, 92) + row(9, 93));
  REQUIRE(runs.size() == 2);
  CHECK(flags_of(runs[0]) == std::vector<unsigned>{0, 0});
  CHECK(flags_of(runs[1]) == std::vector<unsigned>{kFirst, 0});
}

TEST_CASE("a launch that announces another last iteration is not the one before, said twice") {
  const std::string field = " | elapsed time per iteration (ms): 100.0 |\n";
  const auto line = [&](int number, int last) {
    return fmt::format(" iteration {}/ {}", number, last) + field;
  };
  CHECK(scrape(line(1, 2) + line(1, 2) + line(2, 2)).size() == 1);
  const auto runs = scrape(line(1, 2) + line(2, 2) + line(1, 5) + line(2, 5));
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].iterations.size() == 2);
  CHECK(runs[1].iterations.size() == 2);
}

TEST_CASE("a line is read behind a word of how many parameters there are") {
  const std::string line =
      "Number of parameters in transformer layers in billions:  6.98 [2025-09-17 22:26:24] "
      "iteration        1/      25 | elapsed time per iteration (ms): 69179.8 | global batch "
      "size:     8 |\n";
  CHECK(only_run(line).iterations.at(0).step_time_ms == 69179.8);
  CHECK(scrape("> " + line).empty());
}

TEST_CASE("a line that is still being written waits") {
  const std::string whole = row(2, 1381.9);
  const std::string log = dump() + row(1, 100);
  CHECK(only_run(log + whole.substr(0, 95)).iterations.size() == 1);
  const auto bar = whole.find("| learning rate");
  CHECK(only_run(log + whole.substr(0, bar + 1)).iterations.size() == 1);
  CHECK(only_run(log + whole.substr(0, whole.size() - 1)).iterations.size() == 2);
}

TEST_CASE("memory lines glued together are one for each rank") {
  const auto memory = memory_in(
      "[Rank 17] (after 20 iterations) memory (MB) | allocated: 19494.5 | max allocated: 22106.0 | "
      "reserved: 26720.0 | max reserved: 26720.0[Rank 19] (after 20 iterations) memory (MB) | "
      "allocated: 19494.9 | max allocated: 22107.0 | reserved: 26720.0 | max reserved: 26720.0");
  REQUIRE(memory.size() == 2);
  CHECK(memory[0].rank == 17);
  CHECK(memory[0].max_reserved_mib == 26720.0);
  CHECK(memory[1].rank == 19);
  CHECK(memory[1].max_allocated_mib == 22107.0);
  CHECK(memory_in("after 1 iterations memory (MB) | allocated: 5.5 |")[0].rank == 0);
}

TEST_CASE("of a rank's memory lines the largest counts") {
  const auto run = only_run(dump() + row(1, 100) +
                            "[Rank 1] (after 1 iterations) memory (MB) | max allocated: 5.0 |\n"
                            "[Rank 0] (after 1 iterations) memory (MB) | max allocated: 7.0 |\n"
                            "[Rank 1] (after 2 iterations) memory (MB) | max allocated: 6.0 |\n");
  REQUIRE(run.memory.size() == 2);
  CHECK(run.memory[0].rank == 0);
  CHECK(run.memory[1].max_allocated_mib == 6.0);
}

TEST_CASE("GPT-NeoX puts a field before the iteration") {
  const auto records = iterations_in(
      " samples/sec: 12.5 | iteration        3/     100 | elapsed time per iteration (ms): 80.0 | "
      "learning rate: 6.0E-04 | approx flops per GPU: 150.3TFLOPS | lm_loss: 9.1E+00 |");
  REQUIRE(records.size() == 1);
  CHECK(records[0].iteration.other[0].first == "samples/sec");
  CHECK(records[0].iteration.lm_loss == 9.1);
}

TEST_CASE("a run whose batch size changes has none of its own") {
  const auto line = [](int number, int gbs) {
    return fmt::format(
        " iteration {}/ 9 | elapsed time per iteration (ms): 5.0 | global batch "
        "size: {} |\n",
        number, gbs);
  };
  const auto gbs_of = [&](const std::string& lines) {
    std::vector<Count> counts;
    const auto run = only_run(lines);
    for (const auto& iteration : run.iterations) counts.push_back(iteration.gbs);
    counts.push_back(run.point.layout.gbs);
    return counts;
  };
  CHECK(gbs_of(line(1, 4) + line(2, 4)) == std::vector<Count>{4, 4, 4});
  CHECK(gbs_of(line(1, 4) + line(2, 8)) == std::vector<Count>{4, 8, std::nullopt});
  CHECK(gbs_of(line(1, 4) + line(2, 8) + line(3, 4)) == std::vector<Count>{4, 8, 4, std::nullopt});
}

TEST_CASE("of each rank the most memory is kept, whatever the order") {
  const auto memory = [](int rank, const std::string& fields) {
    return fmt::format("[Rank {}] (after 2 iterations) memory (MB) | {} |\n", rank, fields);
  };
  const std::string all = "allocated: 1.5 | max allocated: 4.5 | reserved: 2.5 | max reserved: 6.5";
  const std::string less = "allocated: 1.0 | max allocated: 4.0 | reserved: 2.0 | max reserved: 6";
  for (const auto& lines : {memory(3, all) + memory(3, less), memory(3, less) + memory(3, all)}) {
    const auto run = only_run(dump() + row(1, 100) + memory(0, less) + lines);
    REQUIRE(run.memory.size() == 2);
    CHECK(run.memory[0].rank == 0);
    CHECK(run.memory[0].max_allocated_mib == 4);
    CHECK(run.memory[1].rank == 3);
    CHECK(run.memory[1].allocated_mib == 1.5);
    CHECK(run.memory[1].max_allocated_mib == 4.5);
    CHECK(run.memory[1].reserved_mib == 2.5);
    CHECK(run.memory[1].max_reserved_mib == 6.5);
  }
}

TEST_CASE("a word that only ends with iteration does not hide the one behind it") {
  const auto records =
      iterations_in("[x] reiteration: 1 | iteration 3/ 9 | elapsed time per iteration (ms): 5.0 |");
  REQUIRE(records.size() == 1);
  CHECK(records[0].iteration.number == 3);
}

TEST_CASE("a time before a line is one of the calendar") {
  CHECK(time_in("1970-01-01 00:00:01") == 1);
  CHECK(time_in("x-y 2024-04-06 03:02:12.5") == 1712372532);
  CHECK(time_in("2024-02-29 00:00:00") == 1709164800);
  CHECK_FALSE(time_in("2023-02-29 00:00:00"));
  CHECK_FALSE(time_in("2024-04-06T03:02:12"));
  CHECK_FALSE(time_in("024-04-06 03:02:12"));
  CHECK_FALSE(time_in("2024-04-06 03:02:1"));
  CHECK_FALSE(time_in(""));
}

TEST_CASE("a run knows the last iteration that its lines announce") {
  CHECK(only_run(dump() + row(1, 100) + row(2, 100)).planned_iterations == 1000);
  CHECK_FALSE(only_run(dump() + "CUDA out of memory\n").planned_iterations);
  // It says why it ended before.
  CHECK_FALSE(only_run(dump() + row(1, 100) + "[exiting program at iteration 1] datetime: x\n")
                  .planned_iterations);
}

TEST_CASE("a run knows from where on its loss is no number") {
  const auto line = [](int number, const std::string& loss) {
    return fmt::format(" iteration {:8}/ 20 | elapsed time per iteration (ms): 100.0 |{}\n", number,
                       loss.empty() ? "" : " lm loss: " + loss + " |");
  };
  const auto from = [&](const std::vector<std::string>& losses) {
    std::string log = dump();
    int number = 0;
    for (const auto& loss : losses) log += line(++number, loss);
    return only_run(log).nan_from;
  };
  CHECK(from({"NAN", "nan", "-nan"}) == 1);
  CHECK(from({"2.5", "inf", "", "nan"}) == 2);
  CHECK_FALSE(from({"nan", "2.5"}));
  CHECK_FALSE(from({"2.5", ""}));
  CHECK_FALSE(from({""}));
}

TEST_CASE("a loss that a line leaves out without skipping a step is no number") {
  const auto line = [](int number, const std::string& loss, int skipped) {
    return fmt::format(
        " iteration {:8}/ 8000 | elapsed time per iteration (ms): 7613.1 |{} grad norm: nan | "
        "number of skipped iterations: {:3} | number of nan iterations:   0 |\n",
        number, loss, skipped);
  };
  const std::string loss = " lm loss: 7.334521E-01 |";
  CHECK(only_run(line(3383, loss, 0) + line(3384, "", 1) + line(3385, "", 0)).nan_from == 3385);
  CHECK_FALSE(only_run(line(3383, loss, 0) + line(3384, "", 1)).nan_from);
  CHECK_FALSE(only_run(line(1, "", 0) + line(2, "", 0)).nan_from);  // it may have another name
}

TEST_CASE("a time that no step can take is none") {
  const auto rows_with = [](const std::string& time) {
    return iterations_in("iteration 1/ 9 | elapsed time per iteration (ms): " + time +
                         " | lm loss: 1.0 |")
        .size();
  };
  for (const char* time : {"0.0", "-1.0", "1e-308", "1e300", "1e-7", "2e12"}) {
    CAPTURE(time);
    CHECK(rows_with(time) == 0);
  }
  for (const char* time : {"0.001", "1e-5", "86400000.0"}) {
    CAPTURE(time);
    CHECK(rows_with(time) == 1);
  }
}

TEST_CASE("fields without a colon are read, as they were printed until 2020") {
  const auto records = iterations_in(
      "s iteration      100/     600 | elapsed time per iteration (ms): 810.9 | learning rate "
      "1.444E-04 | lm loss 5.023855E+00 | sop loss 6.9E-01 | loss scale 8192.0 |");
  REQUIRE(records.size() == 1);
  const Iteration& iteration = records[0].iteration;
  CHECK(iteration.step_time_ms == 810.9);
  CHECK(iteration.learning_rate == 0.0001444);
  CHECK(iteration.lm_loss == 5.023855);
  CHECK(iteration.loss_scale == 8192);
  CHECK(iteration.other == NamedValues{{"sop loss", value_of(0.69)}});
  const auto memory = memory_in(
      "after 100 iterations memory (MB) | allocated: 3447.2 | max allocated: 6237.8 | cached: "
      "7880.0 | max cached: 7890.0");
  REQUIRE(memory.size() == 1);
  CHECK(memory[0].reserved_mib == 7880);
  CHECK(memory[0].max_reserved_mib == 7890);
}

TEST_CASE("iterations that are passed over are counted with a reason") {
  const auto unused_of = [](const std::string& log) {
    return scrape_parts([&](const auto& take) { take(log); }).unused;
  };
  const std::string quoted = "he wrote iteration 3/ 10 | elapsed time per iteration (ms): 5.0 |\n";
  const auto unused =
      unused_of(row(1, 100) + quoted + quoted +
                " iteration 4/ 10 | elapsed time per iteration (ms): 0.0 | lm loss: 2.5E+00 |\n" +
                "the elapsed time per iteration (ms): 5.0\n");
  REQUIRE(unused.size() == 2);
  CHECK(unused[0].reason ==
        "its iteration stands behind words that no logger writes, as in a quotation");
  CHECK(unused[0].count == 2);
  CHECK(unused[1].reason == "its iteration has no time that a step can take");
}

namespace {

std::string dated(const std::string& date, int number, int total, int gbs) {
  return fmt::format(
      "[default7]: [{} 15:08:27] iteration {:8}/{:8} | consumed samples: {:12} | elapsed time per "
      "iteration (ms): 6922.3 | global batch size: {:5} | lm loss: 6.457796E+00 | number of "
      "skipped iterations:   0 | number of nan iterations:   0 |\n",
      date, number, total, number * gbs, gbs);
}

std::vector<std::vector<std::int64_t>> steps_of_runs(const std::string& log) {
  std::vector<std::vector<std::int64_t>> steps;
  for (const auto& run : scrape_parts([&](const auto& take) { take(log); }).runs)
    steps.push_back(test::steps_of(run));
  return steps;
}

}  // namespace

TEST_CASE("another total of iterations, or a clock that goes back, is another launch") {
  const std::string first = dated("2026-09-14", 44, 102400, 8) + dated("2026-09-14", 45, 102400, 8);
  const std::vector<std::vector<std::int64_t>> two{{44, 45}, {561}};
  CHECK(steps_of_runs(first + dated("2026-09-15", 561, 7629408, 32)) == two);
  CHECK(steps_of_runs(first + dated("2026-09-08", 561, 102400, 8)) == two);
  CHECK(steps_of_runs(first + dated("2026-09-14", 561, 102400, 32)) ==
        std::vector<std::vector<std::int64_t>>{{44, 45, 561}});
  const std::string more = dated("2026-09-14", 46, 102400, 8) + dated("2026-09-14", 47, 102400, 8);
  CHECK(steps_of_runs(first + more + dated("2026-09-08", 561, 102400, 8) +
                      dated("2026-09-08", 562, 102400, 8)) ==
        std::vector<std::vector<std::int64_t>>{{44, 45, 46, 47}, {561, 562}});
}
