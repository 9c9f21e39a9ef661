// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probes/common/setup.h"

namespace pippin::probes::oracle {

enum class Start { kZero, kOne, kNormal, kScaledNormal };

/// One tensor of the model: its place in the flat array of all parameters.
struct Parameter {
  std::string name;  ///< "layer3.qkv.weight"
  std::int64_t rows, columns;
  Start start;
  std::int64_t offset = 0;

  std::int64_t size() const { return rows * columns; }
  bool decays() const { return start == Start::kNormal || start == Start::kScaledNormal; }
};

/// Every tensor of the model, in the order in which they stand.
std::vector<Parameter> parameter_table(const Setup& setup);
std::int64_t parameter_count(const std::vector<Parameter>& table);

/// Fills the flat array; an element depends on the seed, its tensor's name and its place there.
/// Source: GPT-2 and Megatron-LM: normal with SD 0.02, those that feed the residual stream with
/// 0.02/√(2·layers), biases 0, norm gains 1.
template <typename T>
void draw_parameters(const std::vector<Parameter>& table, const Setup& setup, T* values);

/// Where one layer's tensors are, in the parameters (P is const T) or in their gradients (P is T).
/// Llama has no biases: they are null.
template <typename P>
struct BlockTensors {
  P *norm1_gain, *norm1_bias, *qkv_weight, *qkv_bias, *out_weight, *out_bias;
  P *norm2_gain, *norm2_bias, *up_weight, *up_bias, *down_weight, *down_bias;
};

/// Where the tensors outside the layers are. `output` is `tokens` where the two are tied; Llama has
/// no positions and no bias: they are null.
template <typename P>
struct EdgeTensors {
  P *tokens, *positions, *norm_gain, *norm_bias, *output;
};

template <typename P>
BlockTensors<P> block_tensors(const std::vector<Parameter>& table, std::int64_t layer, P* flat);
template <typename P>
EdgeTensors<P> edge_tensors(const std::vector<Parameter>& table, P* flat);

}  // namespace pippin::probes::oracle
