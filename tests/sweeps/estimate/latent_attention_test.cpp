// SPDX-License-Identifier: Apache-2.0
// Multi-head latent attention: heads that are made of narrow latents.
#include <string>

#include "sweeps/estimate/activations.h"
#include "sweeps/estimate/launch_words.h"
#include "sweeps/estimate/layer_tree.h"
#include "sweeps/estimate/megatron_setup.h"
#include "sweeps/estimate/megatron_work.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/estimate/point_setup.h"
#include "sweeps/estimate/stage_parameters.h"
#include "sweeps/estimate/step_time.h"
#include "sweeps/estimate/traffic.h"
#include "sweeps/judge_points.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Matchers::Contains;

namespace {

constexpr Machine kH100{989, 989, 3350, 450, 400, 132};

const std::string kUsual =
    "--swiglu --normalization RMSNorm --disable-bias-linear --position-embedding-type rope "
    "--untie-embeddings-and-output-weights --multi-latent-attention --kv-lora-rank 512 "
    "--qk-head-dim 128 --qk-pos-emb-head-dim 64 --v-head-dim 128 --qk-layernorm --seq-length 4096 "
    "--micro-batch-size 1 --bf16 --use-distributed-optimizer --attention-dropout 0 "
    "--hidden-dropout 0 --moe-token-dispatcher-type alltoall --moe-grouped-gemm ";

const std::string kDeepSeekV3 =
    kUsual +
    "--num-layers 61 --hidden-size 7168 --num-attention-heads 128 --q-lora-rank 1536 "
    "--ffn-hidden-size 18432 --vocab-size 129280 --num-experts 256 --moe-router-topk 8 "
    "--moe-ffn-hidden-size 2048 --moe-shared-expert-intermediate-size 2048 "
    "--moe-layer-freq ([0]*3+[1]*58) ";

const std::string kDeepSeekV2Lite =
    kUsual +
    "--num-layers 27 --hidden-size 2048 --num-attention-heads 16 --ffn-hidden-size 10944 "
    "--vocab-size 102400 --num-experts 64 --moe-router-topk 6 --moe-ffn-hidden-size 1408 "
    "--moe-shared-expert-intermediate-size 2816 --moe-layer-freq ([0]*1+[1]*26) ";

/// No experts.
const std::string kDense =
    kUsual +
    "--num-layers 8 --hidden-size 2048 --num-attention-heads 16 --q-lora-rank 768 "
    "--ffn-hidden-size 5632 --vocab-size 32000 ";

Setup setup_of(const std::string& words, std::int64_t gpus = 8,
               Generation generation = Generation::kHopper) {
  const MegatronSetup read =
      megatron_setup(arguments_of_words({words}), gpus, std::nullopt, generation);
  CHECK(read.unknown.empty());
  CHECK(read.untimed.empty());
  return read.setup;
}

const std::string kTp2 = "--tensor-model-parallel-size 2 ";
const std::string kSp = kTp2 + "--sequence-parallel ";

/// Of TP's calls, in elements a token, forward and backward.
double widths(const Setup& setup, std::string_view function) {
  double all = 0;
  for (const Talk& one : talk_of_stage(setup, 0))
    if (one.topic == Topic::kTensor && one.function == function && one.calls > 1)
      all += one.calls * one.bytes / 2 / number(setup.shape.seq);
  return all;
}

}  // namespace

