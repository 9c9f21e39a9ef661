#include "harness/scrape/megatron_arguments.h"
#include "harness/scrape/megatron_lines.h"
#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/support/catch.h"

using namespace pippin;
using test::argument;
using test::dump;
using test::row;

namespace {

LogRun only_run(const std::string& log) {
  const auto runs = scrape(log);
  REQUIRE(runs.size() == 1);
  return runs[0];
}

}  // namespace

TEST_CASE("lines of a dump are told from other lines") {
  CHECK(argument_in("  hidden_size ......... 64")->second == value_of(64.0));
  CHECK(argument_in("  lr .............. 1E-04")->second == value_of(0.0001));
  CHECK(argument_in("  apply_residual_connection_post_layernorm  False")->second.text == "False");
  CHECK(argument_in("  empty ............... ")->second.text.empty());
  CHECK(argument_in("  split ........... 949, 50, 1")->second.text == "949, 50, 1");
  CHECK(argument_in("  seq ....... 1...........................default")->second.text == "1");
  CHECK(argument_in("  load .... a.b.......updated")->second.text == "a.b");
  CHECK_FALSE(argument_in("  warnings.warn("));
  CHECK_FALSE(argument_in("  short  False"));
  CHECK_FALSE(argument_in("hidden_size ......... 64"));
  CHECK_FALSE(argument_in(""));
}

TEST_CASE("model and layout come from the dump") {
  const Point point = only_run(dump() + row(1, 100)).point;
  CHECK(point.trainer == "megatron");
  CHECK(point.model.style == "gpt2");
  CHECK(point.model.layers == 2);
  CHECK(point.model.hidden == 64);
  CHECK(point.model.heads == 4);
  CHECK(point.model.seq == 32);
  CHECK(point.model.vocab == 50257);
  CHECK(point.model.padded_vocab == 50432);
  CHECK_FALSE(point.model.params);
  CHECK(point.layout.tp == 2);
  CHECK(point.layout.pp == 2);
  CHECK(point.layout.dp == 1);
  CHECK(point.layout.gpus == 4);
  CHECK(point.layout.mbs == 2);
  CHECK(point.layout.gas == 4);
  CHECK(point.layout.gbs == 8);
  CHECK(point.name == "l2-h64-tp2-pp2-dp1-mbs2-gas4");
  CHECK(point.id == point_id(point));
}

TEST_CASE("keys count only inside of the dump") {
  const auto run = only_run("  hidden_size ......... 1\n" + dump() +
                            "[INFO] [config.py:904:print]   world_size ................... 1\n"
                            "  world_size ................... 1\n" +
                            row(1, 100));
  CHECK(run.point.layout.gpus == 4);
  CHECK(run.point.model.hidden == 64);
}

TEST_CASE("the dump of 2020 has a batch size and an accumulation of its own") {
  const std::string log =
      "using world size: 64 and model-parallel size: 4 \n"
      "-------------------- arguments --------------------\n"
      "  batch_size ...................... 2\n"
      "  gas ............................. 8\n"
      "  model_parallel_size ............. 4\n"
      "  num_layers ...................... 24\n"
      "  pipe_parallel_size .............. 4\n"
      "  world_size ...................... 64\n"
      "---------------- end of arguments ----------------\n" +
      row(1, 100);
  const Layout layout = only_run(log).point.layout;
  CHECK(layout.tp == 4);
  CHECK(layout.pp == 4);
  CHECK(layout.dp == 4);
  CHECK(layout.mbs == 2);
  CHECK(layout.gas == 8);
  CHECK(layout.gbs == 64);
}

TEST_CASE("where the dump lacks the world the line before it counts") {
  std::string log = dump();
  log.erase(log.find("  world_size"),
            log.find('\n', log.find("  world_size")) + 1 - log.find("  world_size"));
  CHECK(only_run(log + row(1, 100)).point.layout.gpus == 4);
}

TEST_CASE("without any header the iterations still count") {
  const auto run = only_run(
      "using world size: 4, data-parallel-size: 1, tensor-model-parallel "
      "size: 2, pipeline-model-parallel size: 2 \n" +
      row(500, 100) + row(501, 101));
  CHECK(run.iterations.size() == 2);
  CHECK(run.iterations[0].flags == 0);
  CHECK(run.point.layout.tp == 2);
  CHECK(run.point.layout.gbs == 8);
  CHECK(only_run(row(500, 100)).point.trainer == "megatron");
}

TEST_CASE("today's world line has context parallelism and other hyphens") {
  const auto layout = only_run(
                          "using world size: 16, data-parallel size: 2, context-parallel size: 2, "
                          "hierarchical context-parallel sizes: Nonetensor-model-parallel size: 4, "
                          "encoder-tensor-model-parallel size: 0, pipeline-model-parallel size: 1, "
                          "encoder-pipeline-model-parallel size: 0\n" +
                          row(500, 100))
                          .point.layout;
  CHECK(layout.gpus == 16);
  CHECK(layout.dp == 2);
  CHECK(layout.cp == 2);
  CHECK(layout.tp == 4);
  CHECK(layout.pp == 1);
}

