// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "probes/collective/measure.h"
#include "probes/collective/settings.h"
#include "probes/collective/table.h"
#include "probes/comm/nodes.h"
#include "probes/common/error.h"
#include "probes/common/json_log.h"

namespace pippin::probes {

/// What calls are made on, as one rank has it.
struct CollectiveGround {
  Communicator& comm;  ///< its host() is what the measuring itself talks by
  const Nodes& nodes;
  MemorySpace& space;
  std::string library;  ///< that the calls are made by, with its version
  RankDevice device;
};

/// Says who is there, then times every chosen operation and size, out of place and in place, or
/// with --pairs every pair of nodes or of ranks, or with --iterations one operation step by step.
/// All ranks call it. Returns kFailed where data were wrong. Errors: Error (bad input) for pairs of
/// only one; those of run_steps().
ExitCode run_collectives(TwoLogs& logs, const CollectiveSettings& settings,
                         const CollectiveGround& ground);

}  // namespace pippin::probes
