// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sweeps/estimate/setup.h"

namespace pippin {

/// What one layer keeps of one micro-batch for its backward pass, on one GPU. Unit: bytes.
struct LayerActivations {
  double norm1 = 0;  ///< the norm's input, and its output: the input of the next product
  double qkv = 0;    ///< queries, keys and values
  double qk_norms = 0;
  double latents = 0;   ///< what queries, keys and values are made of, and their norms' outputs
  double context = 0;   ///< what attention gives the output's product
  double copy = 0;      ///< of it in the flash-attn library's order
  double log_sums = 0;  ///< of each query's scores, where these are not kept
  double scores = 0;    ///< as softmax leaves them, and what else is kept of them
  double dropout = 0;   ///< the masks behind both branches
  double norm2 = 0;
  double mlp = 0;     ///< before and behind the activation, of experts too
  double routed = 0;  ///< tokens in the order of their experts
  double shared = 0;  ///< of the MLP that all tokens meet beside their experts

  double all() const {
    return norm1 + qkv + qk_norms + latents + context + copy + log_sums + scores + dropout + norm2 +
           mlp + routed + shared;
  }
};

/// Of the experts that all tokens meet: the MLP's, its input where that is kept as it was gathered
/// or in 8 bits, and what a gate weighs.
struct SharedActivations {
  double mlp = 0, gathered = 0, gated = 0;
};
SharedActivations shared_activations(const Setup& setup);

/// Source: Korthikanti et al., 2022, tensor by tensor as Megatron-Core and Transformer Engine keep
/// them.
LayerActivations layer_activations(const Setup& setup, bool has_experts);

/// What each layer of MTP keeps of the stream beside what layers keep.
double mtp_stream_bytes(const Setup& setup);

/// Tokens of a micro-batch on one GPU, as attention and the MLP see them.
double tokens_of(const Setup& setup);

/// The part of tokens that norms and residuals see: 1 / TP under sequence parallelism.
double sequence_share(const Setup& setup);

}  // namespace pippin
