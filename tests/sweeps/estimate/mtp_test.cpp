// SPDX-License-Identifier: Apache-2.0
// Layers that predict further tokens (MTP), and what Megatron's own tests measured of them, of
// latent attention and of experts that all tokens meet.
#include <string>

#include "core/base/error.h"
#include "sweeps/estimate/activations.h"
#include "sweeps/estimate/flops.h"
#include "sweeps/estimate/layer_tree.h"
#include "sweeps/estimate/megatron_setup.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/estimate/point_setup.h"
#include "sweeps/estimate/stage_parameters.h"
#include "sweeps/estimate/step_time.h"
#include "sweeps/estimate/traffic.h"
#include "tests/support/catch.h"
#include "tests/sweeps/estimate/launches.h"

using namespace pippin;
using Catch::Contains;

namespace {

const std::string kLlama =
    "--num-layers 16 --hidden-size 2048 --num-attention-heads 16 --ffn-hidden-size 5632 "
    "--seq-length 4096 --vocab-size 32000 --swiglu --normalization RMSNorm --disable-bias-linear "
    "--untie-embeddings-and-output-weights --position-embedding-type rope --micro-batch-size 1 "
    "--global-batch-size 64 --bf16 --use-distributed-optimizer --attention-dropout 0 "
    "--hidden-dropout 0 ";

MegatronSetup read(const std::string& words) { return test::read_launch(words, 16); }

Setup setup_of(const std::string& words, std::int64_t gpus = 16,
               Generation generation = Generation::kHopper) {
  return test::setup_of_launch(words, gpus, generation);
}

std::int64_t parameters_of(const Setup& setup, std::int64_t stage) {
  return stage_parameters(setup, stage).all();
}

}  // namespace

TEST_CASE("a layer of MTP is the last one, with a projection and three norms") {
  const std::int64_t h = 2048, layer = 4 * h * h + 3 * h * 5632 + 2 * h;
  const std::int64_t before = model_parameters(setup_of(kLlama).shape);
  const auto more = [&](const std::string& words) {
    return model_parameters(setup_of(kLlama + words).shape) - before;
  };
  CHECK(more("--mtp-num-layers 0") == 0);
  CHECK(more("--mtp-num-layers 1") == layer + 2 * h * h + 3 * h);
  CHECK(more("--mtp-num-layers 3") == 3 * (layer + 2 * h * h + 3 * h));
  CHECK(more("--mtp-num-layers 3 --mtp-use-repeated-layer") == more("--mtp-num-layers 1"));
}

TEST_CASE("DeepSeek-V3's MTP has the 11.5 billion parameters that it is published with") {
  const std::string words =
      "--num-layers 61 --hidden-size 7168 --num-attention-heads 128 --ffn-hidden-size 18432 "
      "--seq-length 4096 --vocab-size 129280 --swiglu --normalization RMSNorm "
      "--disable-bias-linear --untie-embeddings-and-output-weights --position-embedding-type rope "
      "--multi-latent-attention --q-lora-rank 1536 --kv-lora-rank 512 --qk-head-dim 128 "
      "--qk-pos-emb-head-dim 64 --v-head-dim 128 --qk-layernorm --num-experts 256 "
      "--moe-router-topk 8 --moe-ffn-hidden-size 2048 --moe-shared-expert-intermediate-size 2048 "
      "--moe-layer-freq ([0]*3+[1]*58) --micro-batch-size 1 --bf16 ";
  const std::int64_t without = model_parameters(setup_of(words).shape);
  const std::int64_t with = model_parameters(setup_of(words + "--mtp-num-layers 1").shape);
  CHECK(number(with - without) == Approx(11.5e9).epsilon(0.01));
}

