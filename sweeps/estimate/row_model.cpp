// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "core/base/error.h"
#include "sweeps/estimate/megatron_setup.h"
#include "sweeps/estimate/newer_layers.h"
#include "sweeps/estimate/parameters.h"
#include "sweeps/estimate/row_reader.h"
#include "sweeps/estimate/stage_parameters.h"
#include "sweeps/estimate/vocabularies.h"

namespace pippin {

void RowReader::shape() {
  Shape& m = setup_.shape;
  for (const char* column : {"layers", "hidden", "heads", "seq"})
    if (row_.count(column) == 0) refuse(fmt::format("{} is not given", column));
  if (!why_.empty()) return;
  m.layers = row_.count("layers");
  m.hidden = row_.count("hidden");
  m.heads = row_.count("heads");
  m.kv_heads = std::max(row_.count("kv_heads"), std::int64_t{0});
  if (m.kv_heads == 0 && arguments_.has("group-query-attention"))
    m.kv_heads = arguments_.count("num-query-groups", 1);
  if (m.kv_heads == 0) m.kv_heads = m.heads;
  m.seq = m.positions = row_.count("seq");
  m.head_width = arguments_.count("kv-channels", m.hidden / m.heads);
  const std::string activation = row_.text("act_fn");
  const auto has = [&](const char* name) {
    return activation == name || (activation.empty() && arguments_.has(name));
  };
  m.activation = has("swiglu")                   ? Activation::kSwiglu
                 : arguments_.has("quick-geglu") ? Activation::kGeglu
                 : has("squared-relu")           ? Activation::kSquaredRelu
                                                 : Activation::kGelu;
  if (activation.empty() && m.activation == Activation::kGelu) doubt("act_fn gelu is assumed");
  m.ffn = row_.count("ffn");
  if (m.ffn == 0) m.ffn = usual_ffn(m.activation == Activation::kSwiglu, m.hidden);
  m.biases = !arguments_.has("disable-bias-linear");
  m.norm_biases = arguments_.word("normalization") != "RMSNorm";
  m.qk_norms = arguments_.has("qk-layernorm") || is_named("qk_layernorm");
  const std::string positions = arguments_.word("position-embedding-type");
  m.learned_positions = (positions.empty() || positions.ends_with("absolute")) &&
                        !arguments_.has("use-rotary-position-embeddings") &&
                        !arguments_.has("no-position-embedding");
  m.tied = !arguments_.has("untie-embeddings-and-output-weights");
  m.experts = arguments_.count("num-experts", 0, 0);
  m.experts_per_token = m.experts > 0 ? arguments_.count("moe-router-topk", 2) : 0;
  m.expert_ffn = m.experts > 0 ? arguments_.count("moe-ffn-hidden-size", m.ffn) : 0;
  try {
    if (!fill_in_newer_layers(given_, setup_))
      refuse("layers with experts as its moe-layer-freq has them are not known");
  } catch (const Error& error) {
    refuse("its notes: " + reason_of(error));
  }
}

void RowReader::usual_model_of_framework() {
  Shape& m = setup_.shape;
  const bool titan = row_.says("framework", "torchtitan"), argonne = row_.says("framework", "ALCF");
  if (titan || argonne) {
    m.biases = m.norm_biases = m.learned_positions = m.tied = false;
  }
  if (setup_.framework == Framework::kFsdp) {
    setup_.hidden_dropout = setup_.attention_dropout = false;
    constexpr double kTitan = 16, kComposer = 4;  // of a logit in eager and in fused loss
    setup_.logit_bytes = titan ? kTitan : kComposer;
  }
}

/// As the embedding has it. Composer and torchtitan take it as it is.
void RowReader::vocabulary() {
  std::int64_t vocab = row_.count("vocab");
  const bool is_said = vocab > 0;
  const std::string tokenizer = arguments_.word("tokenizer-type");
  if (vocab == 0) {
    constexpr std::int64_t kNemotron = 256000;
    const bool llama = row_.says("framework", "ALCF");
    vocab = tokenizer == "GPTSentencePieceTokenizer"
                ? kNemotron
                : vocabulary_of(llama ? "Llama2Tokenizer" : tokenizer,
                                arguments_.word("tokenizer-model"))
                      .tokens;
  }
  if (!is_said && tokenizer.empty()) doubt(fmt::format("vocabulary {} is assumed", vocab));
  if (const auto padded = arguments_.count("padded-vocab-size", 0); padded > 0) {
    setup_.shape.vocab = padded;
    return;
  }
  const std::int64_t usual = setup_.framework == Framework::kFsdp ? 1 : 128;
  setup_.shape.vocab =
      padded_vocab(vocab, setup_.tp, arguments_.count("make-vocab-size-divisible-by", usual));
}

}  // namespace pippin
