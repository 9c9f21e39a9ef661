// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/records/point.h"
#include "sweeps/estimate/setup.h"

namespace pippin {

/// The shape of a model as sweeps and probes build it: style gpt2 with biases, learned positions
/// and tied embeddings, llama without these, with SwiGLU and RMSNorm. The vocabulary is padded for
/// `tp` where the model does not say it padded. Errors: Error (bad input) where a count is missing,
/// or heads do not divide the hidden size.
Shape shape_of(const Model& model, std::int64_t tp);

/// The shape for the TP that `setup` has; llama trains without dropout. Errors: as shape_of().
void take_model(const Model& model, Setup& setup);

/// The same shape in the words of points.
Model model_of(const Shape& shape);

/// Megatron-Core as it trains on such GPUs where nothing else is said: 16 bits, and attention
/// as usual_attention(). Its model and layout are left open.
Setup usual_setup(Generation generation, std::int64_t gpus_per_node);

/// Fills model, layout and the axes precision, zero, recompute and sequence_parallel of a point
/// into a setup that says the rest. Errors: as shape_of(); also where the layout is not known or
/// does not divide, or a value of such an axis is unknown.
Setup point_setup(const Point& point, Setup setup);

/// The framework that a person calls so, such as "megatron-core".
std::optional<Framework> find_framework(std::string_view name);

/// A point as a person types it, who may say the code that trains, too, in the axes framework
/// (megatron-core), attention, chunks and offload. Errors: as point_setup(); also where the code
/// has no such stage of ZeRO.
Setup typed_setup(const Point& point, Generation generation, std::int64_t gpus_per_node);
/// The axes that it knows.
std::vector<std::string> typed_axes();

/// A point of the probe `training`. Errors: as point_setup().
Setup probe_setup(const Point& point, std::int64_t gpus_per_node);

}  // namespace pippin
