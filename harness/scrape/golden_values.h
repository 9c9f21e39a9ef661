// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "core/records/run.h"

namespace pippin {

/// Whether the beginning of a file may be that of golden values.
bool looks_like_golden_values(std::string_view head);

/// The launch whose figures Megatron-LM keeps to compare with: golden_values_*.json, which has
/// values of TensorBoard at every k-th step. Empty where they have no time.
/// Shape: the file says nothing of the model and layout. Times are those of one iteration, picked,
/// or the mean of an interval: which of the two, run_of_scalars() says.
/// Errors: Error (bad input) of what is no whole JSON, and of steps that are none.
/// Source: github.com/NVIDIA/Megatron-LM, tests/functional_tests/python_test_utils, 2023-2026.
std::vector<LogRun> read_golden_values(std::string_view file);

}  // namespace pippin
