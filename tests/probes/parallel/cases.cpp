// SPDX-License-Identifier: Apache-2.0
#include "tests/probes/parallel/cases.h"

namespace pippin::probes::test {

namespace {

/// What a case changes of small_setup(); GAS follows from the global batch.
struct Change {
  std::int64_t tp = 1, pp = 1, dp = 1, mbs = 1;
  const char* zero = "0";
  const char* sequence_parallel = "0";
  const char* recompute = "none";
  std::int64_t bucket = 1000;  ///< so small that there are many
  std::int64_t vocab = 512;
};

constexpr std::int64_t kGlobalBatch = 8;

Case make_case(const std::string& style, const Change& c) {
  Setup s = small_setup(style);
  s.tp = c.tp;
  s.pp = c.pp;
  s.dp = c.dp;
  s.mbs = c.mbs;
  s.gas = kGlobalBatch / c.dp / c.mbs;
  s.zero = c.zero;
  s.sequence_parallel = c.sequence_parallel;
  s.recompute = c.recompute;
  s.reduce_bucket_size = c.bucket;
  s.vocab = c.vocab;
  std::string name = style;
  const auto say = [&](const char* what, const std::string& value) {
    name += std::string(" ") + what + " " + value;
  };
  say("tp", std::to_string(c.tp));
  say("pp", std::to_string(c.pp));
  say("dp", std::to_string(c.dp));
  say("mbs", std::to_string(c.mbs));
  say("gas", std::to_string(s.gas));
  say("zero", c.zero);
  say("sp", c.sequence_parallel);
  say("recompute", c.recompute);
  if (c.vocab != 512) say("vocab", std::to_string(c.vocab));
  if (c.bucket != 1000) say("bucket", std::to_string(c.bucket));
  return {name, s};
}

}  // namespace

Setup small_setup(const std::string& style) {
  Setup s;
  s.style = style;
  s.layers = 4;
  s.hidden = 32;
  s.heads = 8;
  s.kv_heads = style == "llama" ? 4 : 0;
  s.ffn = style == "llama" ? 40 : 0;
  s.seq = 16;
  s.vocab = 512;
  s.gas = kGlobalBatch;
  s.reduce_bucket_size = 1000;
  return s;
}

std::vector<Case> all_cases() {
  const std::vector<Change> changes = {// one rank: GAS and recomputation
                                       {1, 1, 1, 8},
                                       {1, 1, 1, 4},
                                       {1, 1, 1, 2},
                                       {1, 1, 1, 1},
                                       {1, 1, 1, 2, "0", "0", "selective"},
                                       {1, 1, 1, 2, "0", "0", "full"},
                                       // each dimension alone
                                       {2, 1, 1, 2},
                                       {4, 1, 1, 2},
                                       {1, 2, 1, 2},
                                       {1, 4, 1, 1},
                                       {1, 4, 1, 4},
                                       {1, 1, 2, 2},
                                       {1, 1, 4, 1},
                                       {1, 1, 2, 2, "1"},
                                       {1, 1, 4, 1, "1"},
                                       {2, 1, 1, 2, "0", "1"},
                                       {4, 1, 1, 4, "0", "1"},
                                       {1, 1, 8, 1, "1"},
                                       {8, 1, 1, 1, "0", "1"},
                                       // recomputation across ranks
                                       {2, 1, 1, 2, "0", "0", "full"},
                                       {2, 1, 1, 2, "0", "1", "full"},
                                       {2, 1, 1, 2, "0", "1", "selective"},
                                       {1, 2, 1, 2, "0", "0", "full"},
                                       {1, 4, 1, 1, "0", "0", "selective"},
                                       // mixtures
                                       {2, 2, 1, 1},
                                       {2, 1, 2, 1},
                                       {1, 2, 2, 1},
                                       {2, 2, 2, 1},
                                       {2, 2, 2, 2, "1", "1", "selective"},
                                       {2, 2, 2, 1, "1", "1", "full"},
                                       {4, 2, 1, 1, "0", "1"},
                                       {1, 4, 2, 1, "1"},
                                       {2, 4, 1, 2},
                                       {1, 2, 4, 1, "1"},
                                       {2, 1, 4, 2, "1", "1"},
                                       {4, 1, 2, 1, "1", "0", "full"},
                                       // one bucket, an odd one, a vocabulary with padding
                                       {1, 2, 2, 1, "1", "0", "none", 40000000},
                                       {1, 1, 2, 1, "0", "0", "none", 777},
                                       {1, 1, 4, 1, "1", "0", "none", 777},
                                       {2, 1, 1, 2, "0", "0", "none", 1000, 500},
                                       {4, 1, 2, 2, "1", "1", "none", 1000, 300}};
  std::vector<Case> cases;
  for (const char* style : {"gpt2", "llama"})
    for (const auto& change : changes) {
      if (std::string(style) == "llama" && change.tp == 8) continue;  // four key and value heads
      cases.push_back(make_case(style, change));
    }
  return cases;
}

}  // namespace pippin::probes::test
