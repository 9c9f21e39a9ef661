// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace pippin {

/// Whether Megatron-LM, of any year, has an argument of that name, as a dump has it; or torchrun,
/// or Megatron-DeepSpeed one that changes neither model nor memory.
bool is_megatron_argument(std::string_view name);

}  // namespace pippin
