// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/files.h"
#include "core/base/regex.h"

namespace pippin {

/// How sure a name is that files are those of a job's ranks. The surest last.
enum class RankSign {
  kNumber,  ///< "log.3": numbered from 0; or a repeat
  kRank,    ///< "rank3.log"
  kFolder,  ///< "attempt_0/3/stdout.log" of torchrun, "1/rank.3/stdout" of mpirun
  kSaid,    ///< by a person
};

/// Where a path says that a file stands among those of a job.
struct RankName {
  std::string job;  ///< the path with "{rank}" in place of it: the same for all files of a job
  std::int64_t rank = 0;  ///< of a name that is no number: 0
  RankSign sign = RankSign::kNumber;
};

/// "logs/{job}/out.{node}.{rank}": which files are of one job. {rank} is a number, {node} a word;
/// other fields, and *, are words which files of one job have in common. A word has no '/'.
class RankPattern {
 public:
  /// Errors: Error (bad input) where it has neither {rank} nor {node}.
  explicit RankPattern(const std::string& text);

  /// Where it fits the end of a path from a folder's name on.
  std::optional<RankName> match(const std::string& path) const;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  Regex regex_;
};

/// Files that may be of one job, by their places in a list.
struct RankFiles {
  std::string job;
  RankSign sign = RankSign::kNumber;
  struct File {
    std::int64_t rank = 0;
    std::size_t place = 0;
  };
  std::vector<File> files;  ///< by rank
};

/// How the files of a job's ranks are named: by patterns of a person, else as is usual.
class RankNames {
 public:
  RankNames() = default;
  /// Of each a RankPattern; "none": no files are of one job. Errors: those of RankPattern.
  explicit RankNames(const std::vector<std::string>& patterns);

  bool are_said() const { return !patterns_.empty(); }

  /// The files that may be of one job, each in one group. Numbers must be 0, 1, …; or 0 and one
  /// more, where only the first and the last rank's files were kept. Slurm's own names of an
  /// array's tasks ("slurm-7_0.out") are none.
  std::vector<RankFiles> find(const std::vector<fs::path>& paths);
  /// Errors: Error (bad input) where a pattern has fitted no file that find() was given.
  void refuse_unfit() const;

 private:
  /// By a pattern, or the folders of a launcher.
  std::optional<RankName> sure_name_of(const std::string& path);

  std::vector<RankPattern> patterns_;
  std::set<std::string> fitted_;  ///< of the patterns
  bool none_ = false;
};

}  // namespace pippin
