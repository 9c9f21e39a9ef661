// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sweeps/estimate/setup.h"

namespace pippin {

/// How many parameters a rank holds of something, by what becomes of their gradients.
struct Parameters {
  std::int64_t split = 0;       ///< matrices, and biases that TP splits with them
  std::int64_t replicated = 0;  ///< each TP rank has all: norms, biases behind a sum, positions
  std::int64_t experts = 0;     ///< of a mixture's MLPs: expert parallelism spreads them
  std::int64_t products = 0;    ///< of all these, in layers' products, but for the router's
  std::int64_t all() const { return split + replicated + experts; }
};

Parameters operator+(const Parameters& a, const Parameters& b);
Parameters operator*(std::int64_t times, const Parameters& one);

/// Of one layer with experts or without, of what stands before the first one, and, where it has
/// weights of its own on the last stage, of the output layer.
Parameters layer_parameters(const Setup& setup, bool has_experts);
Parameters embedding_parameters(const Setup& setup);
Parameters head_parameters(const Setup& setup);
/// Of MTP's layers, and the embedding that they need where they are apart from the first stage.
Parameters mtp_parameters(const Setup& setup);

/// Of a rank of that stage, the copy of a tied embedding on the last one included.
Parameters stage_parameters(const Setup& setup, std::int64_t stage);

/// Whether the numbers of such a model fit integers.
bool is_countable(const Shape& shape);

/// Of the whole model, a tied embedding once. Requires a shape that is countable, as all below.
std::int64_t model_parameters(const Shape& shape);
/// Those of them that a token meets.
std::int64_t active_parameters(Shape shape);
/// Weights of all matrices that a token is multiplied with, but the router's.
double token_weights(const Shape& shape);
/// Of queries and of values, of all heads and layers.
double attention_widths(const Shape& shape);

}  // namespace pippin
