// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/records/point.h"
#include "sweeps/estimate/megatron_setup.h"

namespace pippin {

/// A trainer's arguments as a setup, or why there is none.
struct ArgumentsSetup {
  std::optional<Setup> setup;
  std::string why_not;        ///< in words, where there is none
  std::string why_no_memory;  ///< where only its time is known
  std::string why_no_time;    ///< where only its memory is
};

/// `dump` is of Megatron-LM, one of its descendants or our `training`, and says every argument by
/// its name; what an excerpt leaves out `point` says, and `recompute` as runs have it. Without any
/// dump `point` of our `training` says enough. Source: Megatron-LM, megatron/training/arguments.py,
/// by its years; Megatron-DeepSpeed's; probes/LOG_FORMAT.md.
ArgumentsSetup setup_of_dump(const NamedValues& dump, const Point& point,
                             const std::string& recompute, const Count& gpus_per_node,
                             Generation generation);

/// The same of the arguments of a launch, as arguments_of_words() has them, which leave out what is
/// usual today.
ArgumentsSetup setup_of_command(const NamedValues& arguments, const Point& point,
                                const Count& gpus_per_node, Generation generation);

}  // namespace pippin