TEST_CASE("MTP stands on the last stage, with an embedding of its own where that is another") {
  const std::int64_t words = std::int64_t{32000} * 2048;
  for (const char* tied : {"", "tied"}) {
    std::string base = kLlama;
    const std::string untie = "--untie-embeddings-and-output-weights";
    if (*tied != '\0') base.replace(base.find(untie), untie.size(), "");
    base += "--pipeline-model-parallel-size 4 ";
    const Setup with = setup_of(base + "--mtp-num-layers 1"), without = setup_of(base);
    const std::int64_t alone = model_parameters(with.shape) - model_parameters(without.shape);
    for (std::int64_t stage = 0; stage < 3; ++stage)
      CHECK(parameters_of(with, stage) == parameters_of(without, stage));
    CHECK(parameters_of(with, 3) == parameters_of(without, 3) + alone + words);
    CHECK(test::calls_of(with, 0, Topic::kEmbedding, "all_reduce") == 1);
    CHECK(test::calls_of(with, 3, Topic::kEmbedding, "all_reduce") == 1);
    CHECK(test::calls_of(without, 3, Topic::kEmbedding, "all_reduce") == (*tied != '\0' ? 1 : 0));
  }
}

TEST_CASE("the parts of a stage sum up with MTP") {
  for (const char* more : {"--mtp-num-layers 2", "--mtp-num-layers 2 --mtp-use-repeated-layer",
                           "--mtp-num-layers 1 --tensor-model-parallel-size 2 --sequence-parallel "
                           "--pipeline-model-parallel-size 2"}) {
    const Setup setup = setup_of(kLlama + more);
    CAPTURE(more);
    std::int64_t parameters = 0;
    double kept = 0;
    for (const ModelPart& part : parts_of_stage(setup, setup.pp - 1)) {
      parameters += part.times * part.parameters;
      if (part.name.starts_with("mtp.")) kept += number(part.times) * part.activations;
    }
    CHECK(parameters == parameters_of(setup, setup.pp - 1));
    const double each = mtp_stream_bytes(setup) + layer_activations(setup, false).all();
    CHECK(kept == Approx(number(setup.shape.mtp_layers) * each));
  }
}

TEST_CASE("MTP keeps the stream, a layer's activations and its logits") {
  const double tokens = 4096, h = 2048, vocab = 32000;
  const std::string split = "--tensor-model-parallel-size 2 --sequence-parallel ";
  const Setup one = setup_of(kLlama + "--mtp-num-layers 1");
  CHECK(mtp_stream_bytes(one) == 6 * 2 * tokens * h);
  // Of the gathered projection a rank's part is a view.
  CHECK(mtp_stream_bytes(setup_of(kLlama + split + "--mtp-num-layers 1")) == 7 * tokens * h);
  const StageMemory with = stage_memory(one, 0), without = stage_memory(setup_of(kLlama), 0);
  CHECK(with.activations - without.activations ==
        mtp_stream_bytes(one) + layer_activations(one, false).all());
  CHECK(with.working - without.working == 4 * tokens * vocab);
  const std::string full =
      "--recompute-granularity full --recompute-method uniform --recompute-num-layers 1 ";
  const StageMemory again = stage_memory(setup_of(kLlama + full + "--mtp-num-layers 1"), 0);
  CHECK(again.activations - stage_memory(setup_of(kLlama + full), 0).activations ==
        3 * 2 * tokens * h);
}

TEST_CASE(
    "Transformer Engine keeps one gradient of each weight's shape where products add them up") {
  const double h = 2048, ffn = 5632, vocab = 32000;
  const auto buffers = [](const std::string& words) {
    return stage_memory(setup_of(kLlama + words), 0).buffers;
  };
  const std::string apart = "--no-gradient-accumulation-fusion ";
  CHECK(buffers("") - buffers(apart) ==
        2 * (3 * h * h + h * h + 2 * ffn * h + h * ffn + vocab * h));
  CHECK(buffers("--transformer-impl local ") == buffers(apart + "--transformer-impl local "));
}

