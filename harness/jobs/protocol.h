#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/files.h"
#include "harness/records/campaign.h"

/// The files by which pippin and its jobs know what happened, all below one folder per sweep:
///
///   campaign-1.json            the design of a campaign, frozen when it began
///   jobs/JOB/job-2.sh          the script of the job's second submission
///   jobs/JOB/submission-2      the journal: its token, written before anything is handed over
///   jobs/JOB/handed-2          written when the scheduler has it
///   jobs/JOB/cancelled-2       written before a person's cancel is passed on
///   jobs/JOB/job-2.log         the script's own output
///   jobs/JOB/claim-2-ID/       made by the job when it starts; mkdir lets one process in.
///                              `provenance` in it says where and with what it runs
///   RUN/2-ID/                  one attempt at a run: the claim, made by mkdir
///   RUN/2-ID/log               what the trainer printed
///   RUN/2-ID/started           seconds since 1970
///   RUN/2-ID/command           the bash function that was called
///   RUN/2-ID/done              by rename when it is over: "exit=0 ended=1700000000"; one that
///                              holds anything else was torn by a power cut and counts as none
///
/// ID is the scheduler's job id and restart count, "local-0" on this machine. A job never writes
/// anywhere else, and pippin never writes into a claim.
namespace pippin {

/// One attempt at a run, as its folder tells.
struct Attempt {
  std::string name;             ///< "2-local-0"
  std::int64_t submission = 0;  ///< the job's that made it: 2
  fs::path directory;
  std::optional<std::int64_t> started;  ///< seconds since 1970
  std::optional<std::int64_t> ended;
  std::optional<int> exit_code;  ///< nothing while it runs, or when it was lost
  bool done() const { return exit_code.has_value(); }
  fs::path log() const { return directory / "log"; }
};

/// One handing-over of a job.
struct Submission {
  std::int64_t number = 1;
  std::string token;
  std::vector<std::string> runs;  ///< names of what it was to run
  bool handed = false;            ///< the scheduler said that it has it
  bool cancelled = false;         ///< a person ended it
};

/// The files of one sweep.
class SweepFolder {
 public:
  SweepFolder(FileSystem& files, fs::path root) : files_(files), root_(std::move(root)) {}

  const fs::path& root() const { return root_; }
  fs::path job_directory(const std::string& job) const { return root_ / "jobs" / job; }
  fs::path script(const std::string& job, std::int64_t submission) const;
  fs::path job_log(const std::string& job, std::int64_t submission) const;

  /// In the order they were made. Errors: Error where a marker cannot be read, or an entry of the
  /// journal is damaged.
  std::vector<Attempt> attempts(const std::string& run);
  std::vector<Submission> submissions(const std::string& job);

  /// The journal's entries; each is durable when it returns.
  void journal(const std::string& job, const Submission& submission);
  void mark_handed(const std::string& job, std::int64_t submission);
  void mark_cancelled(const std::string& job, std::int64_t submission);

  /// `provenance` of the claim that the attempt belongs to; empty where there is none.
  std::string provenance(const std::string& job, const Attempt& attempt);

  /// Numbers of the campaigns that were begun, ascending.
  std::vector<std::int64_t> campaigns();
  Campaign load_campaign(std::int64_t number);
  void save_campaign(const Campaign& campaign);

 private:
  FileSystem& files_;
  fs::path root_;
};

/// The attempt that counts: the first that is done, else the last; nothing where none was made.
const Attempt* counted(const std::vector<Attempt>& attempts);

}  // namespace pippin
