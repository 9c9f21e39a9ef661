// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/files.h"
#include "core/jobs/job_record.h"
#include "core/jobs/scheduler.h"
#include "core/records/campaign.h"

/// The files by which pippin and its jobs know what happened, all below one folder per sweep:
///
///   campaign-1.json         the design of a campaign, frozen when it began
///   .campaign-1.plan        of a large one its jobs and runs alone, for one campaign-1.json
///   jobs/NAME-s2/           the sweep's second submission: one job, or an array of them
///     job.sh                what the scheduler runs
///     tasks-2.sh            of more than one run: what its tasks run, from the 129th on
///     journal               token, owner, time and tasks, written before anything is handed over
///     handed                the scheduler's id, once it is known
///     refused               the scheduler's words: it surely has not got it, and will not
///     cancelled             written before a person's cancel is passed on
///     ended                 the scheduler's last words on tasks that left runs open
///     missed                … that are neither there nor known to have ended: from when
///                           to when, and by whose clock
///     ending                … that it said had ended, and whose files may be seen late: since when
///                           pippin knows, seconds since 1970
///     job.log               what the script itself printed; of an array only until it has a claim
///     claim-ID              the record of a job of several runs
///     start-ID              of PBS, what tells one start of a job from its others
///     id-TASK               of PBS, the one id that may run as this task
///   RUN/2-ID/               one attempt at a run, by the second submission
///   RUN/2-ID/run            its record; of a job of one run also the job's
///   RUN/2-ID/log            what the trainer printed
///   RUN/2-ID/canary-before  "canary=3 taken=1700000000", the job's third reading and when it was
///                           begun, what the canary printed, and "exit=1" where it failed
///   RUN/2-ID/canary-after   the same; one file with the next run's `canary-before` where one
///                           reading serves both
///   canary-sizes-…          what the sweep's first canary of so many ranks and nodes measured with
///   alike                   the last failures of one kind, one after the other, in lines of run,
///                           host, kind and evidence with tabs between; gone when a run ends well
///                           or in another way
///   nodes/NODE              how runs ended on it that had it to themselves: node_files.h
///   nodes-lost/NODE         … by what the scheduler said, in pippin's hand
///   bad-nodes/NODE          by rename when it is bad, or allowed again: by whom, and why
///   cancelled               when and by whom `cancel` was called last
///   scheduler               which cluster jobs were handed over to
///   held-back               why pippin has not handed over all that is due; empty: it has
///   given-up                by rename when they are too many: "until=12 after=5", the submission
///                           up to which nothing more is launched and how many they are, and they
///   given-up-handed         "until=12 newest=15": what was handed over by the time that was seen
///   outcomes/HOST-BOOT      lines of "RUN<tab>ok" and "RUN<tab>failed" of what is over, by the
///                           jobs that one kernel runs: the records in short, read fast
///   refuted/000001          lines of "RUN/2-ID<tab>words": an attempt that left exit code 0 and
///                           whose log, once pippin has read it, tells of a failure; with no words
///                           it does so no more; the last line on an attempt counts
///
///   packed/                 archives of the folders RUN/ and jobs/NAME-s2/ that no job looks into
///                           any more; they are read as if they still lay here (packed_files.h)
///
/// ID is the scheduler's job id and restart count, "local-0" on this machine, "12_3-0" of the third
/// task of a Slurm array, "12.3-0" of a PBS array's task "12[3].server". A job never writes
/// anywhere else, and pippin never writes into claims, attempts and outcomes/.
///
/// A record belongs to who makes the file. It grows by lines, among what the job of an array
/// prints:
///
///   pippin: claim host=n1 pid=4711 task=3 view=BOOT/12
///       of a job, with its Mount::view
///   pippin: at NAME=VALUE
///       where and with what it runs
///   pippin: fault=WORDS
///       why its prolog ended it
///   pippin: failing=RUN
///       failed since the last that succeeded; "failing=": none has
///   pippin: started=1700000000
///       of a run: it is launched next, seconds since 1970
///   pippin: command
///       the lines up to "pippin: end of command" are its function
///   pippin: stopping=stalled after=300<tab>LINE
///       the job stops it, with the last line of its log
///   pippin: signal=TERM time_up=1 started=1700000000
///       it was ended from outside
///   pippin: suspended=1 started=1700000000
///       its scheduler held all of its job still for a time
///   pippin: exit=0 ended=1700000100 started=1700000000
///       it is over; of one that was stopped with exit=124 and "stopped=run_time after=600" behind
///
/// What an older pippin has left is read as well: `started`, `done` ("exit=0 ended=1700000000"),
/// `interrupted`, `stopped` and `command` in an attempt's folder; claim-ID/ with `owner`,
/// `provenance` and `fault`; empty files succeeded/RUN and failed/RUN; lines in refuted/RUN.
namespace pippin {

/// One attempt at a run, as its folder tells.
struct Attempt : AttemptEnd {
  std::string name;             ///< "2-local-0"
  std::int64_t submission = 0;  ///< that made it: 2
  fs::path directory;
  std::optional<std::int64_t> started;  ///< seconds since 1970
  std::string refuted = {};  ///< what its log says against its exit code 0; empty: nothing
  std::optional<JobRecord> record = {};  ///< its file `run`; nothing: an older pippin's job made it
  bool done() const { return exit_code.has_value(); }
  bool succeeded() const { return exit_code == 0 && refuted.empty(); }
  fs::path log() const { return directory / "log"; }
  fs::path canary_before() const { return directory / "canary-before"; }
  fs::path canary_after() const { return directory / "canary-after"; }
  /// "local-0": the job that made it.
  std::string job_id() const { return name.substr(name.find('-') + 1); }
};

/// Exit code of a probe of which another rank was lost. Source: probes/LOG_FORMAT.md.
inline constexpr int kLostRankExit = 15;

/// What one task was to run.
struct SubmittedTask {
  std::string job;  ///< name of the planned one
  std::vector<std::string> runs;
};

/// How a task ended.
struct TaskEnd {
  End end = End::kUnknown;
  std::string evidence;
};

/// Tasks that were neither there nor known to have ended, whenever a machine looked.
struct Missed {
  struct Times {
    std::int64_t first = 0, last = 0;  ///< seconds since 1970, by that machine's clock
    friend bool operator==(const Times&, const Times&) = default;
  };
  std::string host;  ///< the machine that looked
  std::map<std::int64_t, Times> tasks;
  friend bool operator==(const Missed&, const Missed&) = default;
};

/// One submission.
struct Submission {
  std::int64_t number = 1;
  std::string name;               ///< of its folder: "gpt-52b-n4-s1"
  std::string token;              ///< names it to the scheduler
  std::string owner;              ///< user who handed it over
  std::string sender;             ///< "host 4711": the process that may be at it
  std::int64_t journaled_at = 0;  ///< seconds since 1970: when it was handed over last
  std::int64_t tried_until = 0;   ///< seconds since 1970; 0 while its sender may be at it
  std::vector<SubmittedTask> tasks;
  std::optional<std::string> handed;      ///< the scheduler's id
  std::optional<std::string> refused;     ///< why
  bool cancelled = false;                 ///< a person ended it
  std::map<std::int64_t, TaskEnd> ended;  ///< by task, from 1; those that left runs open
  /// By task: since when it is known to have ended, with files that may be late; seconds since
  /// 1970.
  std::map<std::int64_t, std::int64_t> ending = {};
  Missed missed = {};
};

/// That a job has begun.
struct JobClaim {
  std::string name;       ///< "claim-4711-0"; of a job of one run "RUN/2-4711-0"
  std::int64_t task = 0;  ///< 0: it does not say
  std::string view;       ///< Mount::view; empty: it does not say
  std::string fault;      ///< why it ended before its first run; empty: it did not, or by a signal
};

/// Runs failed alike one after the other, so that jobs launch no more.
struct GivenUp {
  std::int64_t until = 0;         ///< no run of a submission up to this one
  std::vector<std::string> runs;  ///< that failed so, oldest first
  std::string evidence;           ///< a line of the last one's log
  std::string host;               ///< where all failed; empty: at several
  friend bool operator==(const GivenUp&, const GivenUp&) = default;
};
/// "5 runs in a row failed alike, all on n1: bash: train: command not found"
std::string text_of(const GivenUp& given_up);

/// What an attempt's log says against its exit code 0.
struct Refutation {
  std::string run;
  std::string attempt;  ///< "2-local-0"
  std::string words;
};

using RunNames = std::set<std::string, std::less<>>;

/// The files of one sweep.
class SweepFolder {
 public:
  SweepFolder(FileSystem& files, fs::path root) : files_(files), root_(std::move(root)) {}

