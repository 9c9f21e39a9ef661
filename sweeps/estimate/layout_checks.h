// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/error.h"
#include "sweeps/estimate/setup.h"

namespace pippin {

/// A layout that no trainer starts, such as one whose TP does not divide the heads.
class ImpossibleLayout : public Error {
 public:
  explicit ImpossibleLayout(const std::string& words)
      : Error(ExitCode::kBadInput, "estimate: " + words) {}
};

/// Why no trainer would start such a layout, such as "TP does not divide the heads (33 by 2)", or
/// why nobody knows; empty where one would. Whether layers are even, and micro-batches can be
/// interleaved, is asked apart.
std::string layout_reason(const Setup& setup);

/// Errors: ImpossibleLayout where layout_reason() is of one; else Error (bad input).
void check_layout(const Setup& setup);

/// Shortens the first and the last stage by what counts as a layer there, where there are stages.
/// Why that cannot be; empty where it can. Source: Megatron-Core, transformer_config.py.
std::string count_ends(Setup& setup, bool embedding, bool loss);

/// Why its chunks cannot be interleaved; empty where they can. Source: Megatron-Core,
/// core/pipeline_parallel/schedules.py.
std::string interleaving_reason(const Setup& setup);

/// Why its numbers do not fit integers, the model's or those of ranks and tokens; empty where they
/// do.
std::string uncountable_reason(const Setup& setup);

}  // namespace pippin
