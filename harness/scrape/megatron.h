// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "harness/scrape/format.h"

namespace pippin {

/// Logs of Megatron-LM (2019 to today), of Microsoft's, BigScience's and Argonne's
/// Megatron-DeepSpeed, and of our own probes, which print the same grammar.
///
/// A launch begins at its arguments dump, or, where the dumps are missing, where the iteration
/// numbers go back. The same line from several ranks is one iteration.
/// Shape: Iteration::flags are complete; an iteration line that is still being written is left
/// for the next time.
std::vector<std::string_view> megatron_texts();
std::unique_ptr<FormatReader> megatron_reader(bool document);

}  // namespace pippin