  const fs::path& root() const { return root_; }
  fs::path directory(const Submission& submission) const {
    return root_ / "jobs" / submission.name;
  }
  fs::path script(const Submission& submission) const { return directory(submission) / "job.sh"; }
  /// By their number, from 1 on.
  fs::path tasks_file(const Submission& submission, std::size_t number) const {
    return directory(submission) / fmt::format("tasks-{}.sh", number);
  }

  /// In the order they were made. Errors: Error where a marker cannot be read.
  std::vector<Attempt> attempts(const std::string& run);
  /// What jobs have said of runs that are over, in any order; a run may come more than once, and
  /// one that is over may be missing. Shape: a name is valid within the call.
  void each_outcome(const std::function<void(std::string_view run, bool succeeded)>& take);
  /// Those of which an attempt was ever refuted.
  RunNames refuted();
  /// Forgets what was read of refuted/, which may have grown.
  void look_anew() { refuted_->reset(); }
  /// The last time that jobs gave up, though the runs may go on since; nothing: they never did.
  std::optional<GivenUp> given_up();
  /// That more was handed over by then, up to `newest`: who looks later counts that in.
  void note_given_up(std::int64_t newest);
  /// What `cancel` left here last, which is another text each time: who began before it hands
  /// nothing more over.
  std::string cancelled();
  void note_cancelled(const std::string& words);
  /// Scheduler::place() of where jobs were handed over; empty: nobody has noted it.
  std::string place();
  void note_place(const std::string& place);
  /// Why not all that is due was handed over, the last time that somebody tried; empty: all was.
  std::string held_back();
  void note_held_back(const std::string& words);
  /// Keeps what attempts' logs say against their exit code 0; with no words one says nothing any
  /// more.
  void refute(const std::vector<Refutation>& all);

