// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/files.h"
#include "core/records/canary_reading.h"
#include "core/records/contents.h"
#include "core/records/evidence.h"
#include "core/records/log_file.h"
#include "core/records/node_runs.h"
#include "core/records/point_origin.h"
#include "core/records/run.h"
#include "core/records/summary.h"
#include "core/records/whole_run.h"

namespace pippin {

/// How to open a database.
struct OpenDatabase {
  bool create = true;    ///< false: the file must be there
  bool network = false;  ///< treat its file system as one shared between machines, whatever it is
  std::chrono::milliseconds patience{60'000};  ///< how long another's lock is waited for
  std::int64_t cache_kib = 65'536;             ///< the runs and points of a large report, read once
  /// The file must be there, and nothing is ever written to it; beside it only SQLite's index of a
  /// log that a dead writer left. All that is read is as it was when it was opened.
  bool read_only = false;
  std::int64_t most_pages = 0;  ///< the size, in pages of 4 KiB, at which the disk counts as full;
                                ///< 0: the disk's own
};

/// What changes when a file does.
struct FileStamp {
  std::int64_t size_bytes = 0, written_ns = 0, inode = 0;

  bool operator==(const FileStamp&) const = default;
};

/// A file that was read.
struct ReadFile {
  fs::path path;  ///< absolute
  FileStamp stamp;
  std::int64_t scraper_version = 0;
  bool is_log = false;     ///< something was found in it
  bool stored = false;     ///< and its runs are in the database
  fs::path log_path = {};  ///< where they say that their log lies: there, or at a copy of it
};

/// What a person said of a log from elsewhere.
struct ToldLog {
  NamedValues told;
  std::int64_t size_bytes = 0;
  std::string content_hash;  ///< of as many bytes
};

/// A file in which another rank of a job printed.
struct LogPart {
  LogFile file;
  std::optional<Iteration> first_line;
  std::optional<ReadFile> read;  ///< as ForeignLog has it
};

/// A log that no campaign of ours made, and what was read in it.
struct ForeignLog {
  LogFile file;
  std::vector<LogRun> runs;
  std::vector<LogPart> parts = {};    ///< of other ranks: stored as logs of their own they go
  bool forgive = false;               ///< it is added even where it was deleted for good
  std::optional<ReadFile> read = {};  ///< to be known again by; nothing where it may change unseen
};

/// What a log brought that was not there before.
struct Added {
  std::int64_t logs = 0, runs = 0, iterations = 0;
  std::int64_t network_tables = 0;
  std::int64_t described = 0;  ///< known logs of which a person now says something else
};

/// A point of a campaign, with what stands for it while nothing ran.
struct PlannedPoint {
  Point point;
  bool infeasible = false;
  std::string reason;  ///< why it is infeasible
  bool left = false;   ///< the sweep's file has it no more
};

/// A campaign as it was planned.
struct CampaignRecord {
  std::string sweep;
  std::int64_t number = 1;  ///< 1 is the sweep's first
  std::string started;      ///< UTC, ISO 8601
  std::string cluster, accelerator, order;
  PeakTflops peak_tflops;  ///< of the accelerator
  std::uint64_t seed = 0;
  std::optional<std::int64_t> warmup;  ///< nothing: found by statistics
  std::vector<PlannedPoint> points;
};

/// A run of a campaign, as far as it is known now.
struct RunRecord {
  RunPlace place;
  std::string name;
  std::int64_t attempt = 1;  ///< of its job, 1-based
  std::string point_id;
  RunState state = RunState::kMissing;
  std::string evidence;  ///< why it is in that state: a line of the log, or the scheduler's words
  std::optional<std::int64_t> exit_code;
  Provenance provenance;
  std::optional<LogFile> file;
  std::optional<LogRun> log;  ///< what `file` says; nothing where there is no log yet
  /// Readings of the run's job; nothing where there are none yet.
  std::optional<CanaryReading> canary_before = {}, canary_after = {};
  std::optional<ReadFile> read = {};  ///< to be known again by; nothing where it may change unseen
};

/// Which samples to load; nothing set: all.
struct SampleFilter {
  std::optional<std::string> sweep;      ///< "": logs that no sweep of ours made
  std::optional<std::int64_t> campaign;  ///< its number
  bool dropped = false;                  ///< those that were set aside, instead of the others
};

/// What the lines of a run come to.
struct DigestRecord {
  std::int64_t run = 0;
  RunDigest digest;
};

/// What sums up the lines of a run; sums of another version are made anew.
struct Digester {
  std::int64_t version = 0;
  std::function<RunDigest(const EachLine& each_line, const std::optional<std::int64_t>& warmup)>
      digest;
};

/// Samples of which every run has its digest.
struct DigestedSamples {
  std::vector<PointSamples> points;
  std::string trouble;  ///< why digests that are new could not be stored; empty: they were
};

/// A result that somebody wrote down.
struct NotedRecord {
  RunRecord run;
  std::string note;
};

/// A table of them.
struct NotedSweep {
  CampaignRecord campaign;
  std::vector<NotedRecord> runs;
};

/// Which rows to load, and what of them.
struct RowFilter {
  SampleFilter of = {};
  std::set<std::string, std::less<>> axes = {};
  bool all_or_none = false;  ///< of rows that are not complete only some, which are found soon
};

/// Rows of a report, without rates.
struct StoredRows {
  std::vector<Summary> rows;
  bool complete = true;  ///< false: some were never summed up, or their runs have changed since
};

/// How a run of a campaign ended, as far as it was recorded.
struct RecordedRun {
  RunState state = RunState::kMissing;
  std::string evidence;
};

/// A campaign as people name it; without a number the sweep's newest.
struct CampaignName {
  std::string sweep;
  std::optional<std::int64_t> number;
};

/// "gpt-52b/2" is the second campaign of gpt-52b, "gpt-52b" its newest.
CampaignName campaign_name_of(const std::string& text);
std::string text_of(const CampaignName& campaign);

/// A run as people name it.
struct RunName {
  std::int64_t id = 0;
  std::string name;
  CampaignName campaign;  ///< without a sweep: a foreign log's
};

/// Whose runs to list: those of an allocation, of a point, or on a node. Requires one of them.
struct RunsOf {
  std::optional<std::int64_t> allocation;  ///< its id
  std::string point;                       ///< its id
  std::string node;                        ///< its name
  std::optional<CampaignName> failed_in;   ///< of a campaign those that did not go well
  std::size_t most = 20;                   ///< the newest, but of an allocation the first
};

/// What a person named to be set aside or deleted.
struct Chosen {
  std::vector<std::int64_t> runs;
  std::vector<CampaignName> campaigns;  ///< each with its number
  bool logs = false;                    ///< all that no sweep made
};

/// Runs that were set aside for one reason.
struct DroppedRuns {
  std::string reason;
  std::int64_t runs = 0;
};

/// What of a campaign is not to be measured or stored any more.
struct SetAside {
  std::optional<std::string> campaign_reason;  ///< why all of it was dropped
  bool campaign_deleted = false;               ///< all of it, for good
  std::set<std::string> runs;                  ///< names of those dropped or deleted by themselves
};

/// What another database brought.
struct Merged {
  std::int64_t campaigns = 0, runs = 0, iterations = 0;  ///< that were not here
  std::int64_t grown = 0;     ///< runs that were here, and of which the other knew more
  std::int64_t left_out = 0;  ///< runs that were deleted here, or are of a log that is here
  std::vector<std::pair<CampaignName, CampaignName>>
      renumbered;                      ///< as they are called there, here
  std::vector<std::string> tags_left;  ///< tags that are something else here
};

/// The results database: one SQLite file that any number of processes may read and one at a time
/// writes. db/README.md describes its tables.
///
/// Every function that writes is one transaction: at any crash, or on a full disk, it has happened
/// or it has not.
/// A file that may not be written here can be read.
/// Errors: Error naming the file: bad input for a file of another program or a newer version; the
/// machine's for a full disk, a lock held too long, a file that cannot be written.
class Database {
 public:
  explicit Database(const fs::path& path, const OpenDatabase& how = {});
  ~Database();
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;

