// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/trainer_arguments.h"

#include "core/base/text.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;

namespace {

/// "num_layers=40 fp16=True" as a dump.
NamedValues values(const std::string& text) {
  NamedValues all;
  for (const auto part : split(text, ' ')) {
    const auto equals = part.find('=');
    all.emplace_back(std::string(part.substr(0, equals)),
                     value_of(std::string(part.substr(equals + 1))));
  }
  return all;
}

/// Of BigScience's run of May 2021 on 16 V100.
const std::string kOf2021 =
    "bf16=False fp16=True checkpoint_activations=True checkpoint_num_layers=1 DDP_impl=local "
    "data_parallel_size=1 hidden_size=6144 ffn_hidden_size=24576 kv_channels=192 num_layers=40 "
    "num_attention_heads=32 seq_length=1024 micro_batch_size=1 global_batch_size=4 "
    "tensor_model_parallel_size=4 pipeline_model_parallel_size=4 params_dtype=torch.float16 "
    "world_size=16 virtual_pipeline_model_parallel_size=None masked_softmax_fusion=False";

const std::string kOf2024 =
    "bf16=True fp16=False hidden_size=4096 num_layers=32 num_attention_heads=32 "
    "group_query_attention=True num_query_groups=8 seq_length=4096 micro_batch_size=1 "
    "global_batch_size=128 tensor_model_parallel_size=2 pipeline_model_parallel_size=1 "
    "world_size=8 transformer_impl=transformer_engine attention_backend=AttnBackend.fused "
    "use_distributed_optimizer=True recompute_granularity=None padded_vocab_size=50432 "
    "num_experts=None zero_stage=0.0 add_bias_linear=False swiglu=True hidden_dropout=0.0 "
    "fp8=None fp8_margin=0 optimizer_cpu_offload=False decoder_seq_length=None";

Point point_of(const Count& vocab = 50688) {
  Point point;
  point.trainer = "megatron";
  point.model.padded_vocab = vocab;
  return point;
}

ArgumentsSetup read(const std::string& dump, const Point& point = point_of()) {
  return setup_of_dump(values(dump), point, "", 8, Generation::kAmpere);
}

}  // namespace

TEST_CASE("a dump of 2021 is Megatron 2's, and the log beside it says the vocabulary") {
  const ArgumentsSetup said = read(kOf2021);
  REQUIRE(said.setup);
  const Setup& setup = *said.setup;
  CHECK(setup.framework == Framework::kMegatron2);
  CHECK(setup.type == NumberType::kFp16);
  CHECK(setup.recompute == Recompute::kFull);
  CHECK(setup.attention == Attention::kScores);
  CHECK_FALSE(setup.fused_softmax);
  CHECK(setup.shape.vocab == 50688);
  CHECK(setup.tp == 4);
  CHECK(setup.pp == 4);
  CHECK(setup.gas == 4);
  CHECK(said.why_no_memory.empty());
  CHECK(said.why_no_time.empty());
}

TEST_CASE("a dump of 2024 says what is off, too, and that is off") {
  const ArgumentsSetup said = read(kOf2024);
  REQUIRE(said.setup);
  const Setup& setup = *said.setup;
  CHECK(setup.framework == Framework::kMegatronCore);
  CHECK(setup.transformer_engine);
  CHECK(setup.attention == Attention::kFused);
  CHECK(setup.zero == 0);
  CHECK(setup.shape.kv_heads == 8);
  CHECK_FALSE(setup.shape.biases);
  CHECK_FALSE(setup.hidden_dropout);
  CHECK(setup.shape.experts == 0);
  CHECK(setup.dp == 4);
  CHECK(said.why_no_memory.empty());
  const ArgumentsSetup older = read(kOf2024 + " use_mcore_models=False");
  CHECK(older.setup->framework == Framework::kMegatron2023);
}

TEST_CASE("what no account knows is said, and what is not said is not guessed") {
  const ArgumentsSetup fp4 = read(kOf2024 + " fp4_format=e2m1");
  CHECK_THAT(fp4.why_no_memory, Contains("what --fp4-format takes is not known"));
  CHECK_THAT(fp4.why_no_time, Contains("how fast it is with --fp4-format"));
  CHECK(read(kOf2024 + " fp8_format=hybrid").why_not == "--fp8-format needs a GPU from Hopper on");
  // A dump prints what is as usual, too.
  const std::string usual =
      " cp_comm_type=['p2p'] moe_layer_freq=1 moe_shared_expert_intermediate_size=None "
      "mtp_num_layers=None experimental_attention_variant=None hybrid_attention_ratio=0.0 "
      "hybrid_override_pattern=None is_hybrid_model=False attention_output_gate=False "
      "heterogeneous_layers_config_path=None multi_latent_attention=False fp4=None ";
  CHECK(read(kOf2024 + usual + "context_parallel_size=2").why_no_time.empty());
  CHECK_THAT(read(kOf2024 + " cp_comm_type=['a2a'] context_parallel_size=2").why_no_time,
             Contains("--cp-comm-type"));
  CHECK(read(kOf2024 + " cp_comm_type=['a2a'] context_parallel_size=1").why_no_time.empty());
  CHECK(read(kOf2024 + " moe_layer_freq=[0,1]").why_no_time.empty());  // it has no experts
  const ArgumentsSetup narrow_loss = read(kOf2024 + " fp16_lm_cross_entropy=True");
  CHECK_FALSE(narrow_loss.why_no_memory.empty());
  CHECK(narrow_loss.why_no_time.empty());
  const ArgumentsSetup open = read(kOf2021, point_of(std::nullopt));
  CHECK_FALSE(open.setup);
  CHECK(open.why_not == "the size of its vocabulary is not known");
  const ArgumentsSetup excerpt = read(
      "hidden_size=64 num_layers=2 num_attention_heads=4 seq_length=64 micro_batch_size=1 "
      "world_size=1 fp16=True");
  CHECK_FALSE(excerpt.setup);
  CHECK_THAT(excerpt.why_not, Contains("does not say which Megatron it is of"));
  const ArgumentsSetup short_one = read("num_layers=2 DDP_impl=local");
  CHECK(short_one.why_not == "--hidden-size is missing");
}

