// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "harness/scrape/checkpoints_seen.h"

namespace pippin {

/// What a line of Megatron-LM, or of what is built on it, says of checkpoints: that one begins to
/// be saved or loaded, that this is done, or what timers say of it.
/// Source: NVIDIA/Megatron-LM, megatron/checkpointing.py and training.py, 2020-2026.
std::vector<CheckpointWord> megatron_checkpoints_in(std::string_view line);

}  // namespace pippin
