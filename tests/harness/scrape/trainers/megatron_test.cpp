// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

TEST_CASE("GPUs of a log without a dump follow from tokens a second and GPU") {
  const LogRun argonne = only_run(excerpt("megatron-argonne.log"));
  CHECK(argonne.point.layout.gpus == 3072);
  CHECK(argonne.point.layout.gbs == 6144);
  CHECK(argonne.derived ==
        NamedValues{{"gpus", value_of(std::string("GBS · seq / (tokens/s/GPU · s)"))}});
  CHECK_FALSE(argonne.configured);  // whose model is it?
}

TEST_CASE("Argonne's rate of 2024 has no blank before its unit") {
  const LogRun run = only_run(
      " iteration        1/  317892 | consumed samples:           32 | consumed tokens:       "
      "131072 | elapsed time per iteration (ms): 21133.8 | learning rate: 3.000E-04 | global batch "
      "size:    32 | lm loss: 1.119983E+01 | loss scale: 1.0 | actual seqlen:  4096 | number of "
      "skipped iterations:   0 | number of nan iterations:   0 | samples per second: 1.514 | "
      "tokens per gpu per second(tgs): 775.250 | TFLOPs: 47.23 |\n");
  CHECK(run.point.layout.gpus == 8);
}

TEST_CASE("the summary of DeepSpeed's flops profiler says the layout of a log without a dump") {
  const auto line = [](int iteration) {
    return "[2024-05-02 08:11:3" + std::to_string(iteration) +
           "][INFO][training:1251] -  iteration=       " + std::to_string(iteration) +
           "/    5000 | consumed_samples=         256 | elapsed_time_per_iteration_ms=20480.0 | "
           "learning_rate=0.000002 | global_batch_size=  256 | lm loss=11.1 | loss_scale=1.0 | "
           "actual_seqlen= 2048 | number_of_skipped_iterations=  0 | number_of_nan_iterations=  0 "
           "| samples_per_second=12.500 | tokens_per_gpu_per_second_tgs=1600.000 | TFLOPs=40.1 |\n";
  };
  const auto profile = [](int ranks, int replicas, int model) {
    const auto row = [](std::string name, int number) {
      name.resize(72, ' ');
      return name + std::to_string(number) + "\n";
    };
    return "\n-------------------------- DeepSpeed Flops Profiler --------------------------\n"
           "Profile Summary at step 2:\n" +
           row("world size:", ranks) + row("data parallel size:", replicas) +
           row("model parallel size:", model) + row("batch size per GPU:", 4) +
           "params per GPU:                                                         2.39 B\n\n";
  };
  const LogRun run = only_run(line(1) + profile(16, 8, 2) + line(2));
  const Layout& layout = run.point.layout;
  CHECK(layout.gpus == 16);
  CHECK(layout.tp == 2);
  CHECK(layout.pp == 1);
  CHECK(layout.dp == 8);
  CHECK(layout.mbs == 4);
  CHECK(layout.gas == 8);
  CHECK(run.derived.empty());
  CHECK_FALSE(only_run(line(1) + profile(16, 4, 2) + line(2)).point.layout.pp);
  CHECK(only_run("using world size: 32, data-parallel-size: 16\n" + line(1) + profile(16, 8, 2) +
                 line(2))
            .point.layout.gpus == 32);
}

TEST_CASE("GPT-NeoX says its batch by samples a second, and its GPUs by the batch") {
  const LogRun run = only_run(excerpt("megatron-neox.log"));
  CHECK(run.point.layout.gbs == 32);
  CHECK(run.point.layout.dp == 4);
  CHECK(run.point.layout.gpus == 4);
  CHECK(run.derived == NamedValues{{"gbs", value_of(std::string("samples/s · s"))}});
  CHECK(times_of(run) == std::vector<double>{4103.1, 4102.1});
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst, 0});
}

TEST_CASE("Primus' first two lines and those behind them are one course") {
  const LogRun run = only_run(excerpt("megatron-primus.log"));
  CHECK(times_of(run) == std::vector<double>{18146.7, 5146.7, 5101.3, 5099.3});
  CHECK(flags_of(run) == std::vector<unsigned>{kFirst, 0, 0, 0});
  CHECK_FALSE(run.configured);
}

TEST_CASE("the ranks that Primus' logger counts are its GPUs where nothing else says them") {
  const auto line = [](const std::string& rank, int iteration) {
    return "[20251124 10:03:17][" + rank + "][INFO ] [--------trainer.py:2560] : iteration " +
           std::to_string(iteration) +
           "/ 400 | consumed samples: 9600 | elapsed time per iteration (ms): 6120.4/6118.9 | "
           "learning rate: 3.1E-05 | global batch size: 96 | lm loss: 4.2E+00 | number of skipped "
           "iterations: 0 | number of nan iterations: 0 |\n";
  };
  const auto gpus = [](const std::string& log) { return only_run(log).point.layout.gpus; };
  CHECK(gpus(line("rank-15/16", 100)) == 16);
  CHECK_FALSE(only_run(line("rank-15/16", 100)).configured);
  CHECK(only_run(line("rank-15/16", 100)).derived.empty());
  CHECK(gpus("using world size: 24, data-parallel size: 24\n" + line("rank-7/8", 100)) == 24);
  CHECK_FALSE(gpus(line("rank-8/8", 100)));
  CHECK_FALSE(gpus(line("rank-8", 100)));
}

