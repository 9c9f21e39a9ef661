// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace pippin {

/// Where a pipeline's layers stand, of --pipeline-model-parallel-layout: "Et*3|(tt|)*6mL". Of each
/// chunk of each stage how many there are, in the model's order: chunk x PP + stage.
/// Nothing where it is no such text, its stages are no multiple of `pp`, the embedding is not on
/// the first, or the loss and `mtp_layers` of MTP on the last. Source: Megatron-LM,
/// pipeline_parallel_layer_layout.py.
std::optional<std::vector<std::int64_t>> layers_of_layout(std::string_view text, std::int64_t pp,
                                                          std::int64_t mtp_layers);

}  // namespace pippin
