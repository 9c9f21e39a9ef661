#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "db/database.h"
#include "db/sqlite.h"

/// The parts of Database's functions, each to be called within a transaction.
namespace pippin::db {

/// Stores a point that is not there yet; a count of parameters is added where it was missing.
void put_point(Connection& connection, const Point& point);

/// Stores dump, iterations and memory of a run in place of what it had, and returns by how many
/// its iterations have grown.
std::int64_t replace_records(Connection& connection, std::int64_t run, const LogRun& log);

/// Stores a log, or what a stored one has become, and returns its id.
std::int64_t put_log(Connection& connection, std::optional<std::int64_t> id, const LogFile& file);

Added add_foreign_log(Connection& connection, const LogFile& file, const std::vector<LogRun>& runs);
void put_campaign(Connection& connection, const CampaignRecord& campaign);
Added put_run(Connection& connection, const RunRecord& run);
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
Evidence evidence(Connection& connection, const SampleFilter& filter);
std::vector<Iteration> lines_of(Connection& connection, std::int64_t run);

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
void put_noted(Connection& connection, const CampaignRecord& campaign,
               const std::vector<NotedRecord>& runs);

/// What people wrote of each run, the newest last.
std::map<std::int64_t, std::vector<std::string>> notes_by_run(Connection& connection);
void put_note(Connection& connection, std::int64_t run, const std::string& text);
void put_tag(Connection& connection, const std::string& name, const CampaignName& campaign);
std::vector<CampaignContents> contents(Connection& connection, const SampleFilter& filter);
std::vector<CampaignName> campaigns(Connection& connection,
                                    const std::optional<std::string>& sweep);
std::optional<SampleFilter> selection(Connection& connection, const std::string& name);
std::vector<RunName> runs_named(Connection& connection, const std::string& name);

}  // namespace pippin::db
