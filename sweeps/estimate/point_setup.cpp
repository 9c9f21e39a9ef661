// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/point_setup.h"

#include <fmt/format.h>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/whole_number.h"
#include "sweeps/estimate/layout_checks.h"
#include "sweeps/estimate/parameters.h"
#include "sweeps/estimate/stage_parameters.h"

namespace pippin {

namespace {

std::int64_t needed(const Count& count, std::string_view name) {
  if (!count || *count < 1) bad_input("estimate: {} is not known", name);
  return *count;
}

void check_divides(std::int64_t part, std::int64_t whole, std::string_view words) {
  if (whole % part != 0) bad_input("estimate: {} ({} by {})", words, whole, part);
}

NumberType type_named(const std::string& text) {
  if (text == "fp32") return NumberType::kFp32;
  if (text == "fp16") return NumberType::kFp16;
  if (text != "bf16") bad_input("estimate: precision is fp32, fp16 or bf16, not '{}'", text);
  return NumberType::kBf16;
}

Recompute recompute_named(const std::string& text) {
  for (const Recompute one : {Recompute::kNone, Recompute::kSelective, Recompute::kFull})
    if (text == text_of(one)) return one;
  bad_input("estimate: recompute is none, selective or full, not '{}'", text);
}

std::int64_t stage_of_zero(const std::string& text, std::int64_t most) {
  const auto stage = parse_integer(text);
  if (!stage || *stage < 0 || *stage > most)
    bad_input("estimate: zero is 0{}, not '{}'",
              most == 0   ? std::string(" there")
              : most == 1 ? std::string(" or 1")
                          : fmt::format(" to {}", most),
              text);
  return *stage;
}

bool is_yes(std::string_view name, const std::string& text) {
  const std::string word = lower(text);
  if (word == "1" || word == "true") return true;
  if (word != "0" && word != "false") bad_input("estimate: {} is 0 or 1, not '{}'", name, text);
  return false;
}

void fill_in_layout(const Layout& layout, Setup& setup) {
  setup.tp = needed(layout.tp, "TP");
  setup.pp = needed(layout.pp, "PP");
  setup.dp = needed(layout.dp, "DP");
  setup.cp = layout.cp.value_or(1);
  setup.mbs = needed(layout.mbs, "MBS");
  setup.gas = needed(layout.gas, "GAS");
}

/// Errors: as check_layout(), where layers are even, too.
void check_even_layout(const Setup& setup) {
  check_divides(setup.pp, setup.shape.layers, "PP does not divide the number of layers");
  check_layout(setup);
}

}  // namespace

Shape shape_of(const Model& model, std::int64_t tp) {
  if (model.style != "gpt2" && model.style != "llama" && !model.style.empty())
    bad_input("estimate: a model of style {} is not known", printable(model.style));
  const bool llama = model.style == "llama";
  Shape m;
  m.layers = needed(model.layers, "the number of layers");
  m.hidden = needed(model.hidden, "the hidden size");
  m.heads = needed(model.heads, "the number of heads");
  m.kv_heads = model.kv_heads.value_or(m.heads);
  check_divides(m.heads, m.hidden, "heads do not divide the hidden size");
  m.head_width = m.hidden / m.heads;
  m.ffn = model.ffn.value_or(usual_ffn(llama, m.hidden));
  m.seq = m.positions = needed(model.seq, "the sequence length");
  m.vocab = model.padded_vocab.value_or(padded_vocab(needed(model.vocab, "the vocabulary"), tp));
  m.activation = llama ? Activation::kSwiglu : Activation::kGelu;
  m.biases = m.norm_biases = m.learned_positions = !llama;
  m.tied = model.tied.value_or(!llama);
  return m;
}

void take_model(const Model& model, Setup& setup) {
  setup.shape = shape_of(model, setup.tp);
  if (model.style == "llama") setup.hidden_dropout = setup.attention_dropout = false;
}

Model model_of(const Shape& m) {
  Model model;
  model.style = m.experts > 0 ? "moe" : m.gated() ? "llama" : "gpt2";
  model.layers = m.layers;
  model.hidden = m.hidden;
  model.heads = m.heads;
  model.kv_heads = m.kv_heads;
  model.ffn = m.ffn;
  model.seq = m.seq;
  model.padded_vocab = m.vocab;
  model.params = model_parameters(m);
  if (m.experts > 0) model.active_params = active_parameters(m);
  const bool is_geglu = m.activation == Activation::kGeglu;
  if (m.experts > 0 || is_geglu || m.is_latent() || m.mtp_layers > 0 ||
      m.heads * m.head_width != m.hidden) {
    Shape counted = m;
    if (is_geglu) counted.activation = Activation::kGelu;  // Megatron counts SwiGLU's gate alone
    // The norms of latents and of MTP's layers are work by Megatron's count.
    const std::int64_t norms =
        (m.layers + m.mtp_layers) * (m.query_latent + m.key_latent) + 3 * m.mtp_layers * m.hidden;
    model.token_weights = static_cast<std::int64_t>(token_weights(counted)) + norms;
    model.attention_widths = static_cast<std::int64_t>(attention_widths(m));
  }
  return model;
}

Setup usual_setup(Generation generation, std::int64_t gpus_per_node) {
  Setup setup;
  setup.gpus_per_node = gpus_per_node;
  setup.generation = generation;
  setup.type = generation == Generation::kVolta ? NumberType::kFp16 : NumberType::kBf16;
  setup.attention = usual_attention(setup);
  setup.fuses_gradients = true;
  return setup;
}

namespace {

/// What a person calls the code that trains, and the stages of ZeRO that it has.
struct NamedFramework {
  std::string_view name;
  Framework framework;
  std::int64_t most_zero;
};
constexpr NamedFramework kFrameworks[] = {
    {"megatron-core", Framework::kMegatronCore, 1},
    {"megatron-2023", Framework::kMegatron2023, 1},
    {"megatron-2", Framework::kMegatron2, 0},
    {"megatron-deepspeed", Framework::kMegatronDeepSpeed, 1},
    {"deepspeed-3d", Framework::kDeepSpeedPipeline, 1},
    {"deepspeed-zero", Framework::kDeepSpeedZero, 3},
    {"fsdp", Framework::kFsdp, 3},
};

std::int64_t most_zero(Framework framework) {
  for (const NamedFramework& one : kFrameworks)
    if (one.framework == framework) return one.most_zero;
  return 1;  // the probe's
}

Framework framework_named(const std::string& text) {
  if (const auto found = find_framework(text)) return *found;
  std::vector<std::string> names;
  for (const NamedFramework& one : kFrameworks) names.emplace_back(one.name);
  bad_input("estimate: unknown framework '{}'; known: {}", printable(text), join(names, ", "));
}

Attention attention_named(const std::string& text) {
  if (text == "scores") return Attention::kScores;
  if (text == "fused") return Attention::kFused;
  if (text != "flash") bad_input("estimate: attention is scores, fused or flash, not '{}'", text);
  return Attention::kFlash;
}

/// What such code does where nothing else is said.
void as_usual(Framework framework, Setup& setup) {
  constexpr double kEagerLoss = 16;  // bytes of a logit and its gradient
  setup.framework = framework;
  setup.transformer_engine = framework == Framework::kMegatronCore;
  setup.reduces_narrow = framework == Framework::kDeepSpeedZero;
  if (framework == Framework::kFsdp) {
    setup.zero = 3;
    setup.hidden_dropout = setup.attention_dropout = false;
    setup.logit_bytes = kEagerLoss;
  } else if (framework != Framework::kMegatronCore) {
    setup.attention = Attention::kScores;
  }
}

}  // namespace

std::optional<Framework> find_framework(std::string_view name) {
  for (const NamedFramework& one : kFrameworks)
    if (one.name == name) return one.framework;
  return std::nullopt;
}

std::vector<std::string> typed_axes() {
  return {"precision", "zero",      "recompute", "sequence_parallel",
          "framework", "attention", "chunks",    "offload"};
}

Setup typed_setup(const Point& point, Generation generation, std::int64_t gpus_per_node) {
  Setup setup = usual_setup(generation, gpus_per_node);
  if (const Value* name = find_value(point.axes, "framework"))
    as_usual(framework_named(name->text), setup);
  if (const Value* name = find_value(point.axes, "attention"))
    setup.attention = attention_named(name->text);
  if (const Value* yes = find_value(point.axes, "offload"))
    setup.offloads_optimizer = is_yes("offload", yes->text);
  if (setup.offloads_optimizer && setup.framework != Framework::kDeepSpeedZero)
    bad_input("estimate: offload is of framework=deepspeed-zero");
  setup = point_setup(point, setup);
  if (!find_value(point.axes, "attention") && setup.framework == Framework::kMegatronCore)
    setup.attention = usual_attention(setup);  // of the precision, too
  if (const Value* chunks = find_value(point.axes, "chunks"))
    setup.chunks = needed(parse_integer(chunks->text), "a whole number of chunks");
  const bool has_no_stages =
      setup.framework == Framework::kFsdp || setup.framework == Framework::kDeepSpeedZero;
  if (has_no_stages && setup.pp > 1)
    bad_input("estimate: such a framework has no pipeline, and PP is {}", setup.pp);
  check_divides(count_product({setup.pp, setup.chunks}), setup.shape.layers,
                "PP x chunks does not divide the number of layers");
  check_even_layout(setup);
  if (const std::string why = interleaving_reason(setup); !why.empty())
    bad_input("estimate: {}", why);
  return setup;
}

Setup point_setup(const Point& point, Setup setup) {
  fill_in_layout(point.layout, setup);
  take_model(point.model, setup);
  for (const auto& [name, value] : point.axes) {
    if (name == "precision") setup.type = type_named(value.text);
    if (name == "zero") setup.zero = stage_of_zero(value.text, most_zero(setup.framework));
    if (name == "recompute") setup.recompute = recompute_named(value.text);
    if (name == "sequence_parallel")
      setup.sequence_parallel = is_yes(name, value.text) && setup.tp > 1;
  }
  check_even_layout(setup);
  return setup;
}

Setup probe_setup(const Point& point, std::int64_t gpus_per_node) {
  Setup setup;
  setup.framework = Framework::kProbe;
  setup.transformer_engine = setup.hidden_dropout = setup.attention_dropout = false;
  setup.type = NumberType::kFp32;
  setup.attention = Attention::kScores;
  setup.gpus_per_node = gpus_per_node;
  return point_setup(point, setup);
}

}  // namespace pippin
