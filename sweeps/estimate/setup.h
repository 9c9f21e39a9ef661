#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pippin {

/// The type of weights and activations.
enum class NumberType { kFp32, kFp16, kBf16 };
/// Of one number.
inline double bytes_of(NumberType type) { return type == NumberType::kFp32 ? 4 : 2; }

/// What of a layer's activations is made again in the backward pass: nothing, the attention scores,
/// or all but the layer's input.
enum class Recompute { kNone, kSelective, kFull };
/// Whose code trains: what it keeps in memory and how it sums gradients differ.
enum class Framework { kProbe, kMegatron, kMegatronCore, kMegatronDeepSpeed, kDeepSpeed, kFsdp };

/// The shape of a transformer, all of it known.
struct Shape {
  std::int64_t layers = 0, hidden = 0, heads = 0, kv_heads = 0;
  std::int64_t head_width = 0;  ///< of queries, keys and values
  std::int64_t ffn = 0;         ///< width of the MLP
  std::int64_t seq = 0;
  std::int64_t vocab = 0;   ///< rows of the embedding: padded
  bool gated = false;       ///< SwiGLU: three matrices in the MLP, else two
  bool biases = true;       ///< of the linear layers
  bool qkv_biases = false;  ///< of queries, keys and values, where the others have none
  bool norm_biases = true;  ///< LayerNorm; RMSNorm has none
  bool learned_positions = true;
  std::int64_t positions = 0;                       ///< rows of learned ones
  bool tied = true;                                 ///< the output layer is the embedding
  std::int64_t experts = 0, experts_per_token = 0;  ///< 0: a dense MLP
};

/// What an estimate is made of: one layout of one model in one framework.
struct Setup {
  Shape shape;
  std::int64_t tp = 1, pp = 1, dp = 1, cp = 1, ep = 1;
  std::int64_t chunks = 1;  ///< of layers on each stage: above 1 the schedule is interleaved
  std::int64_t mbs = 1, gas = 1;
  std::int64_t gpus_per_node = 8;
  NumberType type = NumberType::kBf16;
  std::int64_t zero = 0;  ///< DeepSpeed's stage; Megatron's distributed optimizer is 1
  Recompute recompute = Recompute::kNone;
  bool sequence_parallel = false;
  bool flash_attention = false;
  Framework framework = Framework::kMegatronCore;

  std::int64_t gpus() const { return tp * pp * dp * cp; }
  std::int64_t gbs() const { return mbs * gas * dp; }
  std::int64_t layers_of_stage(std::int64_t) const { return shape.layers / pp; }
};

}  // namespace pippin
