// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "probes/common/options.h"

namespace pippin::probes {

/// What both probes are told: the model, its layout and the length of the run.
struct Setup {
  std::int64_t tp = 1, pp = 1, dp = 1;
  std::int64_t mbs = 1, gas = 1;  ///< sequences per micro-batch, micro-batches per iteration
  std::int64_t layers = 2, hidden = 64, heads = 4;
  std::int64_t kv_heads = 0;   ///< 0: as many as heads
  std::int64_t ffn = 0;        ///< 0: see ffn_width()
  std::string style = "gpt2";  ///< "gpt2" or "llama"
  std::int64_t seq = 64, vocab = 256;
  std::string zero = "0";               ///< "0" or "1"; over one rank the two are the same
  std::string sequence_parallel = "0";  ///< "0" or "1"; over one tensor rank the two are the same
  std::int64_t reduce_bucket_size = 40'000'000;  ///< elements of a gradient reduction; as Megatron
  std::string recompute = "none";                ///< "none", "selective" or "full"
  std::string precision = "fp32";  ///< of weights and activations: "fp32", "bf16" or "fp16"
  double lr = 0.003;
  std::int64_t seed = 1234;
  std::int64_t iterations = 20, log_interval = 1;

  std::int64_t world() const { return tp * pp * dp; }
  std::int64_t gbs() const { return mbs * gas * dp; }  ///< sequences per iteration
  std::int64_t groups() const { return kv_heads > 0 ? kv_heads : heads; }
  std::int64_t head_width() const { return hidden / heads; }
  /// Of all heads: queries, keys and values. Unit: columns.
  std::int64_t qkv_width() const { return (heads + 2 * groups()) * head_width(); }
  bool llama() const { return style == "llama"; }
  /// 4 × hidden, or with SwiGLU 8/3 × hidden down to a multiple of 64, and at least 64.
  /// Source: Megatron-LM, arguments.py.
  std::int64_t ffn_width() const;
};

/// The rows of `setup`'s options. `setup` must outlive them.
OptionTable setup_options(Setup& setup);

/// Errors: Error (bad layout) for what no probe can mean: heads that do not divide the hidden size,
/// key and value heads that do not divide the heads; (bad input) a world above 2^20, more samples
/// than 2^63.
void check_setup(const Setup& setup);

/// Vocabulary rows of the embedding: the next multiple of 128·TP.
/// Source: Megatron-LM, make_vocab_size_divisible_by.
std::int64_t padded_vocab(const Setup& setup);

/// Layers of one pipeline stage; the first stages hold one more where the division has a rest.
std::int64_t layers_of_stage(const Setup& setup, std::int64_t stage);

/// Parameters on one tensor-parallel rank of a stage; a tied embedding counts on the first and on
/// the last stage, as Megatron counts it.
std::int64_t parameters_of_stage(const Setup& setup, std::int64_t stage);

}  // namespace pippin::probes
