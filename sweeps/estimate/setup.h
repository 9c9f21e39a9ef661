// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace pippin {

/// Counts are exact, what is made of them is real.
inline double number(std::int64_t count) { return static_cast<double>(count); }

/// The type of weights and activations.
enum class NumberType { kFp32, kFp16, kBf16 };
/// Of one number.
inline double bytes_of(NumberType type) { return type == NumberType::kFp32 ? 4 : 2; }

/// What products within layers are made in by Transformer Engine: in the type of the rest, or in 8
/// bits with a scale for each tensor, of earlier steps (delayed) or its own, for each block of 128,
/// or for 32 numbers each (MXFP8).
enum class Fp8 { kNone, kDelayed, kTensors, kBlocks, kMx };

/// What of a layer's activations is made again in the backward pass: nothing, the attention scores,
/// or all but what begins the layer.
enum class Recompute { kNone, kSelective, kFull };
/// "none", "selective", "full".
std::string_view text_of(Recompute recompute);

/// What of each layer selective recomputation makes again, by Megatron's names. Of norms, which
/// Transformer Engine has in the product behind them where it can, those that stand alone.
struct Remade {
  bool attention = true;    ///< core_attn: queries, keys and values are kept
  bool norms = false;       ///< layernorm: their inputs are kept
  bool heads = false;       ///< mla_up_proj: latents are kept
  bool activation = false;  ///< moe_act: of experts
  bool mlp = false;         ///< of layers without experts
  bool experts = false;     ///< moe: all that stands in the MLP's place
  bool shared = false;      ///< shared_experts
  friend bool operator==(const Remade&, const Remade&) = default;
};

/// How attention is computed: with its scores in memory; by cuDNN; by the flash-attn library, which
/// lays queries, keys and values out in another way than Megatron.
enum class Attention { kScores, kFused, kFlash };

enum class Activation { kGelu, kSquaredRelu, kSwiglu, kGeglu };

/// Whose code trains, as far as it decides what is in memory and how gradients are summed.
enum class Framework {
  kProbe,              ///< our own `training`
  kMegatron2,          ///< Megatron-LM 2.x of 2020 to 2022
  kMegatron2023,       ///< its last model code before Megatron-Core
  kMegatronCore,       ///< Megatron-Core, ZeRO-3 is its own FSDP
  kDeepSpeedPipeline,  ///< DeepSpeed's pipeline without its ZeRO, or with stage 1 ("3D")
  kMegatronDeepSpeed,  ///< Megatron-DeepSpeed as BigScience and Argonne ran it: pipeline and ZeRO-1
  kDeepSpeedZero,      ///< DeepSpeed's ZeRO without a pipeline
  kFsdp,               ///< PyTorch's
};

/// As far as a library chooses by it.
enum class Generation { kVolta, kAmpere, kHopper, kBlackwell, kOther };

/// The shape of a transformer, all of it known.
struct Shape {
  std::int64_t layers = 0, hidden = 0, heads = 0, kv_heads = 0;
  std::int64_t head_width = 0;  ///< of queries and keys, and of values where they are no others
  /// Latent attention (MLA): the widths of what keys and values are made of, 0: there is none; of
  /// what queries are made of, 0: the stream itself; of the part of a key that all heads share; and
  /// of values.
  std::int64_t key_latent = 0, query_latent = 0, shared_key = 0, value_width = 0;
  std::int64_t ffn = 0;  ///< width of the MLP
  std::int64_t seq = 0;
  std::int64_t vocab = 0;  ///< rows of the embedding: padded
  Activation activation = Activation::kGelu;
  bool biases = true;       ///< of the linear layers
  bool qkv_biases = false;  ///< of queries, keys and values, where the others have none
  bool norm_biases = true;  ///< LayerNorm; RMSNorm has none
  bool qk_norms = false;    ///< of queries and keys in each head
  bool learned_positions = true;
  std::int64_t positions = 0;   ///< rows of learned ones
  bool tied = true;             ///< the output layer is the embedding
  bool embedding_norm = false;  ///< a LayerNorm behind the embedding
  std::int64_t experts = 0, experts_per_token = 0, expert_ffn = 0;  ///< 0: a dense MLP
  /// Of the layers that have experts: the first, and how many it is from each to the next.
  std::int64_t first_mixture = 0, mixture_step = 1;
  std::int64_t shared_ffn = 0;  ///< width of what each token meets beside its experts; 0: none
  bool shared_gate = false;     ///< weighs what comes of that

