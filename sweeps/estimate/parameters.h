// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/records/point.h"

namespace pippin {

/// The vocabulary as Megatron's embedding has it: the next multiple of `divisor` TP.
/// Requires vocab > 0, tp > 0. Source: Megatron-LM, megatron/tokenizer, _vocab_size_with_padding,
/// with its default --make-vocab-size-divisible-by 128.
std::int64_t padded_vocab(std::int64_t vocab, std::int64_t tp, std::int64_t divisor = 128);

/// The width of an MLP that says none: 4 hidden, or with SwiGLU 8/3 of it down to a multiple of 64,
/// and at least 64. Source: Megatron-LM, megatron/training/arguments.py.
std::int64_t usual_ffn(bool gated, std::int64_t hidden);

/// Parameters of the whole model; nothing where the shape is not known well enough or does not say
/// them, or the number does not fit. The vocabulary is the padded one where it is known.
/// Style gpt2 (also where none is named): learned positions, biases, two matrices of an MLP of
/// width ffn (4 hidden where unknown), tied embeddings: N = l(12h^2 + 13h) + Vh + sh + 2h.
/// Style llama: rotary positions, no biases, RMSNorm, three matrices of a SwiGLU MLP of width ffn,
/// an output layer of its own.
/// Source: Megatron-LM's and LLaMA's model code; the formula as in the BigScience GPT-2 notes.
Count parameter_count(const Model& model);

/// Sets the parameters of a model that names none, as far as its shape is known.
void fill_in_params(Model& model);

}  // namespace pippin
