#include "probes/common/setup.h"

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
      whole_option("--ffn", s.ffn, 0, 1 << 22, "width of the MLP; 0 is 4 x hidden"),
      whole_option("--seq", s.seq, 1, 1 << 22, "tokens per sequence"),
      whole_option("--vocab", s.vocab, 2, 1 << 30, "tokens known, before padding to 128 x TP"),
      choice_option("--zero", s.zero, {"0", "1"}, "ZeRO stage: 1 shards the optimizer over DP"),
      choice_option("--recompute", s.recompute, {"none", "full"}, "activation recomputation"),
      number_option("--lr", s.lr, 0.0, 1e6, "learning rate"),
      whole_option("--seed", s.seed, 0, INT64_MAX, "seed of everything that is drawn"),
      whole_option("--iterations", s.iterations, 1, kMany, "iterations of the run"),
      whole_option("--log-interval", s.log_interval, 1, kMany, "iterations per logged line"),
  };
}

void check_setup(const Setup& s) {
  constexpr std::int64_t kLargestWorld = 1 << 20;
  if (s.hidden % s.heads != 0)
    bad_input("--heads " + std::to_string(s.heads) + " does not divide --hidden " +
              std::to_string(s.hidden));
  if (s.world() > kLargestWorld)
    bad_input("world size " + std::to_string(s.world()) + ": more than " +
              std::to_string(kLargestWorld) + " ranks");
  std::int64_t samples = 0;
  if (__builtin_mul_overflow(s.gbs(), s.iterations, &samples))
    bad_input("--mbs x --gas x --dp x --iterations: more than 2^63 samples");
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
  const std::int64_t h = setup.hidden, f = setup.ffn_width();
  // Weights and column-parallel biases are split; norms and row-parallel biases are whole.
  const std::int64_t split = quotient_up(4 * h * h + 2 * h * f + 3 * h + f, setup.tp);
  const std::int64_t whole = 4 * h + 2 * h;
  std::int64_t count = layers_of_stage(setup, stage) * (split + whole);
  const std::int64_t embedding = padded_vocab(setup) / setup.tp * h;
  const bool first = stage == 0, last = stage == setup.pp - 1;
  if (first) count += embedding + setup.seq * h;
  if (last) count += (first ? 0 : embedding) + 2 * h;
  return count;
}

}  // namespace pippin::probes
