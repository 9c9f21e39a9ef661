// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace pippin {

/// Whether the values of a JSON text are nested no deeper than any that pippin has a use for: who
/// reads, copies or prints deeper ones may run out of stack.
bool nests_little(std::string_view json);

}  // namespace pippin
