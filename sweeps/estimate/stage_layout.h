// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace pippin {

/// Where a pipeline's layers stand.
struct StageLayout {
  std::vector<std::int64_t> layers;  ///< of chunk x PP + stage, which is the model's order
  std::int64_t mtp_ahead = 0;        ///< by so many stages MTP's stand before the loss
};

/// How many stages a --pipeline-model-parallel-layout has, chunks of the same GPUs each. Nothing
/// where it is no such text.
std::optional<std::int64_t> stages_in(std::string_view text);

/// Reads --pipeline-model-parallel-layout: "Et*3|(tt|)*6mL". Nothing where it is no such text, its
/// stages are no multiple of `pp`, the embedding is not on the first, the loss not on the last, or
/// the `mtp_layers` of MTP not on one between, behind all other layers, in that stage's last chunk.
/// Source: Megatron-LM, pipeline_parallel_layer_layout.py.
std::optional<StageLayout> stage_layout(std::string_view text, std::int64_t pp,
                                        std::int64_t mtp_layers);

}  // namespace pippin
