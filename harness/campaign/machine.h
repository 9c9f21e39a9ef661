// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/name_table.h"
#include "core/jobs/node_files.h"
#include "core/jobs/protocol.h"
#include "core/jobs/scheduler.h"
#include "core/jobs/submission_files.h"
#include "core/records/campaign.h"

namespace pippin {

/// Where one run stands.
enum class RunPhase {
  kUnsubmitted,  ///< not handed over, or lost and to be handed over again
  kWaiting,      ///< handed over
  kRunning,
  kDone,       ///< it left an exit code: the attempt that counts
  kLost,       ///< its job ended without running it to its end, and this machine lets it be
  kCancelled,  ///< its job was cancelled under this machine's eyes; the next one takes it up again
  kLeft,       ///< it is not done, and the sweep wants it no more
};

/// What became of a run.
struct RunFate {
  RunPhase phase = RunPhase::kUnsubmitted;
  bool failed = false;          ///< of one that is done: not with exit code 0
  bool certain = false;         ///< of one that is done: no node failure is behind it
  std::optional<End> end = {};  ///< of the last job that left it open, or killed it for its memory
  std::string evidence = {};    ///< the scheduler's words on that, or on what it waits for
  std::int64_t submission = 0;  ///< the last that it was part of; 0: none
  bool let_be = {};             ///< of one that is lost: as jobs gave up
  bool lost_rank = {};          ///< of one that failed: by its own account a rank of it died
  bool stored = {};             ///< of one that is done: its result is, and its files are gone
};

/// A run of the campaign, and where it stands.
struct TrackedRun {
  const PlannedRun* planned = nullptr;
  RunFate fate = {};
  std::int64_t tries = 0;  ///< how often it was handed over, with the last before this machine
  /// Failures of submissions up to this one are not its own, or are to be made good.
  std::int64_t forgiven = 0;
  bool fell = false;  ///< it had begun when its last job was lost, and may be why
};

/// How far a campaign is.
struct RunCounts {
  std::int64_t unsubmitted = 0, waiting = 0, running = 0, succeeded = 0, failed = 0, lost = 0,
               cancelled = 0;
  std::int64_t unsettled = 0;  ///< of those done, failures that the scheduler has to explain
  std::int64_t left = 0;       ///< not done, and nobody waits for them
  std::int64_t let_be = 0;     ///< of those lost, not launched any more: jobs gave up
  std::int64_t later = 0;      ///< not handed over, and not to be by this machine
  /// Of those that somebody waits for.
  std::int64_t total() const {
    return unsubmitted + waiting + running + succeeded + failed + lost + cancelled;
  }
  bool finished() const { return unsubmitted + in_flight() == 0; }
  std::int64_t in_flight() const { return waiting + running + unsettled; }
  friend bool operator==(const RunCounts&, const RunCounts&) = default;
};

/// What a machine is told of its surroundings, and how to go about it.
struct MachineOptions {
  /// How often a run that was lost is handed over again by this machine, however often earlier ones
  /// did.
  std::int64_t retries = 2;
  bool retry_failed = false;       ///< hand over again what had failed or run out of time before
  std::int64_t max_in_flight = 0;  ///< jobs that may run at a time; 0: all
  /// A node is bad after so many failures of different points in a row: find_bad_nodes(); 0: never.
  std::int64_t bad_node_after = 3;
  bool excludes_anew = false;  ///< jobs that wait are kept off the campaign's excluded nodes, too
  std::string owner = {};      ///< the user
  std::string host = {};       ///< this machine's name
  std::string process = {};    ///< this process
  std::string view = {};       ///< Mount::view of the sweep's folder; empty: unknown
  std::function<std::int64_t()> now = [] { return std::int64_t{0}; };  ///< seconds since 1970
  /// Whether this machine hands over a run that is due.
  std::function<bool(const PlannedRun&)> wanted = [](const PlannedRun&) { return true; };
  /// Whether the result of a run is kept elsewhere than in its files, and is good.
  std::function<bool(const std::string& run)> is_stored = [](const std::string&) { return false; };
  /// What the log of an attempt that left kLostRankExit says of the lost rank; empty: nothing.
  std::function<std::string(std::string_view log)> lost_rank_words = [](std::string_view) {
    return std::string();
  };
  /// When a job may start at the earliest, seconds since 1970.
  std::function<std::optional<std::int64_t>(const PlannedJob&)> begin = [](const PlannedJob&) {
    return std::optional<std::int64_t>();
  };
};

/// Brings a campaign from any state on disk to its end: hands jobs over, looks for what they left,
/// hands over again what was lost. It keeps nothing that the folder does not hold, so that a new
/// machine goes on wherever an old one died; it never waits.
/// One machine at a time may step on a sweep's folder: the caller holds its lock.
class CampaignMachine {
 public:
  /// The files of a submission that runs `tasks`; nothing else of a sweep matters here.
  using ScriptWriter =
      std::function<JobFiles(const Submission& submission, const std::vector<TaskPlan>& tasks)>;

