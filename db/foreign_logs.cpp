// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <vector>

#include "core/base/decompressor.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "db/batch.h"
#include "db/json.h"
#include "db/log_identity.h"
#include "db/nodes.h"
#include "db/operations.h"

namespace pippin::db {

namespace {

/// A file name that no other foreign log has: logs are often called "main_log.txt".
std::string free_name(Connection& connection, const LogFile& file) {
  const std::string stem = file_name_of(name_within(file.path()).stem().string());
  Statement taken =
      connection.prepare("SELECT 1 FROM allocations WHERE name = ? AND campaign IS NULL");
  const std::string& hash = file.content_hash();
  std::string name = stem;
  for (std::size_t digits = 6; taken.bind(name).step() && digits <= hash.size(); digits += 2) {
    name = fmt::format("{}-{}", stem, hash.substr(0, digits));
  }
  return name;
}

std::int64_t add_allocation(Connection& connection, const std::string& name) {
  connection.prepare("INSERT INTO allocations (name) VALUES (?)").run(name);
  return connection.last_id();
}

/// One that measured nothing did not go well, though its log says that training is done.
RunState foreign_state(const LogRun& run) {
  const RunState end = run.end.value_or(RunState::kOk);
  return end == RunState::kOk && run.iterations.empty() ? RunState::kFailed : end;
}

/// A header alone says no cause.
std::string foreign_evidence(const LogRun& run) {
  if (!run.iterations.empty()) return run.evidence;
  if (run.end == RunState::kOk)
    return "the log has no step with a time, though it says: " + run.evidence;
  const bool is_silent = run.evidence.empty() && !run.end;
  return is_silent ? "the log says how the launch began, and tells of no step" : run.evidence;
}

/// One launch of a foreign log; `position` is its place in the log.
struct Launch {
  std::int64_t log = 0, allocation = 0;
  const std::string& name;
  const NamedValues& told;  ///< what a person said of the log, now or before
  std::int64_t position = 0;
};

/// What tells two logs of one name apart, in two databases that are merged, and stays as a log
/// grows.
std::string first_words(const LogRun& run) {
  const auto first = first_line_of(run);
  return fmt::format("{} {} {}", run.started_at.value_or(0), first ? first->iteration : 0,
                     first ? first->step_time_ms : 0.0);
}

/// The point of a launch. Two logs that do not say what ran need not be of one configuration: each
/// is a point of its own.
Point point_of(const Launch& launch, const LogRun& run) {
  LogRun said;
  said.point = run.point;
  said.configured = run.configured;
  const bool has_more = std::any_of(launch.told.begin(), launch.told.end(), [&](const auto& value) {
    return find_value(run.told, value.first) == nullptr;
  });
  if (has_more) tell(said, launch.told);
  if (said.configured) return said.point;
  Point own = run.point;
  own.axes.emplace_back("log", Value{launch.name, std::nullopt});
  const bool is_nameless = own.name.empty() || own.name == point_name({});
  own.name = is_nameless ? launch.name : fmt::format("{}-{}", own.name, launch.name);
  Point identity = own;
  identity.axes.emplace_back("first line", value_of(first_words(run)));
  own.id = point_id(identity);
  return own;
}

void bind_launch(Statement& put, const Launch& launch, const LogRun& run,
                 const std::string& point) {
  const std::string name =
      launch.position == 1 ? launch.name : fmt::format("{}-{}", launch.name, launch.position);
  put.bind(name, point, launch.allocation, launch.position, text_of(foreign_state(run)),
           known(foreign_evidence(run)), known(run.recompute), run.started_at, launch.log,
           run.scraper_version, run.resolution_ms, last_iteration(run), run.planned_iterations,
           run.nan_from, derived_text(run));
}

const std::string& insert_launch() {
  static const std::string text =
      "INSERT INTO runs (name, point, allocation, position, state, evidence, recompute, "
      "started_at, log, scraper_version, resolution_ms, last_iteration, planned_iterations, "
      "nan_from, derived) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
  return text;
}

/// Of a log that was not there before; returns how many iterations it has.
std::int64_t add_launch(Batch& batch, const Launch& launch, const LogRun& run) {
  const Point point = point_of(launch, run);
  batch.put_point(point);
  Statement insert = batch.connection().prepare(insert_launch());
  bind_launch(insert, launch, run, point.id);
  insert.step();
  const std::int64_t id = batch.connection().last_id();
  add_nodes(batch, id, run.nodes);
  add_records(batch, id, run, {});
  return static_cast<std::int64_t>(run.iterations.size());
}

struct PutLaunch {
  std::int64_t id = 0;
  std::int64_t iterations = 0;  ///< that it has more than before
};

/// Of a log that is stored, which may have had it.
PutLaunch put_launch(Batch& batch, const Launch& launch, const LogRun& run) {
  static const std::string text =
      insert_launch() +
      " ON CONFLICT (allocation, name) DO UPDATE SET point = excluded.point, "
      "state = excluded.state, evidence = excluded.evidence, recompute = excluded.recompute, "
      "started_at = excluded.started_at, log = excluded.log, "
      "scraper_version = excluded.scraper_version, resolution_ms = excluded.resolution_ms, "
      "last_iteration = excluded.last_iteration, "
      "planned_iterations = excluded.planned_iterations, nan_from = excluded.nan_from, "
      "derived = excluded.derived "
      "RETURNING id";
  const Point point = point_of(launch, run);
  batch.put_point(point);
  Statement put = batch.connection().prepare(text);
  bind_launch(put, launch, run, point.id);
  put.step();
  const std::int64_t id = put.integer(0);
  put.step();
  put_nodes(batch, id, run.nodes);
  return {id, replace_records(batch, id, run, {})};
}

/// What a person said of a log, or now says.
NamedValues told_of(Connection& connection, std::int64_t log) {
  NamedValues told;
  Statement rows = connection.prepare(
      "SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM logs, "
      "json_each(logs.told) WHERE logs.id = ?");
  for (rows.bind(log); rows.step();) told.emplace_back(rows.text(0), value_of(rows.text(1)));
  return told;
}

/// What is left of it without what was taken back.
NamedValues kept_of(const NamedValues& told) {
  NamedValues kept;
  std::copy_if(told.begin(), told.end(), std::back_inserter(kept),
               [](const auto& value) { return !value.second.text.empty(); });
  return kept;
}

void put_told(Connection& connection, std::int64_t log, const NamedValues& told) {
  if (told.empty()) return;
  const NamedValues kept = kept_of(told);
  connection.prepare("UPDATE logs SET told = ? WHERE id = ?")
      .run(kept.empty() ? std::nullopt : std::optional(json_pairs_of(kept)), log);
}

AddedLog add_new_log(Batch& batch, const LogFile& file, const std::vector<LogRun>& runs) {
  Connection& connection = batch.connection();
  const std::int64_t log = add_log(connection, file, first_line_of(runs), false);
  const std::string name = free_name(connection, file);
  const std::int64_t allocation = add_allocation(connection, name);
  Added added{1, 0, 0, 0};
  const NamedValues& told = runs.front().told;
  put_told(connection, log, told);
  for (const auto& run : runs)
    added.iterations += add_launch(batch, {log, allocation, name, told, ++added.runs}, run);
  return {added, log};
}

std::vector<std::string> points_of_log(Connection& connection, std::int64_t log) {
  Statement rows = connection.prepare("SELECT DISTINCT point FROM runs WHERE log = ?");
  std::vector<std::string> points;
  for (rows.bind(log); rows.step();) points.push_back(rows.text(0));
  return points;
}

/// A log that was read before its header was whole has left a point of its own.
void delete_unused(Connection& connection, const std::vector<std::string>& points) {
  const std::string unused =
      " = ?1 AND NOT EXISTS (SELECT 1 FROM runs WHERE point = ?1) "
      "AND NOT EXISTS (SELECT 1 FROM campaign_points WHERE point = ?1)";
  Statement axes = connection.prepare("DELETE FROM point_axes WHERE point" + unused);
  Statement point = connection.prepare("DELETE FROM points WHERE id" + unused);
  for (const auto& id : points) {
    axes.run(id);
    point.run(id);
  }
}

/// What a log of more lines, or a better scraper, takes for one launch may have been two. `heir`
/// gets their notes.
void delete_runs_after(Connection& connection, std::int64_t log, std::int64_t position,
                       std::int64_t heir) {
  Statement runs = connection.prepare("SELECT id FROM runs WHERE log = ? AND position > ?");
  for (runs.bind(log, position); runs.step();) {
    delete_records(connection, runs.integer(0));
    connection.prepare("DELETE FROM run_nodes WHERE run = ?").run(runs.integer(0));
    hand_over(connection, runs.integer(0), heir);
  }
  connection.prepare("DELETE FROM runs WHERE log = ? AND position > ?").run(log, position);
}

Added extend_log(Batch& batch, const KnownLog& known_log, const LogFile& file,
                 const std::vector<LogRun>& runs, const NamedValues& all_told) {
  Connection& connection = batch.connection();
  change_log(connection, known_log.id, file, first_line_of(runs));
  const auto points = points_of_log(connection, known_log.id);
  Statement place = connection.prepare(
      "SELECT allocations.id, allocations.name, (SELECT count(*) FROM runs WHERE log = ?1) "
      "FROM allocations JOIN runs ON runs.allocation = allocations.id WHERE runs.log = ?1");
  place.bind(known_log.id).step();
  const std::int64_t allocation = place.integer(0), before = place.integer(2);
  const std::string name = place.text(1);
  Added added;
  std::int64_t position = 0, last = 0;
  put_told(connection, known_log.id, all_told);
  const NamedValues told = told_of(connection, known_log.id);
  for (const auto& run : runs) {
    const PutLaunch put =
        put_launch(batch, {known_log.id, allocation, name, told, ++position}, run);
    last = put.id;
    added.iterations += put.iterations;
  }
  added.runs = std::max<std::int64_t>(position - before, 0);
  delete_runs_after(connection, known_log.id, position, last);
  drop_like_others(connection, known_log.id, before);
  delete_unused(connection, points);
  batch.forget_points();
  return added;
}

/// A better scraper may read more out of a log that is known.
bool read_by_older_scraper(Connection& connection, std::int64_t log,
                           const std::vector<LogRun>& runs) {
  Statement oldest = connection.prepare("SELECT min(scraper_version) FROM runs WHERE log = ?");
  oldest.bind(log).step();
  return oldest.integer(0) < runs.front().scraper_version;
}

/// What a person says of a log that is known, now or before.
NamedValues all_told(Connection& connection, std::int64_t log, const std::vector<LogRun>& runs) {
  NamedValues told = runs.front().told;
  add_unsaid(told, told_of(connection, log));
  return told;
}

/// A person may now say another configuration of a log that is known.
bool is_told_anew(Connection& connection, std::int64_t log, const NamedValues& told) {
  if (told.empty()) return false;
  NamedValues now = kept_of(told), before = told_of(connection, log);
  const auto by_name = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::stable_sort(now.begin(), now.end(), by_name);
  std::stable_sort(before.begin(), before.end(), by_name);
  return now != before;
}

/// Of two copies the one that was read first stays the log's place, of a moved log the new one.
void follow(Connection& connection, const KnownLog& log, const fs::path& path) {
  std::error_code error;
  if (log.path == path.string() || fs::exists(log.path, error)) return;
  connection.prepare("UPDATE logs SET path = ? WHERE id = ?").run(path.string(), log.id);
}

}  // namespace

void delete_foreign_log(Connection& connection, std::int64_t log, std::int64_t heir) {
  const auto points = points_of_log(connection, log);
  delete_runs_after(connection, log, 0, heir);
  delete_unused(connection, points);
  connection.prepare("DELETE FROM logs WHERE id = ?").run(log);
  connection.run(
      "DELETE FROM allocations WHERE campaign IS NULL AND id NOT IN (SELECT allocation FROM runs) "
      "AND id NOT IN (SELECT allocation FROM canary_readings)");
}

AddedLog add_foreign_log(Batch& batch, const LogFile& file, const std::vector<LogRun>& runs,
                         bool is_joined) {
  if (runs.empty()) return {};
  Connection& connection = batch.connection();
  // A campaign's log that is still growing is its own collector's business.
  if (batch.has_own_logs()) {
    if (const auto own = own_log(connection, file)) return {{}, own};
  }
  const auto known_logs = foreign_logs_that_begin(connection, file, first_line_of(runs));
  if (!known_logs.empty()) {
    const KnownLog& log = known_logs.front();
    const bool same = log.size_bytes == file.size_bytes();
    const NamedValues told = all_told(connection, log.id, runs);
    const bool told_anew = is_told_anew(connection, log.id, told);
    if (!same || is_joined || told_anew || read_by_older_scraper(connection, log.id, runs)) {
      AddedLog extended{extend_log(batch, log, file, runs, told), log.id};
      extended.added.described = told_anew ? 1 : 0;
      return extended;
    }
    follow(connection, log, file.path());
    return {{}, log.id};
  }
  if (holds_older_copy(connection, file, runs)) return {{}, {}, true};
  if (batch.has_deleted_logs() && is_deleted_log(connection, file)) return {};
  return add_new_log(batch, file, runs);
}

void put_parts(Batch& batch, const std::vector<LogPart>& parts,
               const std::optional<std::int64_t>& log) {
  Connection& connection = batch.connection();
  std::int64_t heir = 0;
  if (log && !parts.empty()) {
    Statement last = connection.prepare("SELECT max(id) FROM runs WHERE log = ?");
    last.bind(*log).step();
    heir = last.integer(0);
  }
  for (const auto& part : parts) {
    if (part.read) put_read_file(connection, *part.read, log);
    if (!log) continue;  // it was deleted for good
    std::optional<FirstLine> first;
    if (part.first_line) first = {part.first_line->number, part.first_line->step_time_ms};
    for (const auto& own : foreign_logs_that_begin(connection, part.file, first)) {
      if (own.id == *log) continue;
      delete_foreign_log(connection, own.id, heir);
      batch.forget_points();
    }
  }
}

namespace {

/// Older pippins kept of these tables all-reduces alone.
void add_collectives(Connection& connection, std::int64_t log,
                     const std::vector<CanaryFigures>& tables) {
  Statement stored = connection.prepare(
      "SELECT allocation, taken_at, EXISTS (SELECT 1 FROM collectives JOIN canary_readings AS r "
      "ON r.id = reading WHERE r.log = ?1) FROM canary_readings WHERE log = ?1");
  if (!stored.bind(log).step() || stored.integer(2) != 0) return;
  const std::int64_t allocation = stored.integer(0), taken_at = stored.integer(1);
  put_collected_readings(connection, allocation, log, taken_at, tables);
}

}  // namespace

Added add_network_tables(Connection& connection, const LogFile& file, std::int64_t taken_at,
                         const std::vector<CanaryFigures>& tables) {
  if (tables.empty()) return {};
  Statement same =
      connection.prepare("SELECT id FROM logs WHERE size_bytes = ? AND content_hash = ?");
  if (same.bind(file.size_bytes(), file.content_hash()).step()) {
    add_collectives(connection, same.integer(0), tables);
    return {};
  }
  Statement before = connection.prepare(
      "SELECT logs.id, canary_readings.allocation FROM canary_readings "
      "JOIN logs ON logs.id = canary_readings.log "
      "WHERE canary_readings.log IS NOT NULL AND logs.path = ?");
  const bool is_known = before.bind(file.path().string()).step();
  const std::int64_t log = is_known ? before.integer(0) : add_log(connection, file, {}, false);
  if (is_known) change_log(connection, log, file, {});
  const std::int64_t allocation =
      is_known ? before.integer(1) : add_allocation(connection, free_name(connection, file));
  put_collected_readings(connection, allocation, log, taken_at, tables);
  Added added{is_known ? 0 : 1, 0, 0, 0};
  added.network_tables = static_cast<std::int64_t>(tables.size());
  return added;
}

}  // namespace pippin::db
