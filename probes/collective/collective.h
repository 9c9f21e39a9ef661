#pragma once

#include "probes/collective/measure.h"
#include "probes/collective/settings.h"
#include "probes/comm/nodes.h"
#include "probes/common/error.h"
#include "probes/common/json_log.h"

namespace pippin::probes {

/// Prints who is there: the probe's line, the parameters, every rank's line. All ranks call it.
void print_ranks(TwoLogs& logs, const CollectiveSettings& settings, Communicator& control,
                 const Nodes& nodes);

/// Times every chosen operation and size, out of place and in place.
/// Returns kFailed where data were wrong.
ExitCode run_operations(TwoLogs& logs, const CollectiveSettings& settings, const Ranks& ranks,
                        Memory& memory);

/// Times every pair of nodes, or of ranks.
/// Errors: Error (bad input) where there is only one.
void run_pairs(TwoLogs& logs, const CollectiveSettings& settings, Communicator& comm,
               const Nodes& nodes, Memory& memory);

}  // namespace pippin::probes
