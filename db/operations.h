// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "db/batch.h"
#include "db/database.h"
#include "db/log_identity.h"
#include "db/sqlite.h"

/// The parts of Database's functions, each to be called within a transaction.
namespace pippin::db {

/// Stores a point that is not there yet, else what its model tells.
void put_point(Connection& connection, const Point& point);
/// What of a stored point's model is no part of its id. Of a model that says its work, or is of no
/// dense style, all takes the place of what is there: its trainer, read last, knows best. Else
/// parameters are added where they were missing.
void tell_model(Connection& connection, const std::string& point, const Model& model);

/// How far a run came: to its end, where no further line was due.
Count last_iteration(const LogRun& run);

/// "gpus: GBS · seq / …": what of a run's point follows by which law; nothing where nothing does.
std::optional<std::string> derived_text(const LogRun& run);

/// Stores dump, iterations and memory of a run that has none. `warmup`: of its campaign.
void add_records(Batch& batch, std::int64_t run, const LogRun& log,
                 const std::optional<std::int64_t>& warmup);
/// The same in place of what it had; returns by how many its iterations have grown.
std::int64_t replace_records(Batch& batch, std::int64_t run, const LogRun& log,
                             const std::optional<std::int64_t>& warmup);
void delete_records(Connection& connection, std::int64_t run);

/// Stores a log and returns its id. `first`: its first measured line; nothing where it has none.
std::int64_t add_log(Connection& connection, const LogFile& file,
                     const std::optional<FirstLine>& first, bool of_campaign);
/// Stores what a log has become.
void change_log(Connection& connection, std::int64_t id, const LogFile& file,
                const std::optional<FirstLine>& first);

/// A log that was looked at, and what it brought.
struct AddedLog {
  Added added;
  std::optional<std::int64_t> log;  ///< as which it is stored; nothing where it is left out
  bool is_older_copy = false;       ///< left out as long as a longer one is stored
};
/// `is_joined`: its runs are out of several files, which may have changed without this one.
AddedLog add_foreign_log(Batch& batch, const LogFile& file, const std::vector<LogRun>& runs,
                         bool is_joined = false);
/// The files of other ranks belong to a log: as logs of their own they are no more.
void put_parts(Batch& batch, const std::vector<LogPart>& parts,
               const std::optional<std::int64_t>& log);
/// `heir`: the run of ours that the log turned out to be.
void delete_foreign_log(Connection& connection, std::int64_t log, std::int64_t heir);
void put_read_file(Connection& connection, const ReadFile& file,
                   const std::optional<std::int64_t>& log);
std::unordered_map<std::string, ReadFile> read_files(Connection& connection, const fs::path& path);
bool has_told_logs(Connection& connection);
std::vector<ToldLog> told_logs(Connection& connection, const fs::path& path,
                               const fs::path& read_path);
void put_campaign(Connection& connection, const CampaignRecord& campaign);
/// `is_only_attempt`: no earlier one of the run is stored; then none is looked for.
AddedLog put_run(Batch& batch, const RunRecord& run, bool is_only_attempt = false);
/// Stores the readings that a run has, of an allocation, and what it has them as; those that it had
/// and does not name stay.
void put_canaries(Connection& connection, std::int64_t run, std::int64_t allocation,
                  const RunRecord& record);
/// Takes a run off its readings, and deletes those that no other run has.
void delete_canaries(Connection& connection, std::int64_t run);
/// Stores readings that are no run's, in place of those of the same log.
void put_collected_readings(Connection& connection, std::int64_t allocation, std::int64_t log,
                            std::int64_t taken_at, const std::vector<CanaryFigures>& readings);
Added add_network_tables(Connection& connection, const LogFile& file, std::int64_t taken_at,
                         const std::vector<CanaryFigures>& tables);
std::vector<PointSamples> samples(Connection& connection, const SampleFilter& filter,
                                  std::int64_t digest_version);
std::vector<NodeRuns> node_runs(Connection& connection, const SampleFilter& filter);
Evidence evidence(Connection& connection, const SampleFilter& filter);
std::vector<RunCheckpoints> checkpoints(Connection& connection, const SampleFilter& filter);
std::vector<Checkpoint> checkpoints_of(Connection& connection, std::int64_t run);
std::vector<CollectiveReading> collectives(Connection& connection, const SampleFilter& filter);
std::vector<PointOrigin> origins(Connection& connection, const SampleFilter& filter);
/// Requires a name.
std::vector<PointTimers> timers(Connection& connection, const SampleFilter& filter,
                                const std::vector<std::string>& names,
                                const std::set<std::string>& points);
std::string environment_of(Connection& connection, const std::string& point_id);
/// Requires that the run is stored.
std::unordered_map<std::int64_t, std::string> run_logs(Connection& connection,
                                                       const SampleFilter& filter);

WholeRun whole_run(Connection& connection, std::int64_t run, std::int64_t digest_version);
RunList listed_runs(Connection& connection, const RunsOf& of, std::int64_t digest_version);
std::vector<Point> points_named(Connection& connection, const std::string& name);
std::vector<SampleFilter> selections_of(Connection& connection, const std::string& point_id);
bool has_node(Connection& connection, const std::string& name);
std::vector<NodeReading> node_readings(Connection& connection, const std::string& node);
std::vector<NodeLink> node_links(Connection& connection, const std::string& node);

/// Another number once another process has written.
std::int64_t moment_of(Connection& connection);
StoredRows rows(Connection& connection, const RowFilter& filter, std::int64_t version);
/// Requires that `rows` are all of a selection, in its order.
void put_rows(Connection& connection, const SampleFilter& of, const std::vector<Summary>& rows,
              std::int64_t version);

/// Deletes a run with all that was stored of it.
void delete_run(Connection& connection, std::int64_t run);
/// Errors: Error (bad input) where put_noted stored a sweep of that name.
void refuse_noted(Connection& connection, const std::string& sweep);
/// Deletes allocations of which no run is left.
void delete_empty_allocations(Connection& connection);
/// Requires that no allocation is empty.
void put_noted(Batch& batch, const CampaignRecord& campaign, const std::vector<NotedRecord>& runs);

/// The campaign's id; 0: there is none.
std::int64_t id_of(Connection& connection, const CampaignName& campaign);
void drop(Connection& connection, const Chosen& chosen, const std::string& reason);
/// Returns how many runs and campaigns were dropped until now.
std::int64_t take_back(Connection& connection, const Chosen& chosen);
std::vector<DroppedRuns> dropped(Connection& connection, const SampleFilter& filter);
SetAside set_aside(Connection& connection, const CampaignName& campaign);
/// What people said of a run outlives it, at the run that takes its place.
void hand_over(Connection& connection, std::int64_t from, std::int64_t to);
/// Drops the runs of a log behind a position where all up to there are dropped.
void drop_like_others(Connection& connection, std::int64_t log, std::int64_t after);

/// Renames a sweep or a tag; false where there is none of that name.
/// Errors: Error (bad input) where the new name is taken.
bool rename(Connection& connection, const std::string& from, const std::string& to);
std::map<std::string, std::string> folders(Connection& connection);

/// What another database, attached as `other`, has and this one has not: merge.h.
Merged merge(Connection& connection, const std::map<std::string, std::int64_t>& begun);

/// Deletes runs with all that was stored of them, and their logs; nothing remembers them.
void delete_runs(Connection& connection, const Chosen& chosen);
/// Returns how many runs that were.
/// Errors: Error (bad input) where only some runs of a foreign log are chosen.
std::int64_t delete_forever(Connection& connection, const Chosen& chosen);
/// Whether the run, or all of its campaign, was deleted for good; `run` "": only the latter.
bool is_deleted(Connection& connection, const CampaignName& campaign, const std::string& run);
void forgive_run(Connection& connection, const CampaignName& campaign, const std::string& run);
/// Whether `text` begins with a log that was deleted for good.
bool is_deleted_log(Connection& connection, const LogFile& file);
void forgive_log(Connection& connection, const LogFile& file);

/// What people wrote of each run, the newest last.
std::map<std::int64_t, std::vector<std::string>> notes_by_run(Connection& connection);
void put_note(Connection& connection, std::int64_t run, const std::string& text);
void put_tag(Connection& connection, const std::string& name, const CampaignName& campaign);
std::vector<CampaignContents> contents(Connection& connection, const SampleFilter& filter);
std::map<std::string, std::vector<std::string>> tags(Connection& connection,
                                                     const SampleFilter& filter);
std::vector<CampaignName> campaigns(Connection& connection,
                                    const std::optional<std::string>& sweep);
std::optional<SampleFilter> selection(Connection& connection, const std::string& name);
std::vector<RunName> runs_of(Connection& connection, const SampleFilter& filter);
std::unordered_map<std::string, RecordedRun> recorded_runs(Connection& connection,
                                                           const CampaignName& campaign);
void each_good_run(Connection& connection, const CampaignName& campaign, const std::string& started,
                   const std::function<void(const std::string& run)>& take);
void each_recorded_run(Connection& connection, const CampaignName& campaign,
                       const std::function<void(const std::string& run)>& take);
std::string recorded_evidence(Connection& connection, const CampaignName& campaign,
                              const std::string& run);
std::vector<RunName> runs_named(Connection& connection, const std::string& name);

}  // namespace pippin::db