TEST_CASE("Megatron-Bridge's configuration and its job's name are the layout") {
  const LogRun run = only_run(excerpt("megatron-bridge.log"));
  const Layout& layout = run.point.layout;
  CHECK(layout.gpus == 8);
  CHECK(layout.tp == 2);
  CHECK(layout.pp == 1);
  CHECK(layout.dp == 4);
  CHECK(layout.mbs == 4);
  CHECK(layout.gas == 8);
  CHECK(layout.gbs == 128);
  CHECK(run.point.model.layers == 32);
  CHECK(run.point.model.seq == 8192);
  CHECK(run.configured);
  CHECK(run.planned_iterations == 50);
  REQUIRE(run.memory.size() == 1);
  CHECK(*run.memory[0].max_allocated_mib == Approx(185404).margin(1));
}

TEST_CASE("Megatron-Bridge's configuration tells what kind of model it is") {
  const auto model = [](const std::string& more) {
    std::string log = excerpt("megatron-bridge.log");
    log.insert(log.find("train:\n"),
               "  ffn_hidden_size: 14336\n  vocab_size: 128256\n  num_query_groups: 8\n" + more);
    return only_run(log).point.model;
  };
  const Model llama =
      model("  gated_linear_unit: true\n  share_embeddings_and_output_weights: false\n");
  CHECK(llama.style == "llama");
  CHECK(llama.kv_heads == 8);
  CHECK(llama.tied == false);
  CHECK(model("  gated_linear_unit: false\n  num_moe_experts: null\n").style == "gpt2");
  CHECK(model("  gated_linear_unit: true\n  num_moe_experts: 8\n").style == "moe");
  CHECK(model("  hybrid_override_pattern: M-M*-\n").style == "hybrid");
  CHECK(model("  hybrid_override_pattern: null\n  is_hybrid_model: false\n").style == "gpt2");
}

TEST_CASE("a torn dump is no configuration") {
  std::string log = excerpt("megatron.log");
  CHECK(only_run(log).configured);
  const auto end = log.find("-------------------- end of");
  log.erase(end, log.find('\n', end) - end + 1);
  CHECK_FALSE(only_run(log).configured);
}

namespace {

/// As Primus prints it, but broken at the places that `mark` stands for.
std::string primus_line(int iteration, char mark) {
  const std::string line =
      "iteration       " + std::to_string(iteration) +
      "/     400 | consumed samples:           96 | elapsed time per iteration (ms): "
      "612~0.4/6118.9 "
      "|^ throughput per GPU (TFLOP/s/GPU): 510.2/511.0 | learning rate: 3.1E-~05 | global "
      "ba~tch size: 16 |^ lm loss: 4.2E+00 | loss ~scale: 1.0 |^ grad norm: 1.5 | number of "
      "skipped iterations: 1 |^ number of nan iterations: 0 |";
  std::string broken;
  for (const char c : line) {
    if (c == mark) broken += '\n';
    if (c != '~' && c != '^') broken += c;
  }
  return broken + '\n';
}

void check_first(const LogRun& run) {
  const Iteration row = run.iterations.at(0);
  CHECK(row.step_time_ms == 6120.4);
  CHECK(row.gbs == 16);
  CHECK(row.lm_loss == 4.2);
  CHECK(row.learning_rate == 3.1e-5);
  CHECK(row.grad_norm == 1.5);
  CHECK(row.skipped == 1);
  CHECK((row.flags & kSkippedStep) != 0);
}

}  // namespace

TEST_CASE("an iteration line that was broken behind its bars, or in a field, is one") {
  for (const char mark : {'^', '~'}) {
    CAPTURE(mark);
    check_first(only_run(primus_line(100, mark)));
    const LogRun run =
        only_run(primus_line(100, mark) + primus_line(101, mark) + primus_line(102, mark));
    check_first(run);
    CHECK(steps_of(run) == std::vector<std::int64_t>{100, 101, 102});
    CHECK(run.iterations.at(2).gbs == 16);
  }
}

TEST_CASE("what stands below an iteration line is its rest only where it is nothing but fields") {
  const std::string begun = "iteration 7/ 20 | elapsed time per iteration (ms): 900.5 |\n";
  const auto row = [](const std::string& log) { return only_run(log).iterations.at(0); };
  CHECK(row(begun + "lm loss: 2.5 | global batch size: 8 |\n").gbs == 8);
  CHECK_FALSE(row(begun + "saw it: lm loss: 2.5 | global batch size: 8 |\n").gbs);
  CHECK_FALSE(row(begun + "\nlm loss: 2.5 | global batch size: 8 |\n").gbs);
  CHECK_FALSE(row(begun + "lm loss: 2.5, global batch size: 8\n").gbs);
  CHECK(row(begun + "elapsed time per iteration (ms): 3.5 | lm loss: 2.5 |\n").step_time_ms ==
        900.5);
  CHECK(steps_of(only_run(begun + "iteration 8/ 20 | elapsed time per iteration (ms): 901.5 |\n" +
                          "iteration 9/ 20 | elapsed time per iteration (ms): 902.5 |\n")) ==
        std::vector<std::int64_t>{7, 8, 9});
}

TEST_CASE("the GPUs that Primus names are the launch's where nothing else says them") {
  const std::string log =
      "[Primus:Env] rank=0, world_size=8, local_rank=0, master=localhost:1234\n"
      "  seq_length: 2048\n"
      "iteration        1/       3 | elapsed time per iteration (ms): 50652.0 | global batch size: "
      "   32 | lm loss: 1.097315E+01\n"
      "iteration        2/       3 | elapsed time per iteration (ms): 104.6 | global batch size: "
      "   32 | lm loss: 1.097168E+01\n";
  const Point point = only_run(log).point;
  CHECK(point.layout.gpus == 8);
  CHECK(point.model.seq == 2048);
}
