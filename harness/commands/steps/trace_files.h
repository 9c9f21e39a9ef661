// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/records/rank_trace.h"

namespace pippin {

/// A file that a rank has traced into.
struct TraceFile {
  fs::path path;
  TracedRank rank;
  std::optional<std::int64_t>
      begin_ns;  ///< by the first rank's clock; nothing where it did nothing
};

struct TraceFiles {
  std::vector<TraceFile> files;      ///< by rank
  std::vector<std::string> remarks;  ///< on what is not there, or is left out
};

/// What ranks have traced into a folder, on the disk or packed. `ranks`: how many there were, where
/// that is known.
TraceFiles trace_files_in(const fs::path& folder, const Count& ranks);

/// Gives the records of such a file one by one, in constant memory, with the lines that they are
/// on, from 1, as long as `take` returns true.
/// Errors: Error (bad input) where it cannot be read.
void each_trace_record(
    const fs::path& path,
    const std::function<bool(const TraceRecord& record, std::int64_t line)>& take);

}  // namespace pippin
