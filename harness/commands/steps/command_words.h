// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/records/value.h"

namespace pippin {

/// The words of the one program of a command that has Megatron's arguments; "?" is what only bash
/// knows, where it is a path or the like. Errors: Error (bad input) where there is none, or more
/// than one, and where what bash knows may be an argument that counts.
std::vector<std::string> megatron_words(const std::string& command, const Environment& env = {});

}  // namespace pippin
