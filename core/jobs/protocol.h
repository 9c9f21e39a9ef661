#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/files.h"
#include "core/base/name_table.h"
#include "core/jobs/scheduler.h"
#include "core/records/campaign.h"

/// The files by which pippin and its jobs know what happened, all below one folder per sweep:
///
///   campaign-1.json         the design of a campaign, frozen when it began
///   .campaign-1.plan        of a large one its jobs and runs alone, for one campaign-1.json
///   .campaign-1.listing     … which of these `succeeded` has, for one state of that folder
///   jobs/NAME-s2/           the sweep's second submission: one job, or an array of them
///     job.sh                what the scheduler runs
///     tasks.sh              of more than one run: what its tasks run
///     journal               token, owner, time and tasks, written before anything is handed over
///     handed                the scheduler's id, once it is known
///     refused               the scheduler's words: it surely has not got it, and will not
///     cancelled             written before a person's cancel is passed on
///     ended                 the scheduler's last words on tasks that left runs open
///     ending                … that it said had ended, and whose files may be seen late: since when
///                           pippin knows, seconds since 1970
///     job.log, job-TASK.log   what the script itself printed
///     claim-ID/             made by the job when it starts; `owner` in it lets one process in and
///                           says host, process, task and the Mount::view that it writes through,
///                           `provenance` says where and with what it runs, `failing` which runs
///                           failed since the last that succeeded, `fault` why its prolog ended it
///                           of PBS also `start`, which tells one start of a job from its others
///     id-TASK               of PBS, the one id that may run as this task
///   RUN/2-ID/               one attempt at a run, by the second submission; none while it is empty
///   RUN/2-ID/log            what the trainer printed
///   RUN/2-ID/started        seconds since 1970; who makes it has the claim on the attempt
///   RUN/2-ID/command        the bash function that was called
///   RUN/2-ID/canary-before  "canary=3 taken=1700000000", the job's third reading and when it was
///                           begun, what the canary printed, and "exit=1" where it failed
///   RUN/2-ID/canary-after   the same; one file with the next run's `canary-before` where one
///                           reading serves both
///   RUN/2-ID/interrupted    it was ended from outside: "signal=TERM time_up=1"
///   RUN/2-ID/stopped        the job stopped it: "stopped=run_time after=600" or "stopped=stalled
///                           after=300", in seconds, and the last line that its log had then
///   RUN/2-ID/done           by rename when it is over: "exit=0 ended=1700000000", of one that was
///                           stopped "exit=124 ended=1700000000 stopped=run_time after=600"; one
///                           without exit and end was torn by a power cut and counts as none
///   canary-sizes-…          what the sweep's first canary of so many ranks and nodes measured with
///   alike                   the last failures of one kind, one after the other, in lines of run,
///                           host, kind and evidence with tabs between; gone when a run ends well
///                           or in another way
///   held-back               why pippin has not handed over all that is due; empty: it has
///   given-up                by rename when they are too many: "until=12 after=5", the submission
///                           up to which nothing more is launched and how many they are, and they
///   succeeded/RUN           an attempt at RUN is done, and left exit code 0
///   failed/RUN              …, and left another one
///   refuted/RUN             lines of "2-ID<tab>words": an attempt that left exit code 0 and whose
///                           log, once pippin has read it, tells of a failure
///
/// ID is the scheduler's job id and restart count, "local-0" on this machine, "12.3-0" of a PBS
/// array's task "12[3].server". A job never writes anywhere else, and pippin never writes into
/// claims, attempts, succeeded/ and failed/.
namespace pippin {

/// One attempt at a run, as its folder tells.
struct Attempt {
  std::string name;             ///< "2-local-0"
  std::int64_t submission = 0;  ///< that made it: 2
  fs::path directory;
  std::optional<std::int64_t> started;  ///< seconds since 1970
  std::optional<std::int64_t> ended;
  std::optional<int> exit_code;  ///< nothing while it runs, or when it was lost
  bool interrupted = false;      ///< ended from outside
  bool time_up = false;          ///< … because its job's time was up
  std::string stopped = {};      ///< by its job, after "run_time" or as its log had "stalled"
  std::int64_t stopped_after_s = 0;
  std::string refuted = {};  ///< what its log says against its exit code 0; empty: nothing
  bool done() const { return exit_code.has_value(); }
  bool succeeded() const { return exit_code == 0 && refuted.empty(); }
  fs::path log() const { return directory / "log"; }
  fs::path stopped_file() const { return directory / "stopped"; }
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
};

/// That a job has begun.
struct JobClaim {
  std::string name;       ///< "claim-4711-0"
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
  fs::path tasks_file(const Submission& submission) const {
    return directory(submission) / "tasks.sh";
  }

  /// In the order they were made. Errors: Error where a marker cannot be read.
  std::vector<Attempt> attempts(const std::string& run);
  /// The runs that have an attempt which is done with exit code 0, in any order: as many as the
  /// sweep has. Shape: a name is valid within the call.
  void each_succeeded(const std::function<void(std::string_view run)>& take);
  /// … which of these they are, by number.
  std::vector<bool> succeeded(const NameTable& runs);
  /// The same, where `runs` are a campaign's in its order. Of many it is kept until the folder that
  /// tells it changes, if it may be written.
  std::vector<bool> succeeded_as_kept(std::int64_t campaign, const NameTable& runs);
  /// … with another exit code.
  RunNames failed();
  /// Those of which an attempt was ever refuted.
  RunNames refuted();
  /// The last time that jobs gave up, though the runs may go on since; nothing: they never did.
  std::optional<GivenUp> given_up();
  /// Why not all that is due was handed over, the last time that somebody tried; empty: all was.
  std::string held_back();
  void note_held_back(const std::string& words);
  /// Keeps what an attempt's log says against its exit code 0; with no words it says nothing any
  /// more.
  void refute(const std::string& run, const Attempt& attempt, const std::string& words);

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

  /// The claims of its jobs that are not in `known`, by name.
  std::vector<JobClaim> claims(const Submission& submission, const RunNames& known);

  /// Whether one of its jobs has ever started.
  bool has_begun(const Submission& submission);

  /// `provenance` of the claim that the attempt belongs to; empty where there is none.
  std::string provenance(const Submission& submission, const Attempt& attempt);

  /// Numbers of the campaigns that were begun, ascending.
  std::vector<std::int64_t> campaigns();
  fs::path campaign_file(std::int64_t number) const;
  Campaign load_campaign(std::int64_t number);
  /// What who looks at a campaign and hands nothing over needs of it: plan_of(). Of a large one it
  /// is kept for the next, if the folder may be written.
  Campaign load_plan(std::int64_t number);
  void save_campaign(const Campaign& campaign);

 private:
  RunNames named(const char* folder);
  void keep_plan(std::int64_t number, const Campaign& campaign, const FileIdentity& manifest);
  fs::path plan_file(std::int64_t number) const;
  fs::path listing_file(std::int64_t campaign) const;
  bool is_older_than_now(const FileIdentity& folder, const fs::path& kept);
  bool may_be_trusted(const fs::path& kept);
  Submission read_submission(const std::string& name, std::int64_t number);

  FileSystem& files_;
  fs::path root_;
};

/// The attempt that counts: of those that succeeded the one that ended first, else the last that is
/// done, else the last; nothing where none was made.
const Attempt* attempt_that_counts(const std::vector<Attempt>& attempts);

}  // namespace pippin
