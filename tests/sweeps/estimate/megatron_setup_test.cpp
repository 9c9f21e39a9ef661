// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/megatron_setup.h"

#include <cmath>
#include <fstream>
#include <map>

#include "core/base/error.h"
#include "core/base/text.h"
#include "sweeps/estimate/analysis_tool.h"
#include "sweeps/estimate/groups.h"
#include "sweeps/estimate/launch_words.h"
#include "sweeps/estimate/memory.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"
#include "tests/sweeps/estimate/launches.h"

using namespace pippin;

namespace {

/// "num_layers=32 swiglu" as arguments.
NamedValues arguments(const std::string& text) {
  NamedValues values;
  for (const auto part : split(text, ' ')) {
    const auto equals = part.find('=');
    values.emplace_back(
        std::string(part.substr(0, equals)),
        value_of(equals == std::string_view::npos ? "True" : std::string(part.substr(equals + 1))));
  }
  return values;
}

/// The analysis tool's own example, with the 32 layers of what it printed.
const std::string kExample =
    "nproc_per_node=8 nnodes=2 tensor_model_parallel_size=2 pipeline_model_parallel_size=2 "
    "num_layers=32 hidden_size=4096 num_attention_heads=32 seq_length=2048 "
    "max_position_embeddings=2048 micro_batch_size=4 global_batch_size=512 lr=0.00015 "
    "train_iters=500000 clip_grad=1.0 use_flash_attn use_distributed_optimizer swiglu bf16";

Setup setup_of(const std::string& text) {
  return megatron_setup(arguments(text), std::nullopt, std::nullopt).setup;
}

std::string mistake_in(const std::string& text) {
  try {
    setup_of(text);
  } catch (const Error& error) {
    CHECK(error.exit_code() == ExitCode::kBadInput);
    return error.what();
  }
  return "";
}

const std::string kShape =
    "num_layers=24 hidden_size=1024 num_attention_heads=16 seq_length=1024 micro_batch_size=2";

}  // namespace

TEST_CASE("all 66 figures of the analysis tool's example are as it printed them") {
  // Source: Megatron-LM pull request 482, tools/get_training_info/README.md, "Example of output".
  std::map<std::string, std::string> figures;
  for (const auto& [name, text] : analysis_tool_figures(setup_of(kExample))) figures[name] = text;
  std::ifstream file(test::source_directory() / "tests/data/estimate/analysis_tool.tsv");
  std::string line;
  std::getline(file, line);
  int count = 0;
  for (; std::getline(file, line); ++count) {
    const auto tab = line.find('\t');
    CAPTURE(line);
    CHECK(figures[line.substr(0, tab)] == line.substr(tab + 1));
  }
  CHECK(count == 66);
  CHECK(figures.size() == 66);
}

TEST_CASE("the analysis tool's four measured configurations need what it said") {
  // The same README's table: the tool's estimates, in GiB, of Llama 2 7B on 8 GPUs. Of TP 1, PP 1
  // it says 68.8, and the tool beside it 69.0.
  const std::string llama =
      "num_layers=32 hidden_size=4096 num_attention_heads=32 seq_length=2048 use_flash_attn "
      "use_distributed_optimizer swiglu bf16 world_size=8 ";
  const auto needs = [&](const std::string& layout) {
    for (const auto& [name, text] : analysis_tool_figures(setup_of(llama + layout)))
      if (name == "gpu.requirement_GB") return text;
    return std::string();
  };
  CHECK(needs("micro_batch_size=2 global_batch_size=2048") == "69.0");
  CHECK(needs("micro_batch_size=4 global_batch_size=512 tensor_model_parallel_size=2") == "55.5");
  CHECK(needs("micro_batch_size=2 global_batch_size=2048 pipeline_model_parallel_size=2") ==
        "49.5");
  CHECK(needs("micro_batch_size=4 global_batch_size=128 tensor_model_parallel_size=8") == "28.6");
}