TEST_CASE("MTP talks and takes time on the last stage") {
  const std::string stages = "--pipeline-model-parallel-size 2 --tensor-model-parallel-size 2 ";
  const double gas = 16;
  const auto more = [&](const std::string& words, std::int64_t stage, Topic topic,
                        std::string_view function) {
    return test::calls_of(setup_of(kLlama + stages + words + "--mtp-num-layers 1"), stage, topic,
                          function) -
           test::calls_of(setup_of(kLlama + stages + words), stage, topic, function);
  };
  // Two sums each way, of the embedding, the head's gradient, and the projection's.
  CHECK(more("", 1, Topic::kTensor, "all_reduce") == gas * (2 * 2 + 1 + 1 + 1));
  CHECK(more("", 1, Topic::kTensor, "all_gather") == gas);
  CHECK(more("", 0, Topic::kTensor, "all_reduce") == 0);
  CHECK(more("", 1, Topic::kLoss, "all_reduce") == 3 * gas);
  // A layer's six and four; the embedding's, the head's two; the projection's inputs and outputs.
  CHECK(more("--sequence-parallel ", 1, Topic::kTensor, "all_gather") == gas * (6 + 1 + 2 + 2 + 2));
  CHECK(more("--sequence-parallel ", 1, Topic::kTensor, "reduce_scatter") == gas * (4 + 1 + 1 + 1));
  const double seconds = step_time(setup_of(kLlama), test::kH100, {}).all();
  const double further = step_time(setup_of(kLlama + "--mtp-num-layers 1"), test::kH100, {}).all();
  CHECK(further > seconds * 17 / 16);  // and a head more
  CHECK(further < seconds * 20 / 16);
}

TEST_CASE("Megatron counts the work of MTP's layers, projections, norms and logits") {
  const double h = 2048, s = 4096, ffn = 5632, vocab = 32000, gbs = 64;
  const double layer = 4 * h * h + 3 * h * ffn, ends = 2 * h * h + 3 * h + h * vocab;
  const Model model = model_of(setup_of(kLlama + "--mtp-num-layers 1").shape);
  const auto flops = iteration_flops(FlopsFormula::kMegatron, model, 64, false);
  REQUIRE(flops);
  CHECK(*flops == Approx(6 * gbs * s * (17 * (layer + s * h) + h * vocab + ends)));
}

TEST_CASE("where Megatron has no MTP none is estimated") {
  std::string learned = kLlama;
  learned.replace(learned.find("--position-embedding-type rope"), 30, "");
  CHECK_THROWS_WITH(
      read(learned + "--mtp-num-layers 1"),
      Contains("with --mtp-num-layers Megatron takes --position-embedding-type rope"));
  std::string words = kLlama;
  words.replace(words.find("32000"), 5, "100000000");
  CHECK_THROWS_WITH(read(words + "--mtp-num-layers 100000000"), Contains("cannot be counted"));
  CHECK_THROWS_WITH(
      read(kLlama + "--mtp-num-layers 1 --recompute-granularity full "
                    "--recompute-method uniform --recompute-num-layers 2"),
      Contains("with --mtp-num-layers Megatron takes --recompute-num-layers 1 alone"));
  CHECK_THROWS_WITH(read(kLlama + "--mtp-num-layers 1 --deepspeed --zero-stage 1"),
                    Contains("only Megatron-Core has --mtp-num-layers"));
  CHECK(read(kLlama + "--mtp-num-layers 1 --mtp-detach-heads").unknown.size() == 1);
}

namespace {

/// PyTorch's bytes on the last rank: between two steps, and the most.
struct Measured {
  const char* words;
  std::int64_t gpus;
  Generation generation;
  double allocated, peak;
  double allocated_share, peak_share;  ///< by which the estimate may differ
};

}  // namespace

