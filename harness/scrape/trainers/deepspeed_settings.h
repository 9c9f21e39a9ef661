// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "harness/scrape/trainers/launch.h"

namespace pippin {

/// Reads a line of what DeepSpeed prints of its configuration, in whatever trainer's log:
///
///     [2021-05-25 06:38:26,359] [INFO] [config.py:752:print]   train_batch_size ............. 64
///         "train_micro_batch_size_per_gpu": 4,
///     Using topology: {ProcessCoord(pipe=0, data=0, model=0): 0, …
///     [2024-05-25 06:38:26,359] [INFO] [launch.py:164:main] dist_world_size=16
void read_deepspeed_settings(std::string_view line, LaunchFacts& facts);

}  // namespace pippin