  /// In the order they were made. Errors: Error where an entry of the journal is damaged.
  std::vector<Submission> submissions();

  /// The largest number in use, also by one that died before its journal; 0: none is.
  std::int64_t newest_submission();

  /// Writes the submission's journal; durable when it returns, as are all of these.
  void journal(const Submission& submission);
  void mark_handed(Submission& submission, const std::string& id);
  void mark_refused(Submission& submission, const std::string& words);
  void mark_cancelled(Submission& submission);
  /// Adds to what is known of its tasks' ends.
  void mark_ended(Submission& submission, const std::map<std::int64_t, TaskEnd>& ended);

  /// Replaces what is known of the tasks that are `ending`.
  void mark_ending(Submission& submission, const std::map<std::int64_t, std::int64_t>& since);
  void mark_missed(Submission& submission, const Missed& missed);

  /// The claims of the jobs that run these tasks, the first of which is 1, but for those in
  /// `known`, by name.
  std::vector<JobClaim> claims(const Submission& submission, const std::vector<std::int64_t>& tasks,
                               const RunNames& known);

  /// Whether one of its jobs has ever started.
  bool has_begun(const Submission& submission);

  /// Lines of "NAME=VALUE" of the claim that the attempt belongs to; empty where there is none.
  std::string provenance(const Submission& submission, const Attempt& attempt);
  /// The bash function that it called; empty where it has not come so far.
  std::string command(const Attempt& attempt);

  /// Numbers of the campaigns that were begun, ascending.
  std::vector<std::int64_t> campaigns();
  fs::path campaign_file(std::int64_t number) const;
  Campaign load_campaign(std::int64_t number);
  /// What who looks at a campaign and hands nothing over needs of it: plan_of(). Of a large one it
  /// is kept for the next, if the folder may be written.
  Campaign load_plan(std::int64_t number);
  void save_campaign(const Campaign& campaign);

 private:
  /// By "RUN/2-ID".
  using Refuted = std::map<std::string, std::string, std::less<>>;

  const Refuted& known_refuted();
  Refuted read_refuted();
  std::vector<Attempt> attempts_in(const std::string& run);
  std::vector<JobClaim> claims_of_runs(const Submission& submission,
                                       const std::vector<std::int64_t>& tasks,
                                       const RunNames& known);
  std::optional<JobClaim> claim_at(const fs::path& path, std::string name);
  void keep_plan(std::int64_t number, const Campaign& campaign, const FileIdentity& manifest);
  fs::path plan_file(std::int64_t number) const;
  Submission read_submission(const std::string& name, std::int64_t number);

  FileSystem& files_;
  fs::path root_;
  /// Shared by copies: one may refute what another has read.
  std::shared_ptr<std::optional<Refuted>> refuted_ = std::make_shared<std::optional<Refuted>>();
};

/// The attempt that counts: of those that succeeded the one that ended first, and of that second's
/// the first; else the last that is done, else the last; nothing where none was made.
const Attempt* attempt_that_counts(const std::vector<Attempt>& attempts);

}  // namespace pippin