  /// Requires that the campaign is saved in `folder`.
  CampaignMachine(SweepFolder folder, FileSystem& files, Scheduler& scheduler, Campaign campaign,
                  ScriptWriter script, MachineOptions options);

  CampaignMachine(const CampaignMachine&) = delete;
  CampaignMachine& operator=(const CampaignMachine&) = delete;

  /// Does all that can be done now. Errors: throws Error, also where the scheduler refuses a job
  /// for good; the next step, also of another machine, takes up what this one left.
  RunCounts step();

  /// Looks where everything stands, and does nothing about it.
  RunCounts observe();

  /// Looks at files alone, at no cost to the scheduler: which runs are done by now.
  RunCounts look();

  /// A run that is said to be done, and whose marker is torn, is looked for again.
  void distrust(const std::string& run);

  /// A run that left exit code 0, and whose log tells of a failure.
  void take_as_failed(const std::string& run);

  /// Ends what waits and what runs. Another machine, at work elsewhere, sees it too, and ends what
  /// arrives only now. Errors: Error where the scheduler ends nothing: one that refuses, as the
  /// jobs are another user's, leaves all as it was; with one that does not answer it is noted, and
  /// done by the next step.
  void cancel();

  /// As the last look has seen it.
  RunCounts counts() const;
  const RunFate& fate(const std::string& run) const { return tracked(run).fate; }
  /// Every run, in the campaign's order.
  const std::vector<TrackedRun>& runs() const { return runs_; }
  /// nullptr where no run of the campaign is called so.
  const TrackedRun* find(std::string_view run) const;
  const Campaign& campaign() const { return campaign_; }
  /// Every submission of this campaign, and what the scheduler said last of its tasks.
  struct SubmissionState {
    Submission submission;
    std::vector<JobStatus> tasks;                     ///< the first is task 1
    std::vector<bool> settled;                        ///< nothing of the task is left to learn
    bool was_cancelled = false;                       ///< before this machine began
    std::vector<std::vector<TrackedRun*>> runs = {};  ///< of each task, what the campaign knows
    std::set<std::size_t> seen_alive = {};            ///< tasks that waited or ran under its eyes
    RunNames claims = {};                             ///< that were read
    std::map<std::int64_t, bool> sees_alike = {};     ///< of a task that began, what files it sees
    std::map<std::int64_t, std::string> faults = {};  ///< of a task that its prolog ended
    std::string strange = {};  ///< words that none of its scheduler's were when it was handed over
    std::int64_t strangely = {};  ///< how often in a row, though it never arrived
    bool over() const { return std::find(settled.begin(), settled.end(), false) == settled.end(); }
  };
  const std::vector<SubmissionState>& submissions() const { return submissions_; }
  /// What the scheduler is asked for: each submission of which a task is not over.
  std::vector<Asked> open_jobs() const;
  /// How long files of a task that has ended may still come, seconds; nothing: it is not waited
  /// for.
  std::optional<std::int64_t> waits_for_files_s(const SubmissionState& state,
                                                std::size_t task) const;
  /// The planned jobs of which a step would hand over runs.
  std::vector<PlannedJob> due_jobs() const;
  /// Why not all was handed over that is due, in the scheduler's words; empty: all was.
  const std::string& held_back() const { return held_back_; }
  /// The nodes that are bad as far as it has looked, by jobs, by its own eyes or by a person.
  std::vector<NodeMark> bad_nodes() const;
  /// Why jobs that wait could not be kept off them; empty: they could.
  const std::string& nodes_trouble() const { return nodes_trouble_; }
  /// Set where the newest submission is one that jobs have given up, or has_given_up(): a job may
  /// not have seen what was handed over in the same moment.
  std::optional<GivenUp> given_up() const;
  /// Whether they did since this machine began: it hands nothing over any more.
  bool has_given_up() const { return given_up_ != given_up_before_; }