/// Source: Megatron-LM d98e8a64, tests/functional_tests/test_cases: moe/
/// gpt3_moe_mcore_te_tp4_ep2_etp2_pp2_resume_torch_dist_dist_optimizer and …_1node, gpt/
/// gpt3_mcore_te_tp2_pp2_mla, moe/gpt3_mcore_te_tp2_pp2_ep4_etp1_memory_speed and
/// …_selective_recompute_experimental.
TEST_CASE("memory is what Megatron's own tests measured on the last rank") {
  const std::string shared =
      "--num-layers 12 --hidden-size 512 --num-attention-heads 8 --micro-batch-size 4 "
      "--global-batch-size 32 --seq-length 1024 --vocab-size 50257 --disable-bias-linear "
      "--tensor-model-parallel-size 4 --expert-model-parallel-size 2 "
      "--expert-tensor-parallel-size 2 --num-experts 8 --moe-token-dispatcher-type alltoall "
      "--moe-router-topk 2 --moe-ffn-hidden-size 1024 --moe-shared-expert-intermediate-size 512 "
      "--moe-grouped-gemm --sequence-parallel --use-distributed-optimizer --bf16 "
      "--transformer-impl transformer_engine --deterministic-mode "
      "--no-gradient-accumulation-fusion ";
  const std::string latent =
      "--num-layers 4 --hidden-size 512 --num-attention-heads 8 --multi-latent-attention "
      "--q-lora-rank 192 --kv-lora-rank 64 --qk-head-dim 16 --qk-pos-emb-head-dim 8 "
      "--v-head-dim 16 --micro-batch-size 4 --global-batch-size 32 --seq-length 1024 "
      "--vocab-size 50257 --tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 "
      "--sequence-parallel --untie-embeddings-and-output-weights --bf16 --deterministic-mode "
      "--no-gradient-accumulation-fusion "
      "--transformer-impl transformer_engine --attention-backend unfused ";
  const std::string deep =
      "--num-layers 16 --hidden-size 1024 --ffn-hidden-size 4096 --num-attention-heads 32 "
      "--kv-channels 128 --seq-length 4096 --vocab-size 50257 --make-vocab-size-divisible-by 3232 "
      "--position-embedding-type rope --normalization RMSNorm --swiglu --disable-bias-linear "
      "--untie-embeddings-and-output-weights --multi-latent-attention --q-lora-rank 1536 "
      "--kv-lora-rank 512 --qk-head-dim 128 --qk-pos-emb-head-dim 64 --v-head-dim 128 "
      "--qk-layernorm --mtp-num-layers 1 --attention-dropout 0 --hidden-dropout 0 --bf16 "
      "--num-experts 32 --moe-ffn-hidden-size 1024 "
      "--moe-shared-expert-intermediate-size 1024 --moe-router-topk 4 --moe-grouped-gemm "
      "--moe-token-dispatcher-type alltoall --tensor-model-parallel-size 2 --sequence-parallel "
      "--pipeline-model-parallel-size 2 "
      "--expert-model-parallel-size 4 --expert-tensor-parallel-size 1 --micro-batch-size 4 "
      "--global-batch-size 32 --use-distributed-optimizer --cross-entropy-loss-fusion "
      "--transformer-impl transformer_engine --attention-backend unfused ";
  const std::string mtp =
      deep + "--moe-layer-freq ([0]*1+[1]*15) --num-virtual-stages-per-pipeline-rank 4";
  const std::string again =
      deep +
      "--moe-layer-freq ([0]*3+[1]*13) --pipeline-model-parallel-layout "
      "Et*3|(tt|)*6tmL --recompute-granularity selective "
      "--overlap-moe-expert-parallel-comm --recompute-modules layernorm mla_up_proj mlp moe_act";
  const std::string two = shared + "--pipeline-model-parallel-size 2";
  for (const Measured& one : {
           Measured{two.c_str(), 8, Generation::kHopper, 628'064'768, 1'149'626'368, 0.001, 0.025},
           Measured{two.c_str(), 8, Generation::kBlackwell, 628'064'768, 1'155'870'208, 0.001,
                    0.025},
           Measured{shared.c_str(), 4, Generation::kBlackwell, 906'273'280, 1'620'705'792, 0.001,
                    0.02},
           Measured{latent.c_str(), 8, Generation::kHopper, 388'269'568, 1'248'256'512, 0.002,
                    0.005},
           Measured{latent.c_str(), 8, Generation::kAmpere, 355'426'816, 1'216'200'192, 0.012,
                    0.005},
           Measured{mtp.c_str(), 8, Generation::kHopper, 6'632'031'744, 60'111'630'336, 0.008,
                    0.06},
           Measured{again.c_str(), 8, Generation::kHopper, 6'025'470'464, 49'211'260'928, 0.008,
                    0.02},
       }) {
    CAPTURE(one.words);
    const Setup setup = setup_of(one.words, one.gpus, one.generation);
    const StageMemory memory = stage_memory(setup, setup.pp - 1);
    CHECK(memory.allocated() == Approx(one.allocated).epsilon(one.allocated_share));
    CHECK(memory.peak == Approx(one.peak).epsilon(one.peak_share));
  }
}