TEST_CASE("another day of one configuration is the same point") {
  const auto monday = only_run(
      dump(argument("seed", "1") + argument("lr", "0.1") + argument("save", "/scratch/monday") +
           argument("tensorboard_dir", "None") + argument("deepspeed_config", "./ds.1.json") +
           argument("train_iters", "20") + argument("experiment_run_id", "monday_3")) +
      row(1, 100));
  const auto friday = only_run(
      dump(argument("seed", "2") + argument("lr", "0.2") + argument("save", "/scratch/friday") +
           argument("tensorboard_dir", "/tb") + argument("deepspeed_config", "./ds.2.json") +
           argument("train_iters", "500") + argument("experiment_run_id", "friday_1")) +
      row(1, 100));
  CHECK(monday.point.id == friday.point.id);
}

TEST_CASE("DeepSpeed's configuration is part of the point as far as it matters to speed") {
  const auto with = [](const std::string& bucket, const std::string& lines) {
    return only_run(
        dump(argument("deepspeed", "True") + argument("zero_stage", "1.0")) +
        "[2021-05-25 22:30:04,196] [INFO] [config.py:754:print]   zero_enabled ....... True\n"
        "[2021-05-25 22:30:04,196] [INFO] [config.py:754:print]   json = {\n"
        "    \"train_micro_batch_size_per_gpu\": 2,\n" +
        lines +
        "    \"zero_optimization\": {\n"
        "        \"stage\": 3,\n"
        "loading a library that another rank speaks of\n"
        "        \"offload_optimizer\": {\n"
        "            \"device\": \"cpu\"\n"
        "        },\n"
        "        \"reduce_bucket_size\": " +
        bucket +
        "\n    },\n"
        "    \"wall_clock_breakdown\": false\n"
        "}\n"
        "    \"not\": 1\n" +
        row(1, 100));
  };
  const auto run = with("5.000000e+08", "    \"steps_per_print\": 10,\n");
  const auto value = [&](const char* name) {
    const Value* found = find_value(run.point.axes, name);
    return found ? found->text : "";
  };
  CHECK(value("zero_optimization.reduce_bucket_size") == "5.000000e+08");
  CHECK(value("zero_optimization.offload_optimizer.device") == "cpu");
  CHECK(value("wall_clock_breakdown") == "false");
  CHECK_FALSE(find_value(run.arguments, "not"));
  CHECK(run.point.layout.mbs == 2);
  CHECK(run.point.name.ends_with("-ds-zero3"));
  CHECK(with("500000000", "    \"steps_per_print\": 2000,\n").point.id == run.point.id);
  CHECK(with("500000000", "    \"tensorboard\": {\n        \"enabled\": true\n    },\n").point.id ==
        run.point.id);
  CHECK(with("200000000", "").point.id != run.point.id);
}

TEST_CASE("what changes the speed changes the point") {
  const auto id = [](const std::string& name, const std::string& value) {
    return only_run(dump(argument(name, value)) + row(1, 100)).point.id;
  };
  for (const char* name : {"deepspeed", "checkpoint_activations", "bias_gelu_fusion",
                           "masked_softmax_fusion", "sequence_parallel", "use_flash_attn",
                           "overlap_grad_reduce", "log_params_norm", "an_option_of_tomorrow"}) {
    CAPTURE(name);
    CHECK(id(name, "True") != id(name, "False"));
  }
  CHECK(id("zero_stage", "1") != id("zero_stage", "3"));
  CHECK(id("zero_reduce_bucket_size", "50000000") == id("zero_reduce_bucket_size", "5e7"));
}

TEST_CASE("the name says what a person would say") {
  const auto name = [](const std::string& more) {
    return only_run(dump(more) + row(1, 100)).point.name;
  };
  const std::string bare = "l2-h64-tp2-pp2-dp1-mbs2-gas4";
  CHECK(name(argument("deepspeed", "True") + argument("zero_stage", "3")) == bare + "-ds-zero3");
  CHECK(name(argument("deepspeed", "False") + argument("zero_stage", "3")) == bare);
  CHECK(name(argument("bf16", "True")) == bare + "-bf16");
  CHECK(name(argument("bias_gelu_fusion", "False")) == bare);
  CHECK(only_run(dump(argument("deepspeed", "True")) + row(1, 1)).point.trainer ==
        "megatron-deepspeed");
}

TEST_CASE("recomputation is read from every generation of arguments") {
  const auto recompute = [](const std::string& name, const std::string& value) {
    return only_run(dump(argument(name, value)) + row(1, 100)).recompute;
  };
  CHECK(recompute("checkpoint_activations", "True") == "full");
  CHECK(recompute("checkpoint_activations", "False") == "none");
  CHECK(recompute("activations_checkpoint_method", "uniform") == "full");
  CHECK(recompute("recompute_granularity", "selective") == "selective");
  CHECK(recompute("recompute_granularity", "full") == "full");
  CHECK(recompute("recompute_granularity", "None") == "none");
  CHECK(recompute("seed", "1").empty());
}

TEST_CASE("our own probes are known by their first line") {
  const auto runs =
      scrape(" > probe: pippin replay 1\n" + dump() + row(1, 100) +
             " > probe: pippin training 1\n" + dump() + row(1, 100) + dump() + row(1, 100));
  REQUIRE(runs.size() == 3);
  CHECK(runs[0].point.trainer == "replay");
  CHECK(runs[1].point.trainer == "training");
  CHECK(runs[2].point.trainer == "megatron");
}
