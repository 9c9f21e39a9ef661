// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/flops.h"

#include <array>
#include <fmt/format.h>
#include <stdexcept>
#include <utility>

#include "core/base/units.h"
#include "sweeps/estimate/parameters.h"
#include "sweeps/estimate/point_setup.h"
#include "sweeps/estimate/stage_parameters.h"

namespace pippin {

namespace {

constexpr std::array<std::pair<FlopsFormula, std::string_view>, 5> kFormulas{{
    {FlopsFormula::kParams, "params"},
    {FlopsFormula::kHardware, "hardware"},
    {FlopsFormula::kModel, "model"},
    {FlopsFormula::kMegatron, "megatron"},
    {FlopsFormula::kPalm, "palm"},
}};

/// The letters of the papers: layers, hidden, sequence, vocabulary, batch.
struct Letters {
  double l, h, s, V, B;
};

/// Narayanan et al., SC21, equation 3: 96 B s l h^2 (1 + s/6h + V/16lh) with recomputation. Without
/// it 72 … V/12lh: the logits' share, 6 B s h V, is the same in both.
double narayanan(const Letters& m, double factor, double vocab_divisor) {
  const double vocab_share = m.V / (vocab_divisor * m.l * m.h);
  return factor * m.B * m.s * m.l * m.h * m.h * (1 + m.s / (6 * m.h) + vocab_share);
}

/// Megatron-LM, num_floating_point_operations. Dense models whose heads make up h:
/// 12 B s l h^2 [1 + g/a + s/2h + (f/h) c + V/2lh], c = 3/2 for SwiGLU. Of others 6 B s a weight
/// that a token is multiplied with, and half of attention's products, which causality spares.
double megatron(const Letters& m, const Model& model) {
  if (model.token_weights) {
    const auto weights = static_cast<double>(*model.token_weights);
    const auto widths = static_cast<double>(*model.attention_widths);
    return 6 * m.B * m.s * (weights + m.s / 2 * widths);
  }
  const bool llama = model.style == "llama";
  double groups = 1;
  if (model.heads && model.kv_heads) {
    groups = static_cast<double>(*model.kv_heads) / static_cast<double>(*model.heads);
  }
  const double ffn = model.ffn ? static_cast<double>(*model.ffn) : 4 * m.h;
  const double attention = 1 + groups + m.s / (2 * m.h);
  const double mlp = ffn / m.h * (llama ? 1.5 : 1.0);
  const double logits = m.V / (2 * m.l * m.h);
  return 12 * m.B * m.s * m.l * m.h * m.h * (attention + mlp + logits);
}

/// All of a dense model's. Nothing where a token meets some of them, and which is not known.
Count parameters_met(const Model& model) {
  if (model.active_params) return model.active_params;
  if (model.style == "moe") return std::nullopt;
  return model.params ? model.params : parameter_count(model);
}

/// Of queries and values, of all heads and layers.
std::optional<double> widths_of_attention(const Model& model) {
  if (model.attention_widths) return static_cast<double>(*model.attention_widths);
  if (!model.layers || !model.hidden || !has_usual_shape(model)) return std::nullopt;
  return 2 * static_cast<double>(*model.layers) * static_cast<double>(*model.hidden);
}

std::optional<double> by_parameters(FlopsFormula formula, const Model& model, double gbs,
                                    bool full_recompute) {
  const Count params = parameters_met(model);
  if (!params || !model.seq) return std::nullopt;
  const double n = static_cast<double>(*params), s = static_cast<double>(*model.seq);
  if (formula == FlopsFormula::kParams) return 2 * (full_recompute ? 4 : 3) * n * s * gbs;
  const auto widths = widths_of_attention(model);
  if (!widths) return std::nullopt;
  return gbs * s * (6 * n + 6 * s * *widths);
}

}  // namespace

std::string_view text_of(FlopsFormula formula) {
  for (const auto& entry : kFormulas) {
    if (entry.first == formula) return entry.second;
  }
  throw std::logic_error("unnamed FlopsFormula");
}

std::optional<FlopsFormula> flops_formula_of(std::string_view text) {
  for (const auto& entry : kFormulas) {
    if (entry.second == text) return entry.first;
  }
  return std::nullopt;
}

std::optional<double> iteration_flops(FlopsFormula formula, const Model& model, std::int64_t gbs,
                                      bool full_recompute) {
  const auto batch = static_cast<double>(gbs);
  if (formula == FlopsFormula::kParams || formula == FlopsFormula::kPalm) {
    return by_parameters(formula, model, batch, full_recompute);
  }
  const bool is_megatron = formula == FlopsFormula::kMegatron;
  const bool is_told = is_megatron && model.token_weights && model.attention_widths;
  if (!is_told && !has_usual_shape(model)) return std::nullopt;
  const Count& vocab = model.padded_vocab ? model.padded_vocab : model.vocab;
  if (!model.layers || !model.hidden || !model.seq || !vocab) return std::nullopt;
  const auto number = [](const Count& count) { return static_cast<double>(*count); };
  const Letters letters{number(model.layers), number(model.hidden), number(model.seq),
                        number(vocab), batch};
  if (is_megatron) return megatron(letters, model);
  return formula == FlopsFormula::kHardware ? narayanan(letters, 96, 16)
                                            : narayanan(letters, 72, 12);
}

std::string why_no_flops(FlopsFormula formula, const Model& model) {
  if (has_usual_shape(model)) return "";
  if (formula == FlopsFormula::kModel || formula == FlopsFormula::kHardware)
    return fmt::format("formula {} is of GPT-2's shape, and its model has another",
                       text_of(formula));
  if (model.style == "hybrid" && formula == FlopsFormula::kParams)
    return "how many parameters it has is not known";
  if (model.style == "hybrid")
    return fmt::format("formula {} does not know such layers, params does", text_of(formula));
  return model.active_params || model.token_weights
             ? fmt::format("too little is known of its model for formula {}", text_of(formula))
             : "what a token meets of its experts is not known";
}

double model_work(const Shape& m, std::int64_t gbs) {
  const double s = number(m.seq);
  constexpr double kPasses = 3, kEach = 2;  // forward, and twice backward; products and sums
  return kPasses * kEach * number(gbs) * s * (token_weights(m) + s * attention_widths(m));
}

std::vector<WorkCount> work_counts(const Setup& setup) {
  const Shape& m = setup.shape;
  std::vector<WorkCount> counts;
  const bool again = setup.recompute == Recompute::kFull && !setup.recompute_block;
  for (const FlopsFormula formula : kFlopsFormulas)
    if (const auto flops = iteration_flops(formula, model_of(m), setup.gbs(), again))
      counts.push_back({std::string(text_of(formula)), *flops});
  counts.push_back({"products", model_work(m, setup.gbs())});
  return counts;
}

double tflops_per_gpu(double flops, double seconds, std::int64_t gpus) {
  return flops / (seconds * static_cast<double>(gpus)) / kTera;
}

}  // namespace pippin
