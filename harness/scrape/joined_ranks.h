// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/records/run.h"
#include "harness/scrape/scrape.h"

namespace pippin {

/// What a rank of a job, or the ranks of one of its nodes, printed into a file of its own.
struct RankLog {
  std::int64_t rank = 0;
  std::vector<LogRun> runs;  ///< its launches
};

/// Whether files that are numbered like ranks say by what they hold that they are of one job.
enum class Kinship {
  kOneJob,   ///< one has the header, and others the lines; or all have the same steps, whose times
             ///< agree as those of other jobs would not
  kSeveral,  ///< they are as repeats are, or say different things
  kTooFew,   ///< they agree, in too few steps for that to be a sign
};
/// Requires `logs` in the order of their ranks, those of silent ranks too.
Kinship kinship_of(const std::vector<RankLog>& logs);

/// Whether two of them say that different things ran, so that they cannot be of one job.
bool contradict(const std::vector<RankLog>& logs);

/// The launches of a job out of its ranks' files. The header is that of the file which says most;
/// of each step the slowest counts, as all wait for it, with the number of ranks and the fastest
/// beside it; what only some say is kept; and a launch ends as the ranks' last words say together.
/// Shape: empty where no file has a launch.
std::vector<LogRun> join_ranks(std::vector<RankLog> logs);

/// How a rank ended that printed no step of its own: a launch without a format, with its end, the
/// evidence, and the nodes that it names.
LogRun silent_launch(const ReadParts& read);

}  // namespace pippin
