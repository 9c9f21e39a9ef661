// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/commands/commands.h"

namespace pippin {

/// `plan --max-model`: of each point's layout the largest model that fits the cluster's GPUs.
ExitCode plan_max_model(const Globals& globals, const PlanOptions& options);

}  // namespace pippin
