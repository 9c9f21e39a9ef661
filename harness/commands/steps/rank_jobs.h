// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/commands/steps/found_file.h"
#include "harness/commands/steps/rank_names.h"
#include "harness/commands/steps/read_ahead.h"
#include "harness/scrape/joined_ranks.h"

namespace pippin {

/// A file of a job's rank that was read.
struct RankFile {
  Found found;
  FileRead read;
};

/// Files that may be of one job, until all of them were read.
struct RankJob {
  std::string name;  ///< as RankFiles has it
  RankSign sign = RankSign::kNumber;
  std::size_t files = 0;   ///< that it has
  std::int64_t ranks = 0;  ///< the last one and 1
  bool is_apart = false;   ///< they are logs, each of its own
  std::vector<RankFile> read;
};

/// Whether the first rank's file says that numbers are no ranks: it has the header, of so many
/// GPUs.
bool says_apart(const RankJob& job, const RankFile& file);

/// What the files of a job come to.
struct JoinedRanks {
  Kinship kinship = Kinship::kSeveral;
  bool contradict = false;  ///< the names say that they are of one job, the files that they are not
  std::size_t main = 0;     ///< the place of the file that has the job's runs from now on
};

/// Joins the files of a job, all of which were read, where they are of one.
/// Shape: else they are as they were.
JoinedRanks join_files(RankJob& job);

}  // namespace pippin
