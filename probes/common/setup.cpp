// SPDX-License-Identifier: Apache-2.0
#include "probes/common/setup.h"

#include <algorithm>

#include "probes/common/error.h"

namespace pippin::probes {

OptionTable setup_options(Setup& s) {
  // So small that no product below exceeds 63 bits.
  constexpr std::int64_t kRanks = 1 << 20, kWidth = 1 << 20, kMany = 1'000'000'000;
  return {
      whole_option("--tp", s.tp, 1, kRanks, "tensor-parallel ranks"),
      whole_option("--pp", s.pp, 1, kRanks, "pipeline stages"),
      whole_option("--dp", s.dp, 1, kRanks, "data-parallel ranks"),
      whole_option("--mbs", s.mbs, 1, kRanks, "sequences per micro-batch"),
      whole_option("--gas", s.gas, 1, kRanks, "micro-batches per iteration and data-parallel rank"),
      whole_option("--layers", s.layers, 1, 1 << 14, "transformer layers"),
      whole_option("--hidden", s.hidden, 1, kWidth, "hidden size"),
      whole_option("--heads", s.heads, 1, 1 << 16, "attention heads"),
      whole_option("--kv-heads", s.kv_heads, 0, 1 << 16,
                   "key and value heads; 0 is as many as heads"),
      whole_option("--ffn", s.ffn, 0, 1 << 22, "width of the MLP; 0 is 4 x hidden, for llama 8/3"),
      choice_option("--style", s.style, {"gpt2", "llama"}, "kind of model"),
      whole_option("--seq", s.seq, 1, 1 << 22, "tokens per sequence"),
      whole_option("--vocab", s.vocab, 2, 1 << 30, "tokens known, before padding to 128 x TP"),
      choice_option("--zero", s.zero, {"0", "1"}, "ZeRO stage: 1 shards the optimizer over DP"),
      whole_option("--reduce-bucket-size", s.reduce_bucket_size, 1, (1LL << 31) - 1,
                   "gradients reduced over DP by one call"),
      bare_option(choice_option("--sequence-parallel", s.sequence_parallel, {"0", "1"},
                                "splits norms and residuals over TP, too"),
                  "1"),
      choice_option("--recompute", s.recompute, {"none", "selective", "full"},
                    "activation recomputation"),
      choice_option("--precision", s.precision, {"fp32", "bf16", "fp16"},
                    "of weights and activations; sums, gradients and Adam stay fp32"),
      number_option("--lr", s.lr, 0.0, 1e6, "learning rate"),
      whole_option("--seed", s.seed, 0, INT64_MAX, "seed of everything that is drawn"),
      whole_option("--iterations", s.iterations, 1, kMany, "iterations of the run"),
      whole_option("--log-interval", s.log_interval, 1, kMany, "iterations per logged line"),
  };
}

void check_setup(const Setup& s) {
  constexpr std::int64_t kLargestWorld = 1 << 20;
  if (s.hidden % s.heads != 0)
    bad_layout("--heads " + std::to_string(s.heads) + " does not divide --hidden " +
               std::to_string(s.hidden));
  if (s.heads % s.groups() != 0)
    bad_layout("--kv-heads " + std::to_string(s.groups()) + " does not divide --heads " +
               std::to_string(s.heads));
  if (s.llama() && s.head_width() % 2 != 0)
    bad_layout("--hidden " + std::to_string(s.hidden) + " / --heads " + std::to_string(s.heads) +
               ": rotary positions want an even head width");
  if (s.world() > kLargestWorld)
    bad_input("world size " + std::to_string(s.world()) + ": more than " +
              std::to_string(kLargestWorld) + " ranks");
  std::int64_t samples = 0;
  if (__builtin_mul_overflow(s.gbs(), s.iterations, &samples))
    bad_input("--mbs x --gas x --dp x --iterations: more than 2^63 samples");
}

std::int64_t Setup::ffn_width() const {
  if (ffn > 0) return ffn;
  return llama() ? std::max<std::int64_t>(8 * hidden / 3 / 64 * 64, 64) : 4 * hidden;
}

namespace {

std::int64_t quotient_up(std::int64_t number, std::int64_t divisor) {
  return (number + divisor - 1) / divisor;
}

}  // namespace

std::int64_t padded_vocab(const Setup& setup) {
  const std::int64_t multiple = 128 * setup.tp;
  return quotient_up(setup.vocab, multiple) * multiple;
}

std::int64_t layers_of_stage(const Setup& setup, std::int64_t stage) {
  return setup.layers / setup.pp + (stage < setup.layers % setup.pp ? 1 : 0);
}

std::int64_t parameters_of_stage(const Setup& setup, std::int64_t stage) {
  const std::int64_t h = setup.hidden, f = setup.ffn_width(), q = setup.qkv_width();
  // Weights and column-parallel biases are split; norms and row-parallel biases are whole.
  std::int64_t split = (q + h) * h + (setup.llama() ? 3 : 2) * h * f, whole = 2 * h;
  if (!setup.llama()) {
    split += q + f;
    whole += 2 * h + 2 * h;  // the norms' biases, the row-parallel ones
  }
  std::int64_t count = layers_of_stage(setup, stage) * (quotient_up(split, setup.tp) + whole);
  const std::int64_t embedding = padded_vocab(setup) / setup.tp * h;
  const bool first = stage == 0, last = stage == setup.pp - 1;
  if (first) count += embedding + (setup.llama() ? 0 : setup.seq * h);
  if (last) {
    if (!first || setup.llama()) count += embedding;  // the output layer
    count += setup.llama() ? h : 2 * h;
  }
  return count;
}

}  // namespace pippin::probes
