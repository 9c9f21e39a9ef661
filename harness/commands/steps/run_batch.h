// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.h"
#include "harness/commands/steps/record.h"

namespace pippin {

/// Stores what the runs of a campaign have left many at a time, as each step waits for the disk. A
/// run that cannot be read or stored keeps no other from it.
/// Errors: Error (machine) where the database cannot be written; what was stored before stays.
class RunBatch {
 public:
  RunBatch(Database& database, Recorder& recorder) : database_(database), recorder_(recorder) {}

  /// What add() has read of a run.
  struct Taken {
    bool in_trouble = false;          ///< it cannot be read: troubles() says why
    std::optional<RunState> state;    ///< nothing where it is not over yet
    bool can_be_known_again = false;  ///< by its files, without reading them
  };

  /// Reads a run, and stores it with those that follow.
  Taken add(const PlannedJob& job, const PlannedRun& run, const RunFate& fate);
  /// Stores what add() has read, and which other files were read.
  void store(const std::vector<ReadFile>& others = {});

  /// What was new.
  const Added& added() const { return added_; }
  /// "RUN: why it could not be recorded", in the order of the runs.
  const std::vector<std::string>& troubles() const { return troubles_; }

 private:
  void put(std::span<const RunRecord> runs, const std::vector<ReadFile>& others);
  void store_one_by_one();
  void note_trouble(const std::string& run, std::string_view why);

  static constexpr std::size_t kMostRuns = 500, kMostLines = 100'000;

  Database& database_;
  Recorder& recorder_;
  std::vector<RunRecord> runs_;
  std::size_t lines_ = 0;
  Added added_;
  std::vector<std::string> troubles_;
};

/// Errors: throws the Error (machine) that names the first of the runs in trouble, where there are
/// any.
void fail_for_troubles(const std::vector<std::string>& troubles);

}  // namespace pippin
