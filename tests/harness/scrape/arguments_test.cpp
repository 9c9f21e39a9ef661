// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/megatron_arguments.h"
#include "harness/scrape/megatron_lines.h"
#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using test::argument;
using test::dump;
using test::only_run;
using test::row;

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
  // A name of 32 letters fills its column, one of 31 has a dot behind it.
  CHECK(argument_in("  " + std::string(32, 'n') + " 1"));
  CHECK_FALSE(argument_in("  " + std::string(31, 'n') + " 1"));
  CHECK(argument_in("  " + std::string(31, 'n') + " . 1"));
  CHECK_FALSE(argument_in("  7up ......... 1"));
  CHECK_FALSE(argument_in("  a-b ......... 1"));
  CHECK(argument_in("  k ........ 1..updated")->second.text == "1..updated");
  CHECK(argument_in("  k ........ 1...updated")->second.text == "1");
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

TEST_CASE("sections of DeepSpeed's configuration that are nested for ever have short names") {
  constexpr int kDeep = 5000;
  std::string lines, ends;
  for (int i = 0; i < kDeep; ++i) {
    lines += "    \"section\": {\n";
    ends += "    }\n";
  }
  const auto run =
      only_run(dump(argument("deepspeed", "True")) +
               "[2021-05-25 22:30:04,196] [INFO] [config.py:754:print]   json = {\n" + lines +
               "    \"inmost\": 1,\n" + ends + "    \"stage\": 3\n}\n" + row(1, 100));
  for (const auto& [name, value] : run.arguments) CHECK(name.size() < 1000);
  CHECK(run.iterations.size() == 1);
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

TEST_CASE("what no step waits for makes no other point") {
  for (const char* name : {"adam_beta1",
                           "adam_beta2",
                           "adam_eps",
                           "betas",
                           "block_data_path",
                           "class_num_classes",
                           "data_sharding",
                           "decoupled_lr",
                           "decoupled_min_lr",
                           "deepspeed_config",
                           "distributed_timeout_minutes",
                           "end_weight_decay",
                           "eps",
                           "exclude",
                           "faiss_use_gpu",
                           "finetune",
                           "hostfile",
                           "hysteresis",
                           "img_dim",
                           "img_h",
                           "img_w",
                           "include",
                           "initial_loss_scale",
                           "initial_scale_power",
                           "inference_batch_times_seqlen_threshold",
                           "iteration",
                           "job_name",
                           "launcher",
                           "layernorm_epsilon",
                           "load",
                           "local_rank",
                           "loss_scale_window",
                           "lr",
                           "mask_factor",
                           "mask_prob",
                           "mask_type",
                           "merge_file",
                           "min_loss_scale",
                           "min_lr",
                           "min_scale",
                           "mmap_warmup",
                           "node_rank",
                           "norm_epsilon",
                           "num_channels",
                           "num_classes",
                           "override_lr_scheduler",
                           "override_opt_param_scheduler",
                           "patch_dim",
                           "query_in_block_prob",
                           "rank",
                           "report_topk_accuracies",
                           "sample_rate",
                           "save",
                           "seed",
                           "sgd_momentum",
                           "short_seq_prob",
                           "split",
                           "start_weight_decay",
                           "steps_per_print",
                           "tokenizer_model",
                           "tokenizer_type",
                           "train_iters",
                           "train_samples",
                           "train_tokens",
                           "use_checkpoint_args",
                           "use_checkpoint_lr_scheduler",
                           "use_checkpoint_opt_param_scheduler",
                           "use_cpu_initialization",
                           "use_one_sent_docs",
                           "user_script",
                           "vocab_extra_ids",
                           "vocab_file",
                           "warmup",
                           "weight_decay",
                           "weight_decay_incr_style"}) {
    CAPTURE(name);
    CHECK_FALSE(matters_to_speed(name, value_of("1")));
    // Of that very name: another that only holds it is not known.
    CHECK(matters_to_speed("x" + std::string(name) + "x", value_of("1")));
  }
}

TEST_CASE("what is read into model and layout is no axis beside") {
  for (const char* name : {"batch_size",
                           "context_parallel_size",
                           "data_parallel_size",
                           "encoder_num_layers",
                           "encoder_seq_length",
                           "ffn_hidden_size",
                           "gas",
                           "global_batch_size",
                           "gradient_accumulation_steps",
                           "hidden_size",
                           "make_vocab_size_divisible_by",
                           "micro_batch_size",
                           "model_parallel_size",
                           "num_attention_heads",
                           "num_layers",
                           "num_query_groups",
                           "padded_vocab_size",
                           "pipe_parallel_size",
                           "pipeline_model_parallel_size",
                           "seq_length",
                           "tensor_model_parallel_size",
                           "train_batch_size",
                           "train_micro_batch_size_per_gpu",
                           "vocab_size",
                           "world_size"}) {
    CAPTURE(name);
    CHECK_FALSE(matters_to_speed(name, value_of("1")));
    CHECK(matters_to_speed("x" + std::string(name) + "x", value_of("1")));
  }
}

TEST_CASE("families of idle arguments are told by how their names begin and end") {
  for (const char* name : {"adlr_x",        "bert_load",
                           "biencoder_x",   "consumed_x",
                           "dino_x",        "eval_x",
                           "exit_x",        "ict_x",
                           "indexer_x",     "init_method_std",
                           "load_x",        "log_interval",
                           "lr_x",          "master_x",
                           "mlflow_x",      "no_load_x",
                           "no_save_x",     "perform_initialization",
                           "retriever_x",   "retro_x",
                           "save_x",        "tensorboard_x",
                           "vision_x",      "wandb_x",
                           "my_addr",       "my_dir",
                           "my_file",       "my_id",
                           "my_interval",   "my_key",
                           "my_name",       "my_path",
                           "my_port",       "my_seed",
                           "my_timeout",    "comet.x",
                           "csv_monitor.x", "scheduler.x",
                           "tensorboard.x", "wandb.x",
                           "wandb.a.b",     "zero_optimization.load_x"}) {
    CAPTURE(name);
    CHECK_FALSE(matters_to_speed(name, value_of("1")));
  }
  for (const char* name : {"log_num_zeros_in_grad", "log_params_norm", "zero_optimization.stage",
                           "a.wandb.b", "swiglu", "addr", "x_log"}) {
    CAPTURE(name);
    CHECK(matters_to_speed(name, value_of("1")));
  }
  CHECK_FALSE(matters_to_speed("swiglu", value_of("/data/x")));
  CHECK_FALSE(matters_to_speed("swiglu", value_of("a/b")));
}

TEST_CASE("a name says what a person would say of a run") {
  const auto words_of = [](const std::string& arguments) {
    const std::string name = only_run(dump(arguments) + row(1, 100)).point.name;
    const std::string layout = "l2-h64-tp2-pp2-dp1-mbs2-gas4";
    REQUIRE(name.substr(0, layout.size()) == layout);
    return name.substr(layout.size());
  };
  CHECK(words_of("").empty());
  CHECK(words_of(argument("deepspeed", "True") + argument("zero_stage", "1")) == "-ds-zero1");
  CHECK(words_of(argument("deepspeed", "True") + argument("zero_stage", "0")) == "-ds");
  CHECK(words_of(argument("deepspeed", "False") + argument("zero_stage", "1")).empty());
  CHECK(words_of(argument("zero_stage", "2")) == "-zero2");
  CHECK(words_of(argument("use_distributed_optimizer", "True")) == "-zero1");
  CHECK(words_of(argument("bf16", "True")) == "-bf16");
  CHECK(words_of(argument("sequence_parallel", "True")) == "-sp");
  CHECK(words_of(argument("virtual_pipeline_model_parallel_size", "2")) == "-vpp2");
  CHECK(words_of(argument("virtual_pipeline_model_parallel_size", "None")).empty());
}

TEST_CASE("each way to speak of recomputation is understood") {
  using Pairs = NamedValues;
  const auto of = [](const Pairs& pairs) { return recompute_of(pairs); };
  const Value on = value_of("True"), off = value_of("False");
  CHECK(of({}).empty());
  CHECK(of({{"recompute_granularity", value_of("full")}}) == "full");
  CHECK(of({{"recompute_granularity", value_of("selective")}}) == "selective");
  CHECK(of({{"recompute_granularity", value_of("None")}}) == "none");
  CHECK(of({{"recompute_granularity", value_of("None")}, {"checkpoint_activations", on}}) ==
        "full");
  CHECK(of({{"recompute_activations", on}}) == "selective");
  CHECK(of({{"recompute_activations", off}}) == "none");
  CHECK(of({{"checkpoint_activations", on}}) == "full");
  CHECK(of({{"checkpoint_activations", off}}) == "none");
  CHECK(of({{"activations_checkpoint_method", value_of("uniform")}}) == "full");
  CHECK(of({{"activations_checkpoint_method", value_of("block")}}) == "full");
  CHECK(of({{"activations_checkpoint_method", value_of("None")}}) == "none");
}

TEST_CASE("a dump's other names for model and layout are read, too") {
  const auto of = [](const NamedValues& arguments) {
    MegatronHeader header;
    header.arguments = arguments;
    return point_of(header);
  };
  const Value two = value_of("2"), four = value_of("4"), eight = value_of("8");
  Point point = of({{"encoder_num_layers", two},
                    {"encoder_seq_length", eight},
                    {"vocab_size", four},
                    {"padded_vocab_size", eight},
                    {"train_micro_batch_size_per_gpu", two},
                    {"gradient_accumulation_steps", four},
                    {"train_batch_size", eight},
                    {"pipe_parallel_size", two},
                    {"model_parallel_size", four},
                    {"world_size", eight}});
  CHECK(point.model.layers == 2);
  CHECK(point.model.seq == 8);
  CHECK(point.model.vocab == 4);
  CHECK(point.model.padded_vocab == 8);
  CHECK(point.layout.mbs == 2);
  CHECK(point.layout.gas == 4);
  CHECK(point.layout.gbs == 8);
  CHECK(point.layout.pp == 2);
  CHECK(point.layout.tp == 4);
  CHECK(point.layout.dp == 1);
  CHECK(point.model.style.empty());
  // DeepSpeed's 0 stages are one; before there was a pipeline, so is none.
  CHECK(of({{"pipe_parallel_size", value_of("0")}}).layout.pp == 1);
  CHECK(of({{"model_parallel_size", two}}).layout.pp == 1);
  CHECK_FALSE(of({{"world_size", two}}).layout.pp);
  // Of 2020: no accumulation, no global batch.
  point = of({{"batch_size", four}, {"data_parallel_size", two}});
  CHECK(point.layout.gas == 1);
  CHECK(point.layout.gbs == 8);
  point =
      of({{"global_batch_size", eight}, {"micro_batch_size", two}, {"data_parallel_size", two}});
  CHECK(point.layout.gas == 2);
  CHECK_FALSE(of({{"global_batch_size", eight},
                  {"micro_batch_size", value_of("3")},
                  {"data_parallel_size", two}})
                  .layout.gas);
  point = of({{"swiglu", value_of("True")}, {"num_layers", two}, {"num_query_groups", four}});
  CHECK(point.model.style == "llama");
  CHECK_FALSE(point.model.kv_heads);
  point = of({{"group_query_attention", value_of("True")}, {"num_query_groups", four}});
  CHECK(point.model.kv_heads == 4);
  // What is no whole number is none.
  CHECK_FALSE(of({{"num_layers", value_of("2.5")}}).model.layers);
  CHECK_FALSE(of({{"num_layers", value_of("1e15")}}).model.layers);
  CHECK(of({{"num_layers", value_of("1e14")}}).model.layers == 100'000'000'000'000);
}