TEST_CASE("what the analysis tool does not know is said of it") {
  CHECK(unknown_to_analysis_tool(setup_of(kExample)).empty());
  CHECK_FALSE(unknown_to_analysis_tool(setup_of(kExample + " sequence_parallel")).empty());
  CHECK_FALSE(unknown_to_analysis_tool(setup_of(kExample + " recompute_activations")).empty());
  CHECK_FALSE(unknown_to_analysis_tool(setup_of(kShape + " world_size=1")).empty());
}

TEST_CASE("Megatron's arguments are a setup with its defaults") {
  const auto read =
      megatron_setup(arguments(kShape + " fp16 lr=1e-4 world_size=8"), std::nullopt, 4);
  const Setup& setup = read.setup;
  CHECK(setup.shape.ffn == 4096);
  CHECK(setup.shape.vocab == 50304);
  CHECK(setup.shape.positions == 1024);
  CHECK(setup.shape.kv_heads == 16);
  CHECK(setup.shape.head_width == 64);
  CHECK(setup.dp == 8);
  CHECK(setup.gas == 1);
  CHECK(setup.gpus_per_node == 4);
  CHECK(setup.type == NumberType::kFp16);
  CHECK(setup.attention == Attention::kScores);
  CHECK(read.unused == std::vector<std::string>{"--lr"});
  REQUIRE(read.assumed.size() == 2);
  CHECK_THAT(read.assumed[1], Catch::Contains("Megatron-LM 2.x"));
  CHECK(read.assumed[0].find("50257") != std::string::npos);
}

TEST_CASE("an argument that Megatron would not take as meant is refused by name") {
  CHECK(mistake_in(kShape + " world_size=8 tensor_model_paralel_size=2") ==
        "estimate: unknown argument '--tensor-model-paralel-size', did you mean "
        "'--tensor-model-parallel-size'?");
  CHECK(mistake_in("hidden_size=8") == "estimate: --num-layers is missing");
  CHECK(mistake_in(kShape + " world_size=8 tensor_model_parallel_size=3") ==
        "estimate: TP x PP x CP does not divide the number of GPUs (8 by 3)");
  CHECK(mistake_in(kShape + " world_size=8 global_batch_size=two") ==
        "estimate: --global-batch-size takes a whole number from 1 to 100000000, not 'two'");
  CHECK(mistake_in(kShape).find("--gpus") != std::string::npos);
  CHECK(mistake_in(kShape + " world_size=8 pipeline_model_parallel_size=8 "
                            "num_layers_per_virtual_pipeline_stage=2") ==
        "estimate: layers of a virtual stage do not divide those of a stage (3 by 2)");
}

TEST_CASE("a layout so large that its ranks cannot be counted is refused, as is any such number") {
  CHECK(mistake_in(kShape + " world_size=8 tensor_model_parallel_size=4294967296") ==
        "estimate: --tensor-model-parallel-size takes a whole number from 1 to 100000000, not "
        "'4294967296'");
  const std::string large = std::to_string(1 << 26);
  CHECK_THAT(
      mistake_in(kShape + " world_size=8 tensor_model_parallel_size=" + large +
                 " pipeline_model_parallel_size=" + large + " context_parallel_size=" + large),
      Catch::Contains("TP x PP x CP does not divide the number of GPUs"));
  CHECK(mistake_in(kShape + " world_size=100000000 micro_batch_size=100000000") ==
        "estimate: so many ranks and tokens cannot be counted");
  CHECK(mistake_in("num_layers=1000000 hidden_size=64 num_attention_heads=1 seq_length=64 "
                   "micro_batch_size=1 world_size=1000000 pipeline_model_parallel_size=1000000") ==
        "estimate: so many ranks and tokens cannot be counted");
}