  /// Of one that was opened `read_only`: false where another process has written to the file itself
  /// since, so that what was read may not go together, nor errors mean anything.
  bool is_as_opened() const;

  /// From now on sums up the lines of each run as it is stored, so that they need not be read
  /// again; not those of very long runs, for which there would have to be room beside them.
  void sum_up_by(Digester digester);

  /// Adds a log that no campaign of ours made. It is known by its content, not by its path: the
  /// same again adds nothing, nor does an older, shorter copy; one that has grown adds what is
  /// new to the runs it had. A launch that does not say how it ended is "ok" where it has
  /// iterations, and "failed" where it has none.
  Added add_foreign_log(const LogFile& file, const std::vector<LogRun>& runs);
  /// Several, and which other files were read, as one step.
  std::vector<Added> add_foreign_logs(const std::vector<ForeignLog>& logs,
                                      const std::vector<ReadFile>& others = {});
  /// What was read at a path, and below it; by path. A log that was deleted is none of it.
  std::unordered_map<std::string, ReadFile> read_files(const fs::path& path);
  bool has_told_logs();
  /// The logs of which a person said something that lay at `path`, as it was named, or were read
  /// at the absolute `read_path`, the longest first.
  std::vector<ToldLog> told_logs(const fs::path& path, const fs::path& read_path);