  /// Further layers, as the last one is, each of which predicts one token more (MTP).
  std::int64_t mtp_layers = 0;
  bool mtp_shares = false;  ///< they have one layer's weights

  bool gated() const {
    return activation == Activation::kSwiglu || activation == Activation::kGeglu;
  }
  bool is_latent() const { return key_latent > 0; }
  /// Of a head.
  std::int64_t values() const { return is_latent() ? value_width : head_width; }
  /// Of keys and values, of all their heads.
  std::int64_t key_widths() const { return kv_heads * (head_width + values()); }
  /// How many of so many layers, from the first one on, have experts.
  std::int64_t mixtures_of(std::int64_t first_layers) const {
    if (experts == 0 || first_layers <= first_mixture) return 0;
    return (first_layers - first_mixture - 1) / mixture_step + 1;
  }
  /// Whether the last layer has experts, and those of MTP with it.
  bool ends_in_mixture() const { return mixtures_of(layers) > mixtures_of(layers - 1); }
  /// Those of MTP that have weights of their own.
  std::int64_t mtp_weights() const {
    return mtp_shares ? std::min<std::int64_t>(mtp_layers, 1) : mtp_layers;
  }
  /// Whether some layers have experts and some have none.
  bool mixes_layers() const { return experts > 0 && mixtures_of(layers) < layers; }
};

/// What an estimate is made of: one layout of one model in one framework on one kind of GPU.
struct Setup {
  Shape shape;
  std::int64_t tp = 1, pp = 1, dp = 1, cp = 1, ep = 1;
  std::int64_t expert_tp = 1;
  std::int64_t chunks = 1;       ///< of layers on each stage: above 1 the schedule is interleaved
  std::int64_t chunk_group = 0;  ///< micro-batches that one chunk takes in a row; 0: as many as PP
  std::int64_t first_layers = 0, last_layers = 0;  ///< of these stages; 0: as the others
  /// How many layers stand before each chunk of each stage, in the model's order, and in all; null
  /// where they follow a rule.
  std::shared_ptr<const std::vector<std::int64_t>> layers_before = {};
  bool embeddings_count = false;  ///< each as a layer: DeepSpeed's "type:transformer|embedding"
  std::int64_t mtp_ahead = 0;     ///< by so many stages MTP's layers stand before the loss
  std::int64_t mbs = 1, gas = 1;
  std::int64_t gpus_per_node = 8;
  bool pipeline_before_data = false;  ///< ranks of a pipeline are nearer than those of DP
  NumberType type = NumberType::kBf16;
  Fp8 fp8 = Fp8::kNone;
  bool fp8_weights = false;  ///< weights of products within layers are kept in 8 bits alone
  Framework framework = Framework::kMegatronCore;
  Generation generation = Generation::kAmpere;

