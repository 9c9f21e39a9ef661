// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/flops.h"

#include <array>
#include <stdexcept>
#include <utility>

#include "core/base/units.h"
#include "sweeps/estimate/parameters.h"
#include "sweeps/estimate/point_setup.h"

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

/// Megatron-LM, num_floating_point_operations, dense models:
/// 12 B s l h^2 [(1 + g/a + s/2h) q + (f/h) c + V/2lh], c = 3/2 for SwiGLU; q = 1 as heads of
/// width h/a make up h.
double megatron(const Letters& m, const Model& model) {
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

std::optional<double> by_parameters(FlopsFormula formula, const Model& model, double gbs,
                                    bool full_recompute) {
  const Count params = model.params ? model.params : parameter_count(model);
  if (!params || !model.seq) return std::nullopt;
  const double n = static_cast<double>(*params), s = static_cast<double>(*model.seq);
  if (formula == FlopsFormula::kParams) return 2 * (full_recompute ? 4 : 3) * n * s * gbs;
  if (!model.layers || !model.hidden) return std::nullopt;
  const double l = static_cast<double>(*model.layers), h = static_cast<double>(*model.hidden);
  return gbs * s * (6 * n + 12 * l * h * s);
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
  if (model.style == "moe") return std::nullopt;  // a token meets some of its parameters
  const auto batch = static_cast<double>(gbs);
  if (formula == FlopsFormula::kParams || formula == FlopsFormula::kPalm) {
    return by_parameters(formula, model, batch, full_recompute);
  }
  const Count& vocab = model.padded_vocab ? model.padded_vocab : model.vocab;
  if (!model.layers || !model.hidden || !model.seq || !vocab) return std::nullopt;
  const auto number = [](const Count& count) { return static_cast<double>(*count); };
  const Letters letters{number(model.layers), number(model.hidden), number(model.seq),
                        number(vocab), batch};
  if (formula == FlopsFormula::kMegatron) return megatron(letters, model);
  return formula == FlopsFormula::kHardware ? narayanan(letters, 96, 16)
                                            : narayanan(letters, 72, 12);
}

double model_work(const Shape& m, std::int64_t gbs) {
  const double h = number(m.hidden), queries = number(m.heads * m.head_width);
  const double keys = number(m.kv_heads * m.head_width), s = number(m.seq);
  const double ffn = number(m.experts > 0 ? m.experts_per_token * m.expert_ffn : m.ffn);
  const double matrices = h * (2 * queries + 2 * keys + (m.gated() ? 3 : 2) * ffn);
  const double layer = matrices + 2 * s * queries;
  constexpr double kPasses = 3, kEach = 2;  // forward, and twice backward; products and sums
  return kPasses * kEach * number(gbs) * s * (number(m.layers) * layer + h * number(m.vocab));
}

std::vector<WorkCount> work_counts(const Setup& setup) {
  const Shape& m = setup.shape;
  std::vector<WorkCount> counts;
  // The formulas take heads to make up the hidden size.
  if (m.heads * m.head_width == m.hidden) {
    const bool again = setup.recompute == Recompute::kFull && !setup.recompute_block;
    for (const FlopsFormula formula : kFlopsFormulas)
      if (const auto flops = iteration_flops(formula, model_of(m), setup.gbs(), again))
        counts.push_back({std::string(text_of(formula)), *flops});
  }
  counts.push_back({"products", model_work(m, setup.gbs())});
  return counts;
}

double tflops_per_gpu(double flops, double seconds, std::int64_t gpus) {
  return flops / (seconds * static_cast<double>(gpus)) / kTera;
}

}  // namespace pippin
