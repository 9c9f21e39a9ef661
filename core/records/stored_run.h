// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/records/point.h"
#include "core/records/run.h"

namespace pippin {

/// What is stored of one run beside its lines. Empty: not known.
struct StoredRun {
  std::int64_t id = 0;
  std::string name, point, sweep;
  Count campaign;  ///< its number
  RunState state = RunState::kMissing;
  Count ranks;  ///< the GPUs of its point
  std::string log;
  std::string command, script, environment;          ///< as of Provenance
  std::optional<std::int64_t> started_at, ended_at;  ///< seconds since 1970
};

}  // namespace pippin
