// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace pippin {

/// Whether the values of a JSON text are nested no deeper than any that pippin has a use for, and
/// are no more: who reads, copies or prints deeper ones may run out of stack, and each takes nearly
/// a hundred bytes of memory, however short it is.
bool is_moderate_json(std::string_view json, std::size_t most_values = 1'000'000,
                      std::size_t deepest = 100);

}  // namespace pippin