  /// Adds tables of the network that were taken elsewhere, at `taken_at` (seconds since 1970, UTC).
  /// They are known by their content: the same again adds nothing; a file of the same path with
  /// other tables replaces them.
  Added add_network_tables(const LogFile& file, std::int64_t taken_at,
                           const std::vector<CanaryFigures>& tables);

  /// Stores a campaign's plan; the same campaign again replaces it.
  /// Errors: also (bad input) where results of a sweep of that name were noted by hand.
  void put_campaign(const CampaignRecord& campaign);

  /// Stores a run of a campaign; known by sweep, campaign and name: the same again, or another
  /// attempt at it, replaces what was there. A foreign log of the same content gives way to it.
  /// A canary's reading is known by its job and number: it is stored once, whatever runs have it.
  /// Requires that put_campaign stored the campaign and the point.
  Added put_run(const RunRecord& run);
  /// Several, and which other files were read, as one step.
  Added put_runs(std::span<const RunRecord> runs, const std::vector<ReadFile>& others = {});

  /// Stores tables of results that somebody wrote down, in place of what their sweeps had.
  /// Errors: Error (bad input) where a sweep of that name was measured.
  void put_noted(const std::vector<NotedSweep>& sweeps);

  /// Everything a report needs, by point: those of sweeps in their order, then foreign ones.
  /// Shape: without iterations, but with the digests of `digest_version` that are stored; unlike
  /// points of one name get the first digits of their ids behind it.
  std::vector<PointSamples> samples(const SampleFilter& filter = {},
                                    std::int64_t digest_version = 0);
  /// samples() with every run's digest: the stored one, or else what its lines come to, which is
  /// stored for the next time unless another process has written meanwhile.
  DigestedSamples digested_samples(const SampleFilter& filter, const Digester& digester);
  /// Where runs were, what canaries measured beside them and who was slowest; by run, those of
  /// which nothing is known left out. The collected tables are those of the whole database.
  Evidence evidence(const SampleFilter& filter);
  /// How the runs ended that each node took part in, by the nodes' names.
  std::vector<NodeRuns> node_runs(const SampleFilter& filter);
  /// The runs of which checkpoints are known, in the order of evidence().
  std::vector<RunCheckpoints> checkpoints(const SampleFilter& filter);
  /// What was measured of the network's operations: by the runs of the filter, or where it names no
  /// sweep, by all, and in all collected tables.
  std::vector<CollectiveReading> collectives(const SampleFilter& filter);
  /// How each point of the filter was run, of those that have a run.
  std::vector<PointOrigin> origins(const SampleFilter& filter);
  /// What the newest runs of each point, or of those with these ids, say of their parts by these
  /// timers, of which there must be one; without points that say nothing.
  std::vector<PointTimers> timers(const SampleFilter& filter, const std::vector<std::string>& names,
                                  const std::set<std::string>& points = {});
  /// The variables that the newest run of a point had, a "NAME=VALUE" a line; empty where unknown.
  std::string environment_of(const std::string& point_id);
  /// The paths of the logs of runs, by the numbers of these.
  std::unordered_map<std::int64_t, std::string> run_logs(const SampleFilter& filter);
  /// The lines of a run, in their order. Shape: only number, time, interval, flags and GBS.
  std::vector<Iteration> lines_of(std::int64_t run);
  /// A run with all that is stored of it. Requires that it is. `digest_version`: as samples().
  WholeRun whole_run(std::int64_t run, std::int64_t digest_version);
  /// Some runs in the order of their allocation, or by time; set aside or not.
  RunList listed_runs(const RunsOf& of, std::int64_t digest_version);
  /// The points of that name or id, also of the first 8 digits of an id or more.
  std::vector<Point> points_named(const std::string& name);
  /// The campaigns that have a point, the newest last; first the logs, where it has runs of some.
  std::vector<SampleFilter> selections_of(const std::string& point_id);
  bool has_node(const std::string& name);
  std::vector<NodeReading> node_readings(const std::string& node);
  std::vector<NodeLink> node_links(const std::string& node);
  /// Gives them one by one, with the numbers of what else they say. Requires that `take` leaves the
  /// database alone.
  void each_line(std::int64_t run, const std::function<void(const Iteration&)>& take);
  /// How many rows this process has written.
  std::int64_t changes() const;
  /// Another number once another process has written.
  std::int64_t moment();
  /// Stores what runs come to whose lines were read since `moment`; nothing where another process
  /// has written since then, or the file cannot be written.
  void put_digests(const std::vector<DigestRecord>& digests, std::int64_t version,
                   std::int64_t moment);
  /// The rows of a report as far as they are stored: one a point over the campaigns
  /// of the filter, in the order of samples(). Shape: foreign rows have only axes that differ
  /// between them, and filter.axes.
  StoredRows rows(const RowFilter& filter, std::int64_t version);
  /// Stores all rows of a selection that were summed up from samples() read since `moment`; nothing
  /// where another process has written since then, or the file cannot be written.
  void put_rows(const SampleFilter& of, const std::vector<Summary>& rows, std::int64_t version,
                std::int64_t moment);