TEST_CASE("stages are interleaved only where Megatron can interleave them") {
  const std::string chunked =
      kShape +
      " world_size=8 pipeline_model_parallel_size=4 num_virtual_stages_per_pipeline_rank=3";
  CHECK(mistake_in(chunked) ==
        "estimate: interleaved stages need a GAS that is a multiple of 4, not 1, as it is without "
        "--global-batch-size");
  const std::string odd = chunked + " gradient_accumulation_steps=10";
  CHECK(mistake_in(odd) ==
        "estimate: interleaved stages need a GAS that is a multiple of 4, not 10");
  CHECK(mistake_in(odd + " microbatch_group_size_per_vp_stage=5").empty());
  CHECK(mistake_in(odd + " microbatch_group_size_per_vp_stage=6").empty());
}

TEST_CASE("the code is taken for the one that has such arguments") {
  const auto framework = [](const std::string& more) {
    return setup_of(kShape + " world_size=8 " + more).framework;
  };
  CHECK(framework("bf16") == Framework::kMegatronCore);
  CHECK(framework("bf16 use_flash_attn") == Framework::kMegatron2023);
  CHECK(framework("bf16 use_flash_attn transformer_impl=local") == Framework::kMegatronCore);
  CHECK(framework("fp16") == Framework::kMegatron2);
  CHECK(framework("fp16 deepspeed") == Framework::kMegatronDeepSpeed);
  CHECK_FALSE(setup_of(kShape + " world_size=8 hidden_dropout=0.00").hidden_dropout);
  CHECK(setup_of(kShape + " world_size=8 hidden_dropout=0.1").hidden_dropout);
}

TEST_CASE("a layout that Megatron would refuse is refused, and one that no number can count") {
  CHECK(mistake_in(kShape + " world_size=32 tensor_model_parallel_size=32") ==
        "estimate: TP does not divide the heads (16 by 32)");
  CHECK(mistake_in(kShape + " world_size=8 num_experts=6 expert_model_parallel_size=4") ==
        "estimate: EP does not divide the experts (6 by 4)");
  CHECK(mistake_in("num_layers=1000000 hidden_size=1000000 num_attention_heads=1 seq_length=8 "
                   "micro_batch_size=1 world_size=1") ==
        "estimate: a model of so many parameters cannot be counted");
  const std::string experts = " num_experts=8 expert_model_parallel_size=8";
  CHECK(mistake_in(kShape + experts + " world_size=2") ==
        "estimate: EP x expert TP does not divide TP x CP x DP (2 by 8)");
  CHECK(mistake_in(kShape + " world_size=8 expert_model_parallel_size=2") ==
        "estimate: EP is of experts, and there are none");
  const Setup few = setup_of(kShape + experts + " world_size=8 use_distributed_optimizer");
  CHECK(std::isfinite(stage_memory(few, 0).peak));
}

TEST_CASE("stages of different lengths are those that Megatron makes, or refused") {
  const std::string four = kShape + " world_size=4 pipeline_model_parallel_size=4";
  using test::layers_of_stages;
  using Layers = std::vector<std::int64_t>;
  CHECK(layers_of_stages(setup_of(four + " decoder_first_pipeline_num_layers=9")) ==
        Layers{9, 5, 5, 5});
  CHECK(mistake_in(four + " decoder_first_pipeline_num_layers=10") ==
        "estimate: the other stages do not divide the other layers (14 by 3)");
  CHECK(mistake_in(four + " decoder_first_pipeline_num_layers=20 "
                          "decoder_last_pipeline_num_layers=20") ==
        "estimate: 24 layers are no 4 stages with 20 on the first and 20 on the last");
  const std::string counted =
      " account_for_embedding_in_pipeline_split account_for_loss_in_pipeline_split";
  CHECK(mistake_in(four + counted) ==
        "estimate: PP does not divide the layers, with what counts as one (26 by 4)");
  CHECK(layers_of_stages(setup_of(kShape + " world_size=2 pipeline_model_parallel_size=2" +
                                  counted)) == Layers{12, 12});
}

