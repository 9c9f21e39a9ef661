// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "db/database.h"
#include "harness/commands/steps/notify.h"
#include "harness/commands/steps/output.h"
#include "harness/commands/steps/record.h"
#include "harness/commands/steps/run_batch.h"
#include "harness/commands/steps/session.h"
#include "reports/progress.h"

namespace pippin {

/// Writes to the database what a session's runs have left since the last look.
class Follower {
 public:
  Follower(Database& database, Session& session)
      : session_(session),
        recorder_(session.folder(), session.campaign()),
        batch_(database, recorder_) {}

  void record();

  /// Reads the logs of what has ended before, for who is to run failures again.
  /// Errors: as fail_for_troubles().
  void find_failures();

  /// Runs that are over and gave no sound measurement.
  std::int64_t not_ok() const { return not_ok_; }
  /// Of those, the ones that left no exit code.
  const std::vector<const PlannedRun*>& lost() const { return lost_; }
  /// Errors: throws Error (machine) where a run could not be recorded.
  void fail_for_troubles() const;

 private:
  void record(const PlannedJob& job, const PlannedRun& run);
  void forget_what_goes_on();

  Session& session_;
  Recorder recorder_;
  RunBatch batch_;
  std::map<std::string, bool> recorded_;  ///< whether it needs no other record
  std::int64_t not_ok_ = 0;
  std::vector<const PlannedRun*> lost_;
};

/// How far the runs are; `earlier` of them were over before.
Progress progress_of(const RunCounts& counts, std::size_t earlier, double elapsed_s);

/// Steps the session's machine until the campaign is finished or the user interrupts. Files tell
/// most: they are looked at often, the scheduler is asked every `poll_s` seconds at first and six
/// times as long later (the local one as often as files).
RunCounts follow(const Globals& globals, Session& session, Follower& follower, Notifier& notifier,
                 double poll_s);

/// While it lives, the first SIGINT or SIGTERM asks to stop; another one kills, as it always may.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
  static bool interrupted();
  /// Returns early at a signal.
  static void pause(double seconds);
};

/// Times between two questions: they grow from `shortest` to `longest` while nothing changes.
class PollPace {
 public:
  PollPace(double shortest_s, double longest_s)
      : shortest_(shortest_s), longest_(longest_s), now_(shortest_s) {}

  double seconds() const { return now_; }
  void changed() { now_ = shortest_; }
  void unchanged() { now_ = std::min(now_ * kGrowth, longest_); }

 private:
  static constexpr double kGrowth = 1.5;
  double shortest_, longest_, now_;
};

}  // namespace pippin