  /// What there is: logs that no sweep made as one, then noted sweeps, then campaigns, those of the
  /// sweep begun last at the end.
  std::vector<CampaignContents> contents(const SampleFilter& filter);
  /// Of campaigns that have some, by "SWEEP/2", in the order of their names.
  std::map<std::string, std::vector<std::string>> tags(const SampleFilter& filter);
  /// The campaigns of a sweep, or of all where none is named, the one begun last at the end; not
  /// those imported from notes.
  std::vector<CampaignName> campaigns(const std::optional<std::string>& sweep);
  /// The largest number that a campaign of the sweep has, or had before it was deleted; 0: none.
  std::int64_t newest_number(const std::string& sweep);
  /// The sweep, campaign ("gpt-52b/2") or tag of that name; nothing where there is none.
  std::optional<SampleFilter> selection(const std::string& name);
  /// Names a campaign; a tag that exists moves. Errors: also where there is no such campaign, or
  /// the tag is the name of a sweep.
  void put_tag(const std::string& tag, const CampaignName& campaign);
  /// The runs of that name, or of that number.
  std::vector<RunName> runs_named(const std::string& name);
  /// The runs of a campaign that were recorded, by name. Requires a number.
  std::unordered_map<std::string, RecordedRun> recorded_runs(const CampaignName& campaign);
  /// Gives the names of those of its runs that went well. `started`: the campaign's, as another one
  /// may have its number in another database.
  void each_good_run(const CampaignName& campaign, const std::string& started,
                     const std::function<void(const std::string& run)>& take);
  /// Gives the names of a campaign's runs that were recorded. Requires a number, and that `take`
  /// leaves the database alone.
  void each_recorded_run(const CampaignName& campaign,
                         const std::function<void(const std::string& run)>& take);
  /// Why a recorded run of a campaign is in its state; empty where that is not said, or not known.
  std::string recorded_evidence(const CampaignName& campaign, const std::string& run);
  /// The runs of a selection.
  std::vector<RunName> runs_of(const SampleFilter& filter);
  /// Adds to what people wrote of runs; the newest counts. Requires that they are stored.
  void put_note(const std::vector<std::int64_t>& runs, const std::string& text);

  /// Sets runs aside: no result counts them until they are taken back. Runs that a dropped campaign
  /// gets later are set aside with it. Requires that all that is chosen is stored.
  void drop(const Chosen& chosen, const std::string& reason);
  /// Returns how many of those runs and campaigns had been dropped by themselves.
  std::int64_t take_back(const Chosen& chosen);
  /// Deletes what was stored of runs, and campaigns, for good, and returns how many runs that were.
  /// What is added later and is the same is left out, until forgive() names it.
  /// Errors: also (bad input) where some runs of a foreign log are chosen and others not.
  std::int64_t delete_forever(const Chosen& chosen);
  /// Renames a sweep or a tag; false where there is none of that name.
  /// Errors: also (bad input) where a sweep or a tag is called `to`.
  bool rename(const std::string& from, const std::string& to);
  /// The names of the folders of sweeps that were renamed, by sweep.
  std::map<std::string, std::string> folders();
  /// Adds what another database has and this one has not; that one is only read. Campaigns are
  /// known by sweep, time and plan, runs by campaign and name, logs by content; of two copies the
  /// longer counts. A campaign of another origin whose number is taken gets the next one.
  /// `begun`: the largest number of each sweep's campaigns that were begun here.
  /// Errors: also (bad input) where that file is none of pippin's, or of a newer version, or a
  /// sweep was noted by hand in one and is not the same in the other.
  Merged merge(const fs::path& other, const std::map<std::string, std::int64_t>& begun);
  /// Lets a deleted log be added again; a run of a campaign, or with "" the campaign itself.
  void forgive(const LogFile& log);
  void forgive(const CampaignName& campaign, const std::string& run);
  /// How many runs of a selection are dropped, by reason, the most frequent first.
  std::vector<DroppedRuns> dropped(const SampleFilter& filter);
  SetAside set_aside(const CampaignName& campaign);

 private:
  struct Home;
  std::unique_ptr<Home> home_;
};

}  // namespace pippin