TEST_CASE("what Megatron counts beside another argument alone is said, or refused") {
  const MegatronSetup keys = megatron_setup(
      arguments_of_words({"--num-layers 24 --hidden-size 1024 --num-attention-heads 16 "
                          "--seq-length 1024 --micro-batch-size 4 --num-query-groups 4"}),
      8, 8);
  CHECK(keys.setup.shape.kv_heads == 16);
  CHECK_THAT(join(keys.assumed, "; "), Catch::Contains("with --group-query-attention alone"));
  CHECK(mistake_in(kShape + " world_size=8 num_layers_per_virtual_pipeline_stage=2") ==
        "estimate: virtual stages are of a pipeline, and PP is 1");
  CHECK(mistake_in("num_layers=24 hidden_size=1024 num_attention_heads=16 seq_length=1025 "
                   "micro_batch_size=2 world_size=8 tensor_model_parallel_size=8 "
                   "sequence_parallel") ==
        "estimate: with sequence parallelism TP does not divide the sequence (1025 by 8)");
}

TEST_CASE("a word that Megatron does not know is refused") {
  CHECK(mistake_in(kShape + " world_size=8 recompute_granularity=Full") ==
        "estimate: --recompute-granularity is one of full, selective, not 'Full'");
  CHECK_THAT(mistake_in(kShape + " world_size=8 attention_backend=sdpa"),
             Catch::Contains("is one of auto, flash, fused, unfused, local"));
}

TEST_CASE("arguments that change memory nobody knows how are told from those that do not") {
  MegatronSetup read = megatron_setup(
      arguments_of_words({"--num-layers 24 --hidden-size 1024 --num-attention-heads 16 "
                          "--seq-length 1024 --micro-batch-size 4 --optimizer sgd "
                          "--enable-mhc --moe-layer-freq 1 --lr 1e-4"}),
      8, 8);
  CHECK(read.unknown == std::vector<std::string>{"--enable-mhc", "--optimizer"});
  CHECK_THAT(join(read.unused, " "), Catch::Contains("--lr") && !Catch::Contains("--optimizer"));
}

TEST_CASE("more layers on the first stage than there are, are refused of every framework") {
  for (const char* framework : {"", "--deepspeed", "--deepspeed --zero-stage 1"}) {
    CAPTURE(framework);
    const std::string words =
        "--num-layers 3 --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 --bf16 "
        "--micro-batch-size 4 --pipeline-model-parallel-size 2 "
        "--decoder-first-pipeline-num-layers 9 ";
    CHECK_THROWS_WITH(megatron_setup(arguments_of_words({words + framework}), 8, 8),
                      "estimate: 3 layers are no 2 stages with 9 on the first and 0 on the last");
  }
}

TEST_CASE("arguments of Megatron that lie near those that count are none of them") {
  for (const char* name : {"lr_decay_iters", "moe_router_dtype", "log_interval", "no_rope_fusion",
                           "context_parallel_size=1"}) {
    CAPTURE(name);
    CHECK(mistake_in(kShape + " world_size=8 " + name).empty());
  }
}

TEST_CASE("groups count TP first, then CP, DP and PP") {
  Setup setup = setup_of(kShape +
                         " world_size=32 bf16=True tensor_model_parallel_size=2 "
                         "context_parallel_size=2 pipeline_model_parallel_size=2");
  CHECK(groups_of(setup, Dimension::kTensor).at(1) == Ranks{2, 3});
  CHECK(groups_of(setup, Dimension::kContext).at(1) == Ranks{1, 3});
  CHECK(groups_of(setup, Dimension::kData).at(0) == Ranks{0, 4, 8, 12});
  CHECK(groups_of(setup, Dimension::kPipeline).at(0) == Ranks{0, 16});
  CHECK(groups_of(setup, Dimension::kPipeline).size() == 16);
  CHECK(nodes_of_group(setup, Dimension::kTensor) == 1);
  CHECK(nodes_of_group(setup, Dimension::kData) == 2);
  CHECK(nodes_of_group(setup, Dimension::kPipeline) == 2);
  setup.gpus_per_node = 3;
  CHECK(nodes_of_group(setup, Dimension::kTensor) == 2);
}