  std::int64_t zero = 0;       ///< DeepSpeed's stage; Megatron's distributed optimizer is 1
  std::int64_t instances = 1;  ///< of the distributed optimizer, each over a part of DP
  double offloaded = 0;  ///< the share of Megatron's optimizer on the processors, its step too
  std::int64_t fsdp_unit = 0;       ///< numbers that Megatron's FSDP sends at a time; 0: usual
  std::int64_t deferral_limit = 0;  ///< micro-batches whose output gradient waits; 0: all
  Recompute recompute = Recompute::kNone;
  Remade remade;                      ///< where it is selective
  std::int64_t recompute_layers = 1;  ///< between two inputs that are kept, in full recomputation
  bool recompute_block = false;       ///< only so many layers of a stage are made again
  bool sequence_parallel = false;
  Attention attention = Attention::kFlash;
  bool hidden_dropout = true, attention_dropout = true;
  bool fused_softmax = true, fused_loss = false;
  bool loss_in_place = false;  ///< the gradient of logits takes their place (Transformer Engine)
  bool transformer_engine = true;
  bool fuses_gradients = false;  ///< the products of weights' gradients add them up themselves
  bool grouped_experts = false;  ///< their products are one call
  bool overlaps_tensor = false;  ///< products of layers with TP's messages
  bool overlaps_shared = false;  ///< experts that all tokens meet, with others' tokens on their way
  bool overlaps_experts = false;    ///< a micro-batch's products with another's tokens on their way
  bool overlaps_gradients = false;  ///< the last backward pass with their sums
  /// The first forward pass with the new weights on their way, where ZeRO is 1 or 2.
  bool overlaps_weights = false;
  bool gathers_tokens = false;   ///< experts get their tokens by an all-gather, else by all-to-all
  bool deterministic = false;    ///< with the cuBLAS workspace that this needs
  bool later_deepspeed = false;  ///< of 2024, which keeps less of the gradients than that of 2022
  bool offloads_optimizer = false, offloads_checkpoints = false;  ///< to the processor's memory
  bool scatters_messages = true;  ///< as Megatron-LM could from 2021 on, before Megatron-Core
  bool wide_gradients = false;    ///< of fp16 summed in fp32 (Megatron)
  bool muon = false;              ///< it keeps one moment of layers' matrices, Adam two of the rest
  bool fsdp = false;              ///< Megatron's own, which `zero` is of then
  bool keeps_gathered = false;    ///< it keeps what is no layer's whole, as since June 2026
  bool defers_output = false;     ///< the output layer's gradient waits for the iteration's end
  bool reduces_narrow = false;    ///< gradients are summed in 16 bits also where others sum in 32
  bool precision_aware = false;   ///< Megatron's optimizer, whose states have types of their own
  bool takes_narrow = false;      ///< it takes such gradients as they are, and makes no wide copies
  bool keeps_remainders = false;  ///< of weights in fp32 what those in bf16 lack
  double wide_weight_bytes = 4;   ///< of what the optimizer keeps of a weight
  double moment_bytes = 8;        ///< of both of its moments
  double logit_bytes = 0;         ///< of FSDP's trainers, of one logit and its gradient; 0: usual

