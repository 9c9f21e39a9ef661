#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <stdexcept>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/host_list.h"
#include "core/base/text.h"
#include "core/records/point.h"
#include "db/iteration_blocks.h"
#include "db/json.h"
#include "db/log_identity.h"
#include "db/nodes.h"
#include "db/operations.h"

namespace pippin::db {

namespace {

std::int64_t count_of(Connection& connection, std::string_view sql, std::int64_t id) {
  Statement count = connection.prepare(sql);
  count.bind(id).step();
  return count.integer(0);
}

void put_memory(Connection& connection, std::int64_t run, const std::vector<RankMemory>& memory) {
  Statement insert = connection.prepare(
      "INSERT INTO rank_memory (run, rank, allocated_mib, max_allocated_mib, reserved_mib, "
      "max_reserved_mib) VALUES (?, ?, ?, ?, ?, ?)");
  for (const auto& rank : memory) {
    insert.run(run, rank.rank, rank.allocated_mib, rank.max_allocated_mib, rank.reserved_mib,
               rank.max_reserved_mib);
  }
}

void put_arguments(Connection& connection, std::int64_t run, const NamedValues& arguments) {
  if (arguments.empty()) return;
  connection.prepare("INSERT INTO run_arguments (run, list) VALUES (?, ?)")
      .run(run, json_pairs_of(arguments));
}

void put_slowest_ranks(Connection& connection, std::int64_t run,
                       const std::vector<SlowestRank>& ranks) {
  Statement insert = connection.prepare(
      "INSERT INTO slowest_ranks (run, rank, node, lines, computing_ms, mean_ms) "
      "VALUES (?, ?, ?, ?, ?, ?)");
  for (const auto& one : ranks)
    insert.run(run, one.rank, one.node, one.lines, one.computing_ms, one.mean_ms);
}

/// The scheduler's list, with what the log says of the ranks there; without one the log's.
std::vector<RunNode> nodes_of(const RunRecord& run) {
  const auto names = host_names(run.provenance.node_list);
  std::vector<RunNode> logged;
  if (run.log) logged = run.log->nodes;
  if (!names) return logged;
  std::unordered_map<std::string, std::string> ranks;
  for (const auto& node : logged) ranks[node.name] = node.ranks;
  std::vector<RunNode> nodes;
  nodes.reserve(names->size());
  for (const auto& name : *names) nodes.push_back({name, ranks[name]});
  return nodes;
}

void delete_records(Connection& connection, std::int64_t run) {
  delete_iterations(connection, run);
  connection.prepare("DELETE FROM rank_memory WHERE run = ?").run(run);
  connection.prepare("DELETE FROM run_arguments WHERE run = ?").run(run);
  connection.prepare("DELETE FROM slowest_ranks WHERE run = ?").run(run);
  connection.prepare("DELETE FROM run_digests WHERE run = ?").run(run);
}

/// A file name that no other foreign log has: logs are often called "main_log.txt".
std::string free_name(Connection& connection, const LogFile& file) {
  const std::string stem = file_name_of(file.path().stem().string());
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

/// How far a run came: to its end, where no further line was due.
Count last_iteration(const LogRun& run) {
  if (run.iterations.empty()) return std::nullopt;
  const Iteration& last = run.iterations.back();
  const Count& planned = run.planned_iterations;
  const Value* asked = find_value(run.arguments, "log_interval");
  const auto interval =
      std::max(last.interval, static_cast<std::int64_t>(asked ? asked->number.value_or(1) : 1));
  const auto next = (last.number / interval + 1) * interval;
  const bool is_whole = planned && last.number < *planned && next > *planned;
  return is_whole ? planned : Count(last.number);
}

RunState foreign_state(const LogRun& run) {
  return run.end.value_or(run.iterations.empty() ? RunState::kFailed : RunState::kOk);
}

/// One launch of a foreign log; `position` is its place in the log.
std::int64_t put_foreign_run(Connection& connection, std::int64_t log, std::int64_t allocation,
                             const std::string& name, std::int64_t position, const LogRun& run) {
  put_point(connection, run.point);
  const std::string run_name = position == 1 ? name : fmt::format("{}-{}", name, position);
  Statement put = connection.prepare(
      "INSERT INTO runs (name, point, allocation, position, state, evidence, recompute, "
      "started_at, log, scraper_version, resolution_ms, last_iteration, planned_iterations, "
      "nan_from) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
      "ON CONFLICT (allocation, name) DO UPDATE SET point = excluded.point, "
      "state = excluded.state, evidence = excluded.evidence, recompute = excluded.recompute, "
      "started_at = excluded.started_at, log = excluded.log, "
      "scraper_version = excluded.scraper_version, resolution_ms = excluded.resolution_ms, "
      "last_iteration = excluded.last_iteration, "
      "planned_iterations = excluded.planned_iterations, nan_from = excluded.nan_from "
      "RETURNING id");
  put.bind(run_name, run.point.id, allocation, position, text_of(foreign_state(run)),
           known(run.evidence), known(run.recompute), run.started_at, log, run.scraper_version,
           run.resolution_ms, last_iteration(run), run.planned_iterations, run.nan_from);
  put.step();
  const std::int64_t id = put.integer(0);
  put.step();
  return id;
}

AddedLog add_new_log(Connection& connection, const LogFile& file, const std::vector<LogRun>& runs) {
  const std::int64_t log = put_log(connection, std::nullopt, file, first_line_of(runs), false);
  const std::string name = free_name(connection, file);
  const std::int64_t allocation = add_allocation(connection, name);
  Added added{1, 0, 0, 0};
  for (const auto& run : runs) {
    const auto id = put_foreign_run(connection, log, allocation, name, ++added.runs, run);
    put_nodes(connection, id, run.nodes);
    added.iterations += replace_records(connection, id, run);
  }
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

Added extend_log(Connection& connection, const KnownLog& known_log, const LogFile& file,
                 const std::vector<LogRun>& runs) {
  put_log(connection, known_log.id, file, first_line_of(runs), false);
  const auto points = points_of_log(connection, known_log.id);
  Statement place = connection.prepare(
      "SELECT allocations.id, allocations.name, (SELECT count(*) FROM runs WHERE log = ?1) "
      "FROM allocations JOIN runs ON runs.allocation = allocations.id WHERE runs.log = ?1");
  place.bind(known_log.id).step();
  const std::int64_t allocation = place.integer(0), before = place.integer(2);
  const std::string name = place.text(1);
  Added added;
  std::int64_t position = 0, last = 0;
  for (const auto& run : runs) {
    last = put_foreign_run(connection, known_log.id, allocation, name, ++position, run);
    put_nodes(connection, last, run.nodes);
    added.iterations += replace_records(connection, last, run);
  }
  added.runs = std::max<std::int64_t>(position - before, 0);
  delete_runs_after(connection, known_log.id, position, last);
  drop_like_others(connection, known_log.id, before);
  delete_unused(connection, points);
  return added;
}

/// A better scraper may read more out of a log that is known.
bool read_by_older_scraper(Connection& connection, std::int64_t log,
                           const std::vector<LogRun>& runs) {
  return count_of(connection, "SELECT min(scraper_version) FROM runs WHERE log = ?", log) <
         runs.front().scraper_version;
}

/// Of two copies the one that was read first stays the log's place, of a moved log the new one.
void follow(Connection& connection, const KnownLog& log, const fs::path& path) {
  std::error_code error;
  if (log.path == path.string() || fs::exists(log.path, error)) return;
  connection.prepare("UPDATE logs SET path = ? WHERE id = ?").run(path.string(), log.id);
}

/// `heir`: the run of ours that the log turned out to be.
void delete_foreign_log(Connection& connection, std::int64_t log, std::int64_t heir) {
  const auto points = points_of_log(connection, log);
  delete_runs_after(connection, log, 0, heir);
  delete_unused(connection, points);
  connection.prepare("DELETE FROM logs WHERE id = ?").run(log);
  connection.run(
      "DELETE FROM allocations WHERE campaign IS NULL AND id NOT IN (SELECT allocation FROM runs) "
      "AND id NOT IN (SELECT allocation FROM canary_readings)");
}

std::int64_t campaign_id(Connection& connection, const RunPlace& place) {
  Statement id = connection.prepare(
      "SELECT campaigns.id FROM campaigns JOIN sweeps ON sweeps.id = campaigns.sweep "
      "WHERE sweeps.name = ? AND number = ?");
  if (!id.bind(place.sweep, place.campaign).step())
    throw std::logic_error(
        fmt::format("campaign {} of sweep '{}' is not stored", place.campaign, place.sweep));
  return id.integer(0);
}

std::int64_t put_allocation(Connection& connection, const RunRecord& run) {
  const std::int64_t campaign = campaign_id(connection, run.place);
  connection
      .prepare(
          "INSERT INTO allocations (campaign, name, attempt, number) VALUES (?, ?, ?, ?) "
          "ON CONFLICT (campaign, name, attempt) DO UPDATE SET number = excluded.number")
      .run(campaign, run.place.job, run.attempt, run.place.allocation);
  Statement id = connection.prepare(
      "SELECT id FROM allocations WHERE campaign = ? AND name = ? AND attempt = ?");
  id.bind(campaign, run.place.job, run.attempt).step();
  return id.integer(0);
}

struct Stored {
  std::int64_t id = 0;
  std::optional<std::int64_t> log;
};

std::optional<Stored> stored_run(Connection& connection, std::int64_t allocation,
                                 const std::string& name) {
  Statement run = connection.prepare("SELECT id, log FROM runs WHERE allocation = ? AND name = ?");
  if (!run.bind(allocation, name).step()) return std::nullopt;
  return Stored{run.integer(0), run.maybe_integer(1)};
}

void put_run_row(Connection& connection, const RunRecord& run, std::int64_t allocation,
                 std::optional<std::int64_t> log) {
  const Provenance& from = run.provenance;
  const auto recompute = run.log ? known(run.log->recompute) : std::nullopt;
  const auto started = from.started_at || !run.log ? from.started_at : run.log->started_at;
  connection
      .prepare(
          "INSERT INTO runs (name, point, allocation, repeat, position, state, evidence, "
          "exit_code, recompute, started_at, ended_at, log, command, script, environment, "
          "node_list, gpu_model, driver, nccl, git_commit, host, scraper_version, resolution_ms, "
          "last_iteration, planned_iterations, nan_from) "
          "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
          "ON CONFLICT (allocation, name) DO UPDATE SET point = excluded.point, "
          "repeat = excluded.repeat, position = excluded.position, state = excluded.state, "
          "evidence = excluded.evidence, exit_code = excluded.exit_code, "
          "recompute = excluded.recompute, started_at = excluded.started_at, "
          "ended_at = excluded.ended_at, log = excluded.log, command = excluded.command, "
          "script = excluded.script, environment = excluded.environment, "
          "node_list = excluded.node_list, gpu_model = excluded.gpu_model, "
          "driver = excluded.driver, nccl = excluded.nccl, git_commit = excluded.git_commit, "
          "host = excluded.host, scraper_version = excluded.scraper_version, "
          "resolution_ms = excluded.resolution_ms, last_iteration = excluded.last_iteration, "
          "planned_iterations = excluded.planned_iterations, nan_from = excluded.nan_from")
      .run(run.name, run.point_id, allocation, run.place.repeat, run.place.position,
           text_of(run.state), known(run.evidence), run.exit_code, recompute, started,
           from.ended_at, log, known(from.command), known(from.script), known(from.environment),
           known(from.node_list), known(from.gpu_model), known(from.driver), known(from.nccl),
           known(from.git_commit), known(from.host), run.log ? run.log->scraper_version : 0,
           run.log ? run.log->resolution_ms : std::nullopt,
           run.log ? last_iteration(*run.log) : std::nullopt,
           run.log ? run.log->planned_iterations : std::nullopt,
           run.log ? run.log->nan_from : std::nullopt);
}

}  // namespace

std::int64_t replace_records(Connection& connection, std::int64_t run, const LogRun& log) {
  const std::int64_t before = count_iterations(connection, run);
  delete_records(connection, run);
  put_arguments(connection, run, log.arguments);
  put_iterations(connection, run, log.iterations);
  put_memory(connection, run, log.memory);
  put_slowest_ranks(connection, run, log.slowest_ranks);
  return static_cast<std::int64_t>(log.iterations.size()) - before;
}

void delete_run(Connection& connection, std::int64_t run) {
  delete_records(connection, run);
  delete_canaries(connection, run);
  connection.prepare("DELETE FROM notes WHERE run = ?").run(run);
  connection.prepare("DELETE FROM dropped_runs WHERE run = ?").run(run);
  connection.prepare("DELETE FROM run_nodes WHERE run = ?").run(run);
  connection.prepare("DELETE FROM runs WHERE id = ?").run(run);
}

std::int64_t put_log(Connection& connection, std::optional<std::int64_t> id, const LogFile& file,
                     const std::optional<FirstLine>& first, bool of_campaign) {
  const auto now = static_cast<std::int64_t>(std::time(nullptr));
  connection
      .prepare(
          "INSERT INTO logs (id, path, size_bytes, content_hash, head_hash, head, collected_at, "
          "first_iteration, first_time_ms, of_campaign) "
          "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET path = "
          "excluded.path, "
          "size_bytes = excluded.size_bytes, content_hash = excluded.content_hash, "
          "head_hash = excluded.head_hash, head = excluded.head, collected_at = "
          "excluded.collected_at, first_iteration = excluded.first_iteration, "
          "first_time_ms = excluded.first_time_ms")
      .run(id, file.path().string(), file.size_bytes(), file.content_hash(), hash_of(file.head()),
           Bytes{file.head()}, now, first ? std::optional(first->iteration) : std::nullopt,
           first ? std::optional(first->step_time_ms) : std::nullopt, of_campaign ? 1 : 0);
  return id ? *id : connection.last_id();
}

AddedLog add_foreign_log(Connection& connection, const LogFile& file,
                         const std::vector<LogRun>& runs) {
  if (runs.empty()) return {};
  // A campaign's log that is still growing is its own collector's business.
  if (const auto own = own_log(connection, file)) return {{}, own};
  const auto known_logs = foreign_logs_that_begin(connection, file, first_line_of(runs));
  if (!known_logs.empty()) {
    const KnownLog& log = known_logs.front();
    const bool same = log.size_bytes == file.size_bytes();
    if (!same || read_by_older_scraper(connection, log.id, runs))
      return {extend_log(connection, log, file, runs), log.id};
    follow(connection, log, file.path());
    return {{}, log.id};
  }
  if (holds_older_copy(connection, file, runs)) return {{}, {}, true};
  if (is_deleted_log(connection, file)) return {};
  return add_new_log(connection, file, runs);
}

Added add_network_tables(Connection& connection, const LogFile& file, std::int64_t taken_at,
                         const std::vector<CanaryFigures>& tables) {
  if (tables.empty()) return {};
  Statement same =
      connection.prepare("SELECT 1 FROM logs WHERE size_bytes = ? AND content_hash = ?");
  if (same.bind(file.size_bytes(), file.content_hash()).step()) return {};
  Statement before = connection.prepare(
      "SELECT logs.id, canary_readings.allocation FROM canary_readings "
      "JOIN logs ON logs.id = canary_readings.log "
      "WHERE canary_readings.log IS NOT NULL AND logs.path = ?");
  const bool is_known = before.bind(file.path().string()).step();
  const std::int64_t log = put_log(
      connection, is_known ? std::optional(before.integer(0)) : std::nullopt, file, {}, false);
  const std::int64_t allocation =
      is_known ? before.integer(1) : add_allocation(connection, free_name(connection, file));
  put_collected_readings(connection, allocation, log, taken_at, tables);
  Added added{is_known ? 0 : 1, 0, 0, 0};
  added.network_tables = static_cast<std::int64_t>(tables.size());
  return added;
}

/// One attempt of a run counts; what an earlier one left makes room for it.
void delete_other_attempts(Connection& connection, const RunRecord& run, std::int64_t allocation,
                           std::int64_t heir) {
  Statement others = connection.prepare(
      "SELECT runs.id, runs.log FROM runs JOIN allocations ON allocations.id = runs.allocation "
      "WHERE runs.name = ? AND allocations.campaign = ? AND allocations.id <> ?");
  others.bind(run.name, campaign_id(connection, run.place), allocation);
  while (others.step()) {
    delete_records(connection, others.integer(0));
    delete_canaries(connection, others.integer(0));
    connection.prepare("DELETE FROM run_nodes WHERE run = ?").run(others.integer(0));
    hand_over(connection, others.integer(0), heir);
    connection.prepare("DELETE FROM runs WHERE id = ?").run(others.integer(0));
    connection.prepare("DELETE FROM logs WHERE id = ?").run(others.maybe_integer(1));
  }
}

std::optional<FirstLine> first_line_of(const RunRecord& run) {
  return run.log ? first_line_of(*run.log) : std::nullopt;
}

/// Foreign logs of the same content, which the run's log was taken for.
std::vector<std::int64_t> foreign_copies(Connection& connection, const RunRecord& run) {
  std::vector<std::int64_t> copies;
  if (!run.file) return copies;
  for (const auto& copy : foreign_logs_that_begin(connection, *run.file, first_line_of(run)))
    copies.push_back(copy.id);
  return copies;
}

AddedLog put_run(Connection& connection, const RunRecord& run, bool is_only_attempt) {
  if (is_deleted(connection, {run.place.sweep, run.place.campaign}, run.name)) return {};
  const std::int64_t allocation = put_allocation(connection, run);
  const auto before = stored_run(connection, allocation, run.name);
  const auto copies = foreign_copies(connection, run);
  std::optional<std::int64_t> log = before ? before->log : std::nullopt;
  Added added{run.file && !log, before ? 0 : 1, 0, 0};
  if (run.file) log = put_log(connection, log, *run.file, first_line_of(run), true);
  put_run_row(connection, run, allocation, log);
  const std::int64_t id = stored_run(connection, allocation, run.name)->id;
  for (const auto copy : copies) delete_foreign_log(connection, copy, id);
  if (!is_only_attempt) delete_other_attempts(connection, run, allocation, id);
  put_nodes(connection, id, nodes_of(run));
  put_canaries(connection, id, allocation, run);
  if (run.log) {
    added.iterations = replace_records(connection, id, *run.log);
  } else {
    delete_records(connection, id);
  }
  return {added, log};
}

}  // namespace pippin::db
