// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/database.h"
#include "harness/commands/steps/model_checks.h"
#include "sweeps/estimate/direct_rates.h"

namespace pippin {

/// Of which cluster readings are to be.
struct ReadingsOf {
  std::string cluster;             ///< empty: of any
  std::optional<Machine> machine;  ///< nothing: products have no share of a peak
  Count gpus_per_node;             ///< nothing: unknown
};

/// What canaries, collected tables and the probes `collective` and `gemm` measured in a selection,
/// of which `checks` are the points; tables that are no campaign's count where no cluster is named,
/// or the selection is of logs. Errors: as Database.
void add_readings(Database& database, const SampleFilter& filter, const ReadingsOf& of,
                  const std::vector<StoredCheck>& checks, MachineReadings& readings);

}  // namespace pippin