TEST_CASE("models of latent attention have the parameters that they are published with") {
  CHECK(model_parameters(setup_of(kDeepSeekV3).shape) == 671'026'404'352);
  CHECK(model_parameters(setup_of(kDeepSeekV2Lite).shape) == 15'706'484'224);
  // 37 billion of them a token, its embedding's other rows left out.
  const Shape v3 = setup_of(kDeepSeekV3).shape;
  CHECK(number(active_parameters(v3)) - 129280.0 * 7168 == Approx(36.6e9).epsilon(0.005));
}

TEST_CASE("TP splits the ways up and the output, and each rank has the whole ways down") {
  const Parameters whole = layer_parameters(setup_of(kDense), false);
  const Parameters half = layer_parameters(setup_of(kDense + kTp2), false);
  const std::int64_t down = 2048 * (768 + 512 + 64), norms = 2 * 2048 + 768 + 512;
  CHECK(whole.replicated == down + norms);
  CHECK(half.replicated == whole.replicated);
  CHECK(half.split * 2 == whole.split);
  const std::int64_t up = 16 * (192 * 768 + 256 * 512 + 128 * 2048);
  CHECK(whole.split == up + 3 * 2048 * 5632);
  const std::string biased =
      std::string(kDense).replace(kDense.find("--disable-bias-linear"), 21, "");
  const Parameters biases = layer_parameters(setup_of(biased), false);
  CHECK(biases.replicated == whole.replicated + 2 * 2048);  // of the two outputs
  CHECK(biases.split == whole.split + 2 * 5632);            // none of attention's
}

TEST_CASE("a layer keeps its latents, and the heads that are made of them") {
  const double tokens = 4096;
  const LayerActivations kept = layer_activations(setup_of(kDense), false);
  CHECK(kept.norm1 == 2 * 2 * tokens * 2048);
  CHECK(kept.latents == 2 * 2 * tokens * (768 + 512));
  CHECK(kept.qkv == 2 * tokens * 16 * (192 + 192 + 128));
  CHECK(kept.context == 2 * tokens * 16 * 128);
  CHECK(kept.copy == 0);
  CHECK(kept.log_sums == 4 * tokens * 16);
  const LayerActivations split = layer_activations(setup_of(kDense + kSp), false);
  CHECK(split.latents == kept.latents / 2);
  CHECK(split.qkv == kept.qkv / 2);
  CHECK(layer_activations(setup_of(kDense + kTp2), false).latents == kept.latents);
  const std::string plain = std::string(kDense).replace(kDense.find("--qk-layernorm"), 14, "");
  CHECK(layer_activations(setup_of(plain), false).latents == kept.latents / 2);
}

TEST_CASE("flash attention of before Hopper has values as wide as keys") {
  const Setup ampere = setup_of(kDense, 8, Generation::kAmpere);
  CHECK(ampere.attention == Attention::kFlash);
  const LayerActivations padded = layer_activations(ampere, false);
  CHECK(padded.qkv == 3 * 2 * 4096.0 * 16 * 192);
  CHECK(padded.copy == 2 * 4096.0 * 16 * 192);
  CHECK(setup_of(kDense).attention == Attention::kFused);
  CHECK(setup_of(kDense, 8, Generation::kBlackwell).attention == Attention::kFused);
}

TEST_CASE("the parts of a stage sum up, of latent attention with norms and without") {
  for (const char* more : {"", "--qk-layernorm",
                           "--q-lora-rank 96 --tensor-model-parallel-size 4 "
                           "--sequence-parallel --qk-layernorm"}) {
    const std::string base =
        std::string(kDeepSeekV2Lite).replace(kDeepSeekV2Lite.find("--qk-layernorm"), 14, "");
    const Setup setup = setup_of(base + more);
    CAPTURE(more);
    std::int64_t parameters = 0;
    double kept = 0;
    for (const ModelPart& part : parts_of_stage(setup, 0)) {
      parameters += part.times * part.parameters;
      if (part.name.starts_with("layer.")) kept += number(part.times) * part.activations;
    }
    CHECK(parameters == stage_parameters(setup, 0).all());
    CHECK(kept == Approx(layer_activations(setup, false).all() +
                         26 * layer_activations(setup, true).all()));
  }
}

TEST_CASE("latents are gathered to be made heads of, and again for their gradient") {
  const std::string batch = "--global-batch-size 4 ";
  const double h = 2048, q = 768, kv = 512, p = 64, layers = 8;
  const double mlp = layers * h, ends = h;
  const Setup split = setup_of(kDense + kSp + batch);
  CHECK(widths(split, "all_gather") ==
        Approx(layers * (h + 2 * q + 2 * kv + p) + 3 * mlp + 3 * ends));
  CHECK(widths(split, "reduce_scatter") == Approx(layers * (h + q + kv + p) + 2 * mlp + 2 * ends));
  CHECK(widths(setup_of(kDense + kTp2 + batch), "all_reduce") ==
        Approx(layers * (h + q + kv) + 2 * mlp + 2 * ends));
  const Setup again =
      setup_of(kDense + kSp + batch +
               "--recompute-granularity full --recompute-method uniform --recompute-num-layers 1");
  CHECK(widths(again, "all_gather") ==
        Approx(layers * (h + 3 * q + 3 * kv + 2 * p) + 4 * mlp + 3 * ends));
}

TEST_CASE("an estimate and a log count the same work of latent attention") {
  for (const std::string& words : {kDense, kDeepSeekV2Lite, kDeepSeekV3}) {
    const Shape shape = setup_of(words).shape;
    Model model;
    model.style = shape.experts > 0 ? "moe" : "llama";
    model.layers = shape.layers;
    model.hidden = shape.hidden;
    model.heads = model.kv_heads = shape.heads;
    model.ffn = shape.ffn;
    model.seq = shape.seq;
    model.padded_vocab = shape.vocab;
    model.tied = false;
    NamedValues dumped = arguments_of_words({words});
    for (auto& [name, value] : dumped) {  // as a dump has them
      if (name != "moe_layer_freq") continue;
      std::string list = shape.first_mixture == 1 ? "[0" : "[0, 0, 0";
      for (auto i = shape.first_mixture; i < shape.layers; ++i) list += ", 1";
      value = value_of(list + "]");
    }
    fill_in_work(dumped, model);
    CHECK(model.params == model_parameters(shape));
    CHECK(model.token_weights == model_of(shape).token_weights);
    CHECK(model.attention_widths == model_of(shape).attention_widths);
  }
  // By hand, of 27 layers: attention 8,978,432 (and norms of 512), the dense MLP, 26 of experts.
  const std::int64_t attention = 2048 * 3072 + 576 * 2048 + 4096 * 512 + 2048 * 2048;
  CHECK(model_of(setup_of(kDeepSeekV2Lite).shape).token_weights ==
        27 * (attention + 512) + 3 * 2048 * (10944 + 26 * (6 * 1408 + 2816)) + 2048 * 102400);
}

TEST_CASE("attention takes the time of its widths, and latents spare TP's messages") {
  const std::string batch = "--global-batch-size 8 ";
  const auto time = [&](const std::string& more) {
    return step_time(setup_of(kDense + batch + more), kH100, {});
  };
  Setup wide = setup_of(kDense + batch);
  const double usual = step_time(wide, kH100, {}).attention;
  wide.shape.value_width = 192;
  CHECK(step_time(wide, kH100, {}).attention == Approx(usual * 384 / 320));
  Setup plain = setup_of(kDense + batch + kSp);
  plain.shape.hidden = 7168;
  const double latent = step_time(plain, kH100, {}).tensor;
  plain.shape.key_latent = 0;  // queries, keys and values in one
  CHECK(latent < step_time(plain, kH100, {}).tensor);
  CHECK(latent > 0.5 * step_time(plain, kH100, {}).tensor);
  CHECK(time("--recompute-granularity full --recompute-method uniform --recompute-num-layers 1")
            .products > 1.2 * time("").products);
}

TEST_CASE("a ring hands on keys and values of their own widths") {
  const Setup setup = setup_of(kDense + "--context-parallel-size 2 --global-batch-size 4");
  int talks = 0;
  for (const Talk& one : talk_of_stage(setup, 0)) {
    if (one.topic != Topic::kContext) continue;
    ++talks;
    CHECK(one.bytes == 2 * 2048.0 * 16 * (192 + 128));
  }
  CHECK(talks == 1);
}

TEST_CASE("what latent attention cannot be is refused") {
  const auto read = [](const std::string& words) {
    return megatron_setup(arguments_of_words({words}), 8, std::nullopt, Generation::kHopper);
  };
  CHECK_THROWS_WITH(read(kDense + "--group-query-attention --num-query-groups 4"),
                    "estimate: latent attention has no query groups");
  CHECK_THROWS_WITH(read(kDense + "--transformer-impl local"),
                    "estimate: latent attention needs Transformer Engine");
  const std::string biased =
      std::string(kDeepSeekV2Lite).replace(kDeepSeekV2Lite.find("--disable-bias-linear"), 21, "");
  CHECK_THROWS_WITH(read(biased), "estimate: shared experts have no biases");
  CHECK_THROWS_WITH(read(kDeepSeekV2Lite + "--moe-shared-expert-overlap "
                                           "--moe-token-dispatcher-type allgather"),
                    Contains("shared experts overlap with the dispatchers alltoall and flex"));
  CHECK_THROWS_WITH(read(kDeepSeekV2Lite + "--deepspeed --zero-stage 1"),
                    Contains("DeepSpeed's mixtures of experts are not known"));
  const std::string before = std::string(kDense).replace(kDense.find("--bf16"), 6, "--fp16");
  CHECK(read(before).setup.framework == Framework::kMegatronCore);
  CHECK(read(kDense + "--use-flash-attn").setup.framework == Framework::kMegatronCore);
  CHECK(read(kDense + "--mla-down-proj-fusion").unknown.size() == 1);
  const Shape usual =
      read(
          "--num-layers 2 --hidden-size 256 --num-attention-heads 4 --seq-length 64 "
          "--micro-batch-size 1 --bf16 --multi-latent-attention")
          .setup.shape;
  CHECK(usual.key_latent == 32);
  CHECK(usual.query_latent == 0);
  CHECK(usual.head_width == 192);
  CHECK(usual.value_width == 128);
}

TEST_CASE("widths whose product no integer holds are refused") {
  const std::string one =
      "--num-layers 1 --hidden-size 1000000 --num-attention-heads 100000000 --kv-channels 1 "
      "--multi-latent-attention --kv-lora-rank 1 --qk-head-dim 1 --qk-pos-emb-head-dim 1 "
      "--disable-bias-linear --ffn-hidden-size 1 --seq-length 128 --micro-batch-size 1 --bf16 ";
  for (const char* width : {"--v-head-dim 40000000", "--q-lora-rank 100000000"}) {
    CAPTURE(width);
    CHECK_THROWS_WITH(
        megatron_setup(arguments_of_words({one + width}), 8, std::nullopt, Generation::kHopper),
        "estimate: a model of so many parameters cannot be counted");
  }
}

TEST_CASE("a row of a table has the same latents, experts and layers as a launch") {
  const PointRow row({{"id", "a"},
                      {"layers", "27"},
                      {"hidden", "2048"},
                      {"heads", "16"},
                      {"ffn", "10944"},
                      {"seq", "4096"},
                      {"vocab", "102400"},
                      {"precision", "bf16"},
                      {"gpu", "H100-SXM5"},
                      {"gpus_per_node", "8"},
                      {"n_gpus", "8"},
                      {"tp", "2"},
                      {"pp", "1"},
                      {"mbs", "1"},
                      {"gbs", "8"},
                      {"zero", "1"},
                      {"recompute", "none"},
                      {"seq_par", "1"},
                      {"act_fn", "swiglu"},
                      {"attn", "fused"},
                      {"framework", "Megatron-Core"},
                      {"notes", R"json({"disable-bias-linear": true, "normalization": "RMSNorm",
                        "position-embedding-type": "rope", "qk-layernorm": true,
                        "untie-embeddings-and-output-weights": true,
                        "multi-latent-attention": true, "kv-lora-rank": 512,
                        "num-experts": 64, "moe-router-topk": 6, "moe-ffn-hidden-size": 1408,
                        "moe-token-dispatcher-type": "alltoall", "moe-grouped-gemm": true,
                        "moe-shared-expert-intermediate-size": 2816,
                        "moe-shared-expert-overlap": true, "expert-tensor-parallel-size": 1,
                        "attention-dropout": 0, "hidden-dropout": 0,
                        "moe-layer-freq": "([0]*1+[1]*26)"})json"}});
  const auto judged = [](const PointRow& one) { return PointJudge().judge(one); };
  const Setup typed = setup_of(kDeepSeekV2Lite + kSp +
                               "--expert-tensor-parallel-size 1 --global-batch-size 8 "
                               "--moe-shared-expert-overlap");
  const double peak = stage_memory(typed, 0).peak / (1024.0 * 1024 * 1024);
  REQUIRE(judged(row).peak_gib);
  CHECK(*judged(row).peak_gib == Approx(peak).epsilon(1e-9));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string notes = row.text("notes");
    notes.replace(notes.find(from), from.size(), to);
    return judged(row.with("notes", notes)).why;
  };
  CHECK_THAT(with("\"alltoall\"", "\"allgather\""), Contains("shared experts overlap with"));
  CHECK_THAT(with("[1]*26", "[1]*27"), Contains("no list of 27 layers"));
  CHECK_THAT(with("\"kv-lora-rank\": 512,", ""), Contains("widths of multi-latent attention"));
  CHECK_THAT(
      with("\"kv-lora-rank\": 512", "\"kv-lora-rank\": 512, \"group-query-attention\": true"),
      Contains("latent attention has no query groups"));
}

TEST_CASE("shared experts that overlap keep what was gathered, and gather it once") {
  const std::string layout = kSp + "--expert-tensor-parallel-size 1 --global-batch-size 4 ";
  const Setup plain = setup_of(kDeepSeekV2Lite + layout);
  const Setup overlaps = setup_of(kDeepSeekV2Lite + layout + "--moe-shared-expert-overlap");
  CHECK(layer_activations(overlaps, true).shared ==
        layer_activations(plain, true).shared + 2 * 4096.0 * 2048);
  CHECK(widths(plain, "all_gather") - widths(overlaps, "all_gather") == Approx(26.0 * 2048));
  CHECK(step_time(overlaps, kH100, {}).tensor < step_time(plain, kH100, {}).tensor);
}
