// SPDX-License-Identifier: Apache-2.0
#include "db/listed_runs.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "db/digests.h"
#include "db/operations.h"
#include "db/points.h"

namespace pippin::db {

namespace {

constexpr const char* kColumns =
    "runs.id, runs.name, sweeps.name, campaigns.number, runs.point, (SELECT points.name FROM "
    "points "
    "WHERE points.id = runs.point), allocations.name, allocations.attempt, runs.position, "
    "runs.state, runs.evidence, runs.started_at, "
    "runs.ended_at, coalesce((SELECT reason FROM dropped_runs WHERE run = runs.id), (SELECT reason "
    "FROM dropped_campaigns WHERE dropped_campaigns.campaign = allocations.campaign)), "
    "(SELECT text FROM notes WHERE notes.run = runs.id ORDER BY notes.id DESC LIMIT 1), "
    "campaigns.warmup, ";
constexpr int kDigest = 16;  // the first of its columns

/// `where`: of ?2.
Statement rows_of(Connection& connection, const std::string& where) {
  return connection.prepare(fmt::format(
      "SELECT {}{} FROM runs JOIN allocations ON allocations.id = runs.allocation "
      "LEFT JOIN campaigns ON campaigns.id = allocations.campaign "
      "LEFT JOIN sweeps ON sweeps.id = campaigns.sweep "
      "LEFT JOIN run_digests ON run_digests.run = runs.id AND run_digests.version = ?1 WHERE {}",
      kColumns, kDigestColumns, where));
}

ListedRun run_at(const Statement& row) {
  ListedRun run;
  int column = 0;
  run.id = row.integer(column++);
  run.name = row.text(column++);
  run.sweep = row.text(column++);
  run.campaign = row.maybe_integer(column++);
  run.point_id = row.text(column++);
  run.point = row.text(column++);
  run.allocation = row.text(column++);
  run.attempt = row.integer(column++);
  run.position = row.integer(column++);
  run.state = state_in(row, column++);
  run.evidence = row.text(column++);
  run.started_at = row.maybe_integer(column++);
  run.ended_at = row.maybe_integer(column++);
  if (!row.null(column)) run.dropped = row.text(column);
  run.note = row.text(column + 1);
  run.warmup = row.maybe_integer(column + 2);
  run.digest = digest_at(row, kDigest);
  return run;
}

constexpr const char* kNewestFirst =
    " ORDER BY coalesce(runs.started_at, runs.ended_at) DESC, runs.id DESC LIMIT ?3";

/// Takes the first `most`, and counts the rest.
RunList list_of(Statement rows, std::size_t most) {
  RunList list;
  while (rows.step()) list.runs.push_back(run_at(rows));
  if (list.runs.size() > most) list.runs.resize(most);
  return list;
}

template <typename Value>
std::size_t count_where(Connection& connection, const std::string& where, const Value& value) {
  Statement row = connection.prepare("SELECT count(*) FROM runs WHERE " + where);
  row.bind(std::nullopt, value).step();
  return static_cast<std::size_t>(row.integer(0));
}

template <typename Value>
RunList newest_where(Connection& connection, const std::string& where, const Value& value,
                     std::size_t most, std::int64_t digest_version) {
  Statement rows = rows_of(connection, where + kNewestFirst);
  rows.bind(digest_version, value, static_cast<std::int64_t>(most));
  RunList list = list_of(std::move(rows), most);
  list.left_out = count_where(connection, where, value) - list.runs.size();
  return list;
}

RunList failed_in(Connection& connection, const CampaignName& campaign, std::size_t most,
                  std::int64_t digest_version) {
  return newest_where(connection,
                      "runs.state <> 'ok' AND runs.allocation IN (SELECT id FROM allocations WHERE "
                      "allocations.campaign = ?2)",
                      id_of(connection, campaign), most, digest_version);
}

}  // namespace

ListedRun listed_run(Connection& connection, std::int64_t run, std::int64_t digest_version) {
  Statement row = rows_of(connection, "runs.id = ?2");
  if (!row.bind(digest_version, run).step())
    bad_input("{}: has no run {}", connection.path().string(), run);
  return run_at(row);
}

RunList listed_runs(Connection& connection, const RunsOf& of, std::int64_t digest_version) {
  // A collector may write meanwhile, and all must be of one moment.
  Transaction moment(connection, Transaction::Kind::kRead);
  RunList list;
  if (of.allocation) {
    Statement rows =
        rows_of(connection, "runs.allocation = ?2 ORDER BY runs.position, runs.id LIMIT ?3");
    rows.bind(digest_version, *of.allocation, static_cast<std::int64_t>(of.most));
    list = list_of(std::move(rows), of.most);
    Statement all = connection.prepare("SELECT count(*) FROM runs WHERE allocation = ?");
    all.bind(*of.allocation).step();
    list.left_out = static_cast<std::size_t>(all.integer(0)) - list.runs.size();
  } else if (!of.point.empty()) {
    list = newest_where(connection, "runs.point = ?2", of.point, of.most, digest_version);
  } else if (of.failed_in) {
    list = failed_in(connection, *of.failed_in, of.most, digest_version);
  } else {
    list = newest_where(connection,
                        "runs.id IN (SELECT run FROM run_nodes JOIN nodes ON nodes.id = "
                        "run_nodes.node WHERE nodes.name = ?2)",
                        of.node, of.most, digest_version);
  }
  moment.commit();
  return list;
}

}  // namespace pippin::db
