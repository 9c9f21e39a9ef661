// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace pippin {

/// The words of a command up to where bash does something else with them. What a variable holds is
/// a path or the like: where it holds the model, an estimate misses that.
std::vector<std::string> command_words(const std::string& command);

}  // namespace pippin