 private:
  std::string why_elsewhere();
  void note_place(const std::string& token);
  bool has_open_but(const std::string& token) const;
  /// What a task has left of a run that this submission was the last to take.
  struct Left {
    TrackedRun* run;
    bool done = false, succeeded = false, started = false, time_up = false, interrupted = false;
    std::int64_t failures = {};  ///< of all attempts that ended by themselves
    bool killed = {};            ///< it left the exit code of a SIGKILL
    std::string lost_rank = {};  ///< the log's words, where a rank of it died
  };
  /// How a task ended.
  struct Ending {
    JobStatus status;
    bool before = false;        ///< this machine began, as far as it has seen
    bool progressed = false;    ///< runs of it are done
    std::string bad_node = {};  ///< that it left, or whose prolog failed; empty: none
    bool spent = false;         ///< … or have run out of time: the others waited behind them
    bool faulty = false;        ///< its prolog ended it
  };

  /// The scheduler took not one job more.
  struct Refusal {
    std::string words;
    std::int64_t at = 0;  ///< seconds since 1970
    std::int64_t patience_s = 0;
    std::int64_t in_flight = 0;  ///< tasks that were not over then
  };

  /// A run that is handed over, and what it was before.
  struct Taken {
    TrackedRun* run;
    RunFate fate;
    std::int64_t tries;
  };

