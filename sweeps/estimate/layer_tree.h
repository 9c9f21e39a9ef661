// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sweeps/estimate/setup.h"

namespace pippin {

/// A part of a model as one GPU of a stage has it. Activations are those of one micro-batch. Unit:
/// bytes, but for parameters.
struct ModelPart {
  std::string name;   ///< "layer.attention.qkv"
  std::string shape;  ///< of its weight, "6144 x 4096"; empty where it has none
  std::int64_t parameters = 0;
  double activations = 0;
  /// In the papers' letters: of the parameters without biases, and of the activations' bytes.
  std::string formula, activation_formula;
  std::int64_t times = 1;  ///< how often the stage has it
};

/// The embedding on the first stage, the parts of one layer, the head on the last stage. The parts
/// of a stage sum up to stage_parameters() and a layer's to layer_activations().
std::vector<ModelPart> parts_of_stage(const Setup& setup, std::int64_t stage);

}  // namespace pippin
