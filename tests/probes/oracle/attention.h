// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probes/device/attention_shape.h"

namespace pippin::probes::oracle {

/// Turns every query and key by its position (`turns` 1) or back (-1).
template <typename T>
void rotate(const AttentionShape& shape, int turns, T* qkv);

/// softmax(q·kᵀ/√d, earlier tokens only)·v, per sequence and head.
template <typename T>
void attention_forward(const AttentionShape& shape, const T* qkv, T* probabilities, T* context);

/// dqkv from dcontext. `scratch` holds seq × seq.
template <typename T>
void attention_backward(const AttentionShape& shape, const T* qkv, const T* probabilities,
                        const T* dcontext, T* dqkv, T* scratch);

}  // namespace pippin::probes::oracle
