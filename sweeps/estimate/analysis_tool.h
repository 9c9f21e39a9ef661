// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sweeps/estimate/setup.h"

namespace pippin {

/// A figure that the analysis tool prints: its name, and the text as printed there.
using PrintedFigures = std::vector<std::pair<std::string, std::string>>;

/// The figures of the analysis tool for Megatron-LM, as it prints them, its mistakes included.
/// GB and MB are 1024^3 and 1024^2 bytes there.
/// Requires what that tool knows: SwiGLU, flash attention, the distributed optimizer,
/// learned positions, as many key heads as heads, one chunk, no context or expert parallelism.
/// Source: Megatron-LM pull request 482, tools/get_training_info/README.md.
PrintedFigures analysis_tool_figures(const Setup& setup);

/// Why the tool says nothing of such a setup; empty where it does.
std::string unknown_to_analysis_tool(const Setup& setup);

}  // namespace pippin