TEST_CASE("DeepSpeed's stages are its pipeline, Megatron-DeepSpeed's optimizer, or its ZeRO") {
  const auto framework = [](const std::string& stage) {
    return read(kOf2021 + " deepspeed=True zero_stage=" + stage).setup->framework;
  };
  CHECK(framework("0") == Framework::kDeepSpeedPipeline);
  CHECK(framework("1.0") == Framework::kMegatronDeepSpeed);
  const ArgumentsSetup staged = read(kOf2021 + " deepspeed=True zero_stage=3");
  CHECK(staged.why_not == "DeepSpeed's ZeRO-3 has no pipeline, and PP is 4");
  const ArgumentsSetup whole = read(
      "hidden_size=64 num_layers=2 num_attention_heads=4 seq_length=64 micro_batch_size=1 "
      "world_size=2 fp16=True DDP_impl=local deepspeed=True zero_stage=3");
  CHECK(whole.setup->framework == Framework::kDeepSpeedZero);
}

TEST_CASE("our trainer is known by its dump, and before it ran by its point") {
  Point point;
  point.trainer = "training";
  point.model.style = "llama";
  point.model.layers = 4;
  point.model.hidden = 64;
  point.model.heads = 8;
  point.model.kv_heads = 4;
  point.model.ffn = 128;
  point.model.seq = 32;
  point.model.vocab = 500;
  point.layout = {2, 2, 1, std::nullopt, 2, 3, 4, 6};
  point.axes = {{"zero", value_of(std::string("1"))}, {"precision", value_of("bf16")}};
  const ArgumentsSetup planned = setup_of_dump({}, point, "", 8, Generation::kAmpere);
  REQUIRE(planned.setup);
  const Setup& setup = *planned.setup;
  CHECK(setup.framework == Framework::kProbe);
  CHECK(setup.shape.gated());
  CHECK(setup.shape.kv_heads == 4);
  CHECK_FALSE(setup.shape.tied);
  CHECK(setup.shape.vocab == 512);
  CHECK(setup.zero == 1);
  CHECK(setup.gas == 3);
  CHECK(setup.type == NumberType::kBf16);
  CHECK(planned.why_no_memory.empty());
  const ArgumentsSetup ran =
      setup_of_dump(values("probe=training device=cpu bf16=True zero_stage=0"), point, "", 8,
                    Generation::kAmpere);
  CHECK_THAT(ran.why_no_memory, Contains("a processor takes besides"));
  const ArgumentsSetup wide = setup_of_dump(values("probe=training device=cpu bf16=False"), point,
                                            "full", 8, Generation::kAmpere);
  CHECK(wide.why_no_memory.empty());
  CHECK_THAT(wide.why_no_time, Contains("fp32"));
  CHECK(wide.setup->recompute == Recompute::kFull);
}

TEST_CASE("a command leaves out what is usual today") {
  Point point = point_of();
  point.layout.gpus = 16;
  const ArgumentsSetup said = setup_of_command(
      values("num_layers=2 hidden_size=64 num_attention_heads=4 seq_length=64 micro_batch_size=1 "
             "global_batch_size=16 bf16=True use_flash_attn=True transformer_impl=local"),
      point, 8, Generation::kHopper);
  REQUIRE(said.setup);
  CHECK(said.setup->framework == Framework::kMegatronCore);
  CHECK(said.setup->dp == 16);
  const ArgumentsSetup offloaded = setup_of_command(
      values("num_layers=2 hidden_size=64 num_attention_heads=4 seq_length=64 micro_batch_size=1 "
             "bf16=True cpu_offloading_num_layers=1"),
      point, 8, Generation::kHopper);
  CHECK_FALSE(offloaded.why_no_memory.empty());
}

TEST_CASE("that CP is 1 makes no older command a newer Megatron's") {
  Point point = point_of();
  point.layout.gpus = 16;
  point.layout.cp = 1;
  const std::string command =
      "num_layers=2 hidden_size=64 num_attention_heads=4 seq_length=64 micro_batch_size=1 "
      "global_batch_size=16 fp16=True DDP_impl=local checkpoint_activations=True";
  const auto framework = [&] {
    const ArgumentsSetup said = setup_of_command(values(command), point, 8, Generation::kAmpere);
    CAPTURE(said.why_not);
    REQUIRE(said.setup);
    return said.setup->framework;
  };
  CHECK(framework() == Framework::kMegatron2);
  point.layout.cp = 2;
  CHECK(framework() == Framework::kMegatronCore);
}
