// SPDX-License-Identifier: Apache-2.0
#include "tests/sweeps/estimate/probe_layouts.h"

namespace pippin::test {

namespace {

struct Change {
  std::int64_t tp = 1, pp = 1, dp = 1, mbs = 1, zero = 0;
  bool sequence_parallel = false;
  Recompute recompute = Recompute::kNone;
  std::int64_t bucket = 1000, vocab = 512;
  NumberType type = NumberType::kFp32;
};

const char* text_of(NumberType type) {
  return type == NumberType::kFp32 ? "fp32" : type == NumberType::kBf16 ? "bf16" : "fp16";
}

Shape shape_of(bool llama, const Change& c) {
  Shape m;
  m.layers = 4;
  m.hidden = 32;
  m.heads = 8;
  m.kv_heads = llama ? 4 : 8;
  m.head_width = 4;
  m.ffn = llama ? 40 : 128;
  m.seq = m.positions = 16;
  m.vocab = (c.vocab + 128 * c.tp - 1) / (128 * c.tp) * 128 * c.tp;
  m.activation = llama ? Activation::kSwiglu : Activation::kGelu;
  m.biases = m.norm_biases = m.learned_positions = m.tied = !llama;
  return m;
}

ProbeLayout layout_of(bool llama, const Change& c) {
  constexpr std::int64_t kGlobalBatch = 8;
  ProbeLayout layout;
  Setup& s = layout.setup;
  s.shape = shape_of(llama, c);
  s.framework = Framework::kProbe;
  s.tp = c.tp;
  s.pp = c.pp;
  s.dp = c.dp;
  s.mbs = c.mbs;
  s.gas = kGlobalBatch / c.dp / c.mbs;
  s.zero = c.zero;
  s.sequence_parallel = c.sequence_parallel;
  s.recompute = c.recompute;
  s.type = c.type;
  layout.bucket = c.bucket;
  const auto option = [&](const char* name, const std::string& value) {
    layout.options.insert(layout.options.end(), {name, value});
  };
  option("--style", llama ? "llama" : "gpt2");
  option("--layers", "4");
  option("--hidden", "32");
  option("--heads", "8");
  option("--kv-heads", llama ? "4" : "0");
  option("--ffn", llama ? "40" : "0");
  option("--seq", "16");
  option("--vocab", std::to_string(c.vocab));
  option("--tp", std::to_string(c.tp));
  option("--pp", std::to_string(c.pp));
  option("--dp", std::to_string(c.dp));
  option("--mbs", std::to_string(c.mbs));
  option("--gas", std::to_string(s.gas));
  option("--zero", std::to_string(c.zero));
  option("--sequence-parallel", c.sequence_parallel ? "1" : "0");
  option("--recompute", std::string(pippin::text_of(c.recompute)));
  option("--reduce-bucket-size", std::to_string(c.bucket));
  option("--precision", text_of(c.type));
  option("--iterations", "1");
  return layout;
}

}  // namespace

std::vector<ProbeLayout> probe_layouts() {
  constexpr auto kNone = Recompute::kNone, kSelective = Recompute::kSelective,
                 kFull = Recompute::kFull;
  constexpr auto kBf16 = NumberType::kBf16, kFp16 = NumberType::kFp16;
  const std::vector<Change> changes = {// one rank: GAS, recomputation, types
                                       {1, 1, 1, 8},
                                       {1, 1, 1, 2},
                                       {1, 1, 1, 1},
                                       {1, 1, 1, 2, 0, false, kSelective},
                                       {1, 1, 1, 2, 0, false, kFull},
                                       {1, 1, 1, 2, 0, false, kNone, 1000, 512, kBf16},
                                       // each dimension alone
                                       {2, 1, 1, 2},
                                       {4, 1, 1, 2},
                                       {1, 2, 1, 2},
                                       {1, 4, 1, 1},
                                       {1, 4, 1, 4},
                                       {1, 1, 2, 2},
                                       {1, 1, 4, 1, 1},
                                       {4, 1, 1, 4, 0, true},
                                       {1, 1, 8, 1, 1},
                                       // recomputation across ranks
                                       {2, 1, 1, 2, 0, false, kFull},
                                       {2, 1, 1, 2, 0, true, kFull},
                                       {2, 1, 1, 2, 0, true, kSelective},
                                       {1, 2, 1, 2, 0, false, kFull},
                                       {1, 4, 1, 1, 0, false, kSelective},
                                       // mixtures
                                       {2, 2, 2, 1},
                                       {2, 2, 2, 2, 1, true, kSelective},
                                       {2, 2, 2, 1, 1, true, kFull},
                                       {2, 2, 2, 1, 1, true, kNone, 1000, 512, kFp16},
                                       {2, 2, 2, 1, 1, true, kFull, 1000, 512, kBf16},
                                       {1, 4, 2, 1, 1},
                                       {2, 4, 1, 2},
                                       {4, 1, 2, 1, 1, false, kFull},
                                       // one bucket, an odd one, a vocabulary with padding
                                       {1, 2, 2, 1, 1, false, kNone, 40'000'000},
                                       {1, 1, 4, 1, 1, false, kNone, 777},
                                       {4, 1, 2, 2, 1, true, kNone, 1000, 300}};
  std::vector<ProbeLayout> layouts;
  for (const bool llama : {false, true}) {
    for (const auto& change : changes) layouts.push_back(layout_of(llama, change));
  }
  return layouts;
}

}  // namespace pippin::test
