// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/records/point_origin.h"
#include "sweeps/estimate/step_time.h"

namespace pippin {

/// A part of an iteration, as it was predicted and as its trainer timed it. Unit: seconds.
struct Phase {
  std::string name;  ///< "compute", "tensor", "pipeline", …; joined where timers do not part them
  std::string what;  ///< "compute", "network", or "both" where timers do not part them
  double predicted = 0, measured = 0;
};

/// The timers that phases are made of, by their names in logs.
const std::vector<std::string>& phase_timers();

/// What timers say of the parts that were predicted. Of several ranks' the one that computes
/// longest and the one that waits shortest: the path that the prediction follows. Empty where they
/// part no iteration. Source: probes/LOG_FORMAT.md; Megatron-LM, megatron/training.py of 2020 to
/// 2023, megatron/core/pipeline_parallel/schedules.py since.
std::vector<Phase> phases_of(const StepTime& predicted, const std::vector<Timer>& timers);

/// The same of timers alone, without a prediction. TP and CP: what ranks compute may hold traffic
/// between them.
std::vector<Phase> measured_phases(const std::vector<Timer>& timers, bool tensor_parallel,
                                   bool context_parallel);

}  // namespace pippin