  void track_runs();
  TrackedRun* tracked_or_none(std::string_view run);
  /// Requires that the campaign knows it.
  const TrackedRun& tracked(std::string_view run) const { return runs_[names_.find(run).value()]; }
  TrackedRun& tracked(std::string_view run) { return runs_[names_.find(run).value()]; }
  void take_up(Submission submission);
  void find_runs(SubmissionState& state);
  TrackedRun* find_near(std::string_view run, const TrackedRun* before);
  void close_what_left();
  bool is_true(const TrackedRun& success, const RunNames& refuted);
  void see_failures(RunNames failed, const RunNames& refuted);
  void settle(SubmissionState& state);
  std::map<std::string, std::vector<JobStatus>> query();
  void apply(SubmissionState& state, const std::vector<JobStatus>& answers, bool may_write);
  void see_running(const SubmissionState& state, std::size_t task);
  void read_claims(SubmissionState& state);
  bool may_be_late(const SubmissionState& state, std::size_t task, const JobStatus& status);
  bool sees_alike(const SubmissionState& state, std::int64_t task) const;
  static JobStatus with_fault(const SubmissionState& state, std::int64_t task, JobStatus status);
  Left left_of(const SubmissionState& state, TrackedRun& run);
  std::vector<Left> left_of(const SubmissionState& state, std::size_t task);
  bool judge(const SubmissionState& state, std::size_t task, const JobStatus& status,
             bool known = false);
  static bool has_run_out(const Left& left, const JobStatus& status);
  static bool is_out_of_time(const Left& left, const JobStatus& status);
  static bool ended_by_itself(const SubmissionState& state, const Ending& ending);
  bool is_let_be(const SubmissionState& state, const Left& left, const Ending& ending) const;
  std::string words_of(const SubmissionState& state, const Ending& ending) const;
  void lose(const SubmissionState& state, const Left& left, const Ending& ending);
  bool fails_every_time(const Left& left) const;
  void lose_rank(const SubmissionState& state, const Left& left, Ending ending);
  std::string lost_rank_of(const Attempt& attempt);
  std::int64_t times_handed_over(const TrackedRun& run) const;
  bool is_worth_another_try(const SubmissionState& state, const Left& left, const Ending& ending);
  bool take_as_stored(TrackedRun& run);
  bool goes_on_missing(const Missed& missed, const Missed::Times& times) const;
  void note_missed(SubmissionState& state, bool may_write);
  void never_arrived(SubmissionState& state);
  void cancel_what_others_own();
  void cancel_late_arrivals();
  void close_senders();
  void submit_what_is_due();
  void note_what_is_held_back();
  /// Errors: Error (bad input), always; who looks later is told the same.
  [[noreturn]] void refuse(const std::string& why);
  void let_be();
  void cancel_what_waits_in_vain();
  std::vector<std::string> excluded_nodes() const;
  void read_nodes(bool all);
  const NodeMark* bad_mark(std::string_view node) const;
  std::string left_as_bad(const SubmissionState& state, std::size_t task) const;
  bool is_free_try(const SubmissionState& state, const std::string& node) const;
  void note_lost_node(const SubmissionState& state, std::size_t task, const JobStatus& status);
  void blame_nodes();
  void forgive_failures_of_nodes();
  void forgive(const std::string& node, const NodeEvent& event);
  void exclude_from_waiting();
  void redo_failures();
  std::vector<TaskPlan> due();
  bool is_due(const PlannedRun& run) const;
  TaskPlan due_of(const PlannedJob& job);
  std::vector<std::vector<TaskPlan>> batches_of(std::vector<TaskPlan> tasks) const;
  void write_submission(const std::vector<TaskPlan>& tasks);
  bool submit_batch(const std::vector<TaskPlan>& batch, Room& room);
  Handed hand_over(SubmissionState& state);
  Handed::Answer submit(SubmissionState& state);
  std::int64_t tasks_in_flight() const;
  bool is_worth_asking() const;
  std::vector<Taken> take_runs(const SubmissionState& state);
  static void give_back(const std::vector<Taken>& taken);
  JobRequest request_of(const SubmissionState& state) const;
  static bool owns(const SubmissionState& state, const TrackedRun& run);
  Asked asked_of(const Submission& submission) const;

  SweepFolder folder_;
  FileSystem& files_;
  Scheduler& scheduler_;
  Campaign campaign_;
  ScriptWriter script_;
  MachineOptions options_;
  std::int64_t newest_;         ///< number of the last submission
  std::int64_t newest_before_;  ///< … before this machine
  std::unordered_map<std::string_view, const PlannedJob*> jobs_;
  std::vector<TrackedRun> runs_;  ///< pointed at: none comes or goes
  NameTable names_;               ///< of the runs, by the same numbers
  std::set<std::string> distrusted_;
  RunNames refuted_;    ///< as the folder had them last
  RunNames found_bad_;  ///< by who read their logs
  std::vector<SubmissionState> submissions_;
  static constexpr std::int64_t kMostAtOnce = 1'000'000;
  std::int64_t most_at_once_ = kMostAtOnce;  ///< tasks in an array; fewer where there was no room
  std::string held_back_;
  std::optional<std::string> noted_held_back_;  ///< in the folder, as far as it was read
  std::optional<Refusal> refusal_;
  bool ignores_limit_ = false;  ///< the scheduler took a job under a limit that room() has at 0
  NodeFiles nodes_;
  std::vector<NodeHistory> histories_;  ///< as they were read last
  /// Of a submission's task: the node that it left as it is bad, or whose prolog failed.
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> left_nodes_;
  std::vector<NodeMark> marks_;
  std::set<std::string> told_;  ///< bad nodes that what waits is kept off
  std::string nodes_trouble_;
  std::optional<GivenUp> given_up_;
  std::string cancelled_before_;              ///< what `cancel` had left when this began
  std::optional<std::string> why_elsewhere_;  ///< once that is known
  std::optional<GivenUp> given_up_before_;    ///< what somebody has mended by now, most likely
};

}  // namespace pippin
