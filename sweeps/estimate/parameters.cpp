// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/parameters.h"

#include <algorithm>
#include <optional>

#include "core/base/whole_number.h"

namespace pippin {

namespace {

/// What a layer is made of, as floating point: the caller checks that the sum fits an integer.
struct Shape {
  double layers, hidden, key_value_width, ffn, seq, vocab;
  bool tied;
};

double gpt2_parameters(const Shape& m) {
  const double attention = (2 * m.hidden + 2 * m.key_value_width) * (m.hidden + 1);
  const double mlp = 2 * m.hidden * m.ffn + m.ffn + m.hidden;
  const double norms = 4 * m.hidden;
  const double embeddings = (m.tied ? 1 : 2) * m.vocab + m.seq;
  return m.layers * (attention + mlp + norms) + embeddings * m.hidden + 2 * m.hidden;
}

double llama_parameters(const Shape& m) {
  const double attention = (2 * m.hidden + 2 * m.key_value_width) * m.hidden;
  const double mlp = 3 * m.hidden * m.ffn;
  const double norms = 2 * m.hidden;
  const double embeddings = (m.tied ? 1 : 2) * m.vocab;
  return m.layers * (attention + mlp + norms) + embeddings * m.hidden + m.hidden;
}

/// Width of the keys: hidden, or less where several heads share one (grouped queries).
std::optional<double> key_value_width(const Model& model) {
  if (!model.kv_heads || model.kv_heads == model.heads) return static_cast<double>(*model.hidden);
  if (!model.heads || *model.heads == 0 || *model.hidden % *model.heads != 0) return std::nullopt;
  const std::int64_t head_width = *model.hidden / *model.heads;
  return static_cast<double>(head_width * *model.kv_heads);
}

}  // namespace

std::int64_t padded_vocab(std::int64_t vocab, std::int64_t tp, std::int64_t divisor) {
  const std::int64_t multiple = divisor * tp;
  return (vocab + multiple - 1) / multiple * multiple;
}

std::int64_t usual_ffn(bool gated, std::int64_t hidden) {
  constexpr std::int64_t kMultiple = 64;
  if (!gated) return 4 * hidden;
  return std::max(8 * hidden / 3 / kMultiple * kMultiple, kMultiple);
}

Count parameter_count(const Model& model) {
  const bool llama = model.style == "llama";
  const Count& vocab = model.padded_vocab ? model.padded_vocab : model.vocab;
  if (model.token_weights) return std::nullopt;  // the shape does not say all
  const bool enough = model.layers && model.hidden && vocab && (llama ? model.ffn : model.seq);
  if (!enough || !(llama || model.style == "gpt2" || model.style.empty())) return std::nullopt;
  const auto width = key_value_width(model);
  if (!width) return std::nullopt;
  const auto number = [](const Count& count) { return static_cast<double>(count.value_or(0)); };
  const double ffn = model.ffn ? number(model.ffn) : 4 * number(model.hidden);
  const Shape shape{
      number(model.layers), number(model.hidden),       *width, ffn, number(model.seq),
      number(vocab),        model.tied.value_or(!llama)};
  const double count = llama ? llama_parameters(shape) : gpt2_parameters(shape);
  return whole_number(std::trunc(count));
}

void fill_in_params(Model& model) {
  if (!model.params) model.params = parameter_count(model);
}

}  // namespace pippin
