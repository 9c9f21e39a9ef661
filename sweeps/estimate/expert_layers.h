// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace pippin {

/// For each layer whether it has experts, of --moe-layer-freq as it is typed or dumped: "2",
/// "[0, 1, 1]", "([0]*3+[1]*58)"; all where it is empty. Nothing where it is no such words, or
/// speaks of another number of layers. Source: Megatron-LM, moe_freq_type.
std::optional<std::vector<bool>> layers_with_experts(std::string_view frequency,
                                                     std::int64_t layers);

/// Layers with experts, where they come in equal steps: `first`, and each `every`-th behind it.
struct ExpertSteps {
  std::int64_t first = 0, every = 1;
};

/// Nothing where they follow no such rule, or there are none.
std::optional<ExpertSteps> steps_of(const std::vector<bool>& with_experts);

}  // namespace pippin