  /// Whether stages that are no end may have other layers than the next.
  bool mixes_stages() const { return shape.mixes_layers() || layers_before; }
  std::int64_t gpus() const { return tp * pp * dp * cp; }
  /// Of how many ranks in a row a stage's neighbour is the next, and a replica's.
  std::int64_t stage_step() const { return tp * cp * (pipeline_before_data ? 1 : dp); }
  std::int64_t replica_step() const { return tp * cp * (pipeline_before_data ? pp : 1); }
  std::int64_t gbs() const { return mbs * gas * dp; }
  /// Ranks over which the dense parameters' optimizer is spread, and the experts'.
  std::int64_t shards() const { return std::max<std::int64_t>(dp * cp / instances, 1); }
  std::int64_t expert_shards() const {
    return std::max<std::int64_t>(expert_replicas() / instances, 1);
  }
  /// Ranks that hold the same experts.
  std::int64_t expert_replicas() const {
    return std::max<std::int64_t>(gpus() / (pp * ep * expert_tp), 1);
  }
  std::int64_t layers_of_stage(std::int64_t stage) const;
  /// Whether DeepSpeed parts the pipeline, which lets stages differ.
  bool has_deepspeed_stages() const {
    return framework == Framework::kDeepSpeedPipeline || framework == Framework::kMegatronDeepSpeed;
  }
  /// Those of them that have experts.
  std::int64_t mixtures_of_stage(std::int64_t stage) const {
    if (!shape.mixes_layers()) return shape.experts > 0 ? layers_of_stage(stage) : 0;
    return mixtures_among(stage);
  }
  /// Those of MTP, which all stand on one stage, in its last chunk.
  std::int64_t mtp_stage() const { return pp - 1 - mtp_ahead; }
  std::int64_t mtp_of_stage(std::int64_t stage) const {
    return stage == mtp_stage() ? shape.mtp_layers : 0;
  }
  std::int64_t mtp_weights_of_stage(std::int64_t stage) const {
    return stage == mtp_stage() ? shape.mtp_weights() : 0;
  }
  /// Stages that have the embedding: the first, that of MTP, and the last where it is tied.
  std::int64_t embedding_stages() const;
  /// Streams in the last chunk's messages behind that stage: the model's, and of MTP's layers.
  std::int64_t streams_behind(std::int64_t stage) const {
    return stage >= mtp_stage() && stage < pp - 1 ? 1 + shape.mtp_layers : 1;
  }
  /// Of the chunk with the last norm, chunk x PP + stage: with the loss, or under MTP the last
  /// layer.
  std::int64_t place_of_last_norm() const;
  /// All that a token passes through there, and those of them that have experts.
  std::int64_t passes_of_stage(std::int64_t stage) const {
    return layers_of_stage(stage) + mtp_of_stage(stage);
  }
  std::int64_t mixture_passes_of_stage(std::int64_t stage) const {
    return mixtures_of_stage(stage) + (shape.ends_in_mixture() ? mtp_of_stage(stage) : 0);
  }
  /// Of one chunk; what stands before the first or behind the last one may count as one of theirs.
  std::int64_t layers_of_chunk(std::int64_t stage, std::int64_t chunk) const;
  /// The share of a stage's layers, with MTP's, whose forward pass is made again.
  double remade_share(std::int64_t stage) const;
  /// Whether selective recomputation makes attention again.
  bool remakes_attention() const;
  /// Whether it makes norms again.
  bool remakes_norms() const { return recompute == Recompute::kSelective && remade.norms; }
  /// Of a layer's two norms, whether each stands alone.
  bool has_norm1_alone() const { return !transformer_engine || shape.is_latent(); }
  bool has_norm2_alone(bool has_experts) const { return !transformer_engine || has_experts; }
  /// Those that are made again.
  std::int64_t remade_norms(bool has_experts) const {
    if (!remakes_norms()) return 0;
    return (has_norm1_alone() ? 1 : 0) + (has_norm2_alone(has_experts) ? 1 : 0);
  }
  /// Of one number that a product within a layer keeps of its input.
  double input_bytes() const;
  /// Of one weight of such a product, with its copies in 8 bits.
  double layer_weight_bytes() const;
  /// Whether they have one scale for each tensor.
  bool scales_tensors() const { return fp8 == Fp8::kDelayed || fp8 == Fp8::kTensors; }
  /// Of one gradient that is summed across ranks.
  double gradient_bytes() const;
  /// Whether Megatron's optimizer makes wide copies of gradients.
  bool copies_gradients() const;
  /// Whether each TP rank sends its own part to the next stage, and not all of them the whole.
  bool sends_parts() const;
  /// Whether the parts are gathered again there.
  bool gathers_messages() const { return sends_parts() && !sequence_parallel; }

 private:
  /// Of a stage, where some layers have experts and some have none.
  std::int64_t mixtures_among(std::int64_t stage) const;
};

/// What Transformer Engine takes where it is left the choice, by generation, number type and
/// determinism: before Ampere, and in fp32, it has scores alone.
Attention usual_attention(const Setup& setup);

/// No count of a layout or model may be larger; products of a few still fit 64 bits or a check.
inline constexpr std::int64_t kLargestCount = 100'000'000;

}  // namespace pippin
