// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "harness/scrape/trainers/launch.h"

namespace pippin {

/// Takes what a line says of a model as NeMo prints its settings, one to a line:
/// "Llama31Config8B(tensor_model_parallel_size=1,", "                num_layers=32,". What is known
/// stays.
void read_nemo_setting(std::string_view line, LaunchFacts& facts);

}  // namespace pippin
