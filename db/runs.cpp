// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <iterator>
#include <unordered_map>

#include "core/base/host_list.h"
#include "core/base/whole_number.h"
#include "core/records/point.h"
#include "db/batch.h"
#include "db/iteration_blocks.h"
#include "db/json.h"
#include "db/log_identity.h"
#include "db/nodes.h"
#include "db/operations.h"

namespace pippin::db {

namespace {

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

void put_checkpoints(Connection& connection, std::int64_t run,
                     const std::vector<Checkpoint>& checkpoints) {
  Statement insert = connection.prepare(
      "INSERT INTO checkpoints (run, position, kind, state, step, seconds, derived, size_bytes, "
      "asynchronous, began_at, path) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  std::int64_t position = 0;
  for (const auto& one : checkpoints) {
    std::optional<std::int64_t> asynchronous;
    if (one.asynchronous.has_value()) asynchronous = one.asynchronous.value() ? 1 : 0;
    insert.run(run, ++position, text_of(one.kind), text_of(one.state), one.step, one.seconds,
               one.derived ? 1 : 0, one.bytes, asynchronous, one.began_at, known(one.path));
  }
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

struct PutAllocation {
  std::int64_t id = 0;
  bool is_new = true;
};

PutAllocation put_allocation(Batch& batch, const RunRecord& run) {
  Connection& connection = batch.connection();
  const std::int64_t campaign = batch.campaign_of(run.place).id;
  Statement known = connection.prepare(
      "SELECT id, number FROM allocations WHERE campaign = ? AND name = ? AND attempt = ?");
  if (known.bind(campaign, run.place.job, run.attempt).step()) {
    const std::int64_t id = known.integer(0);
    if (known.maybe_integer(1) != run.place.allocation) {
      connection.prepare("UPDATE allocations SET number = ? WHERE id = ?")
          .run(run.place.allocation, id);
    }
    return {id, false};
  }
  connection
      .prepare("INSERT INTO allocations (campaign, name, attempt, number) VALUES (?, ?, ?, ?)")
      .run(campaign, run.place.job, run.attempt, run.place.allocation);
  return {connection.last_id()};
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

const std::string& insert_run() {
  static const std::string text =
      "INSERT INTO runs (name, point, allocation, repeat, position, state, evidence, "
      "exit_code, recompute, started_at, ended_at, log, command, script, environment, "
      "node_list, gpu_model, driver, nccl, git_commit, host, scraper_version, resolution_ms, "
      "last_iteration, planned_iterations, nan_from, derived, noted_spread_ms) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
  return text;
}

const std::string& replace_run() {
  static const std::string text =
      insert_run() +
      " ON CONFLICT (allocation, name) DO UPDATE SET point = excluded.point, "
      "repeat = excluded.repeat, position = excluded.position, state = excluded.state, "
      "evidence = excluded.evidence, exit_code = excluded.exit_code, "
      "recompute = excluded.recompute, started_at = excluded.started_at, "
      "ended_at = excluded.ended_at, log = excluded.log, command = excluded.command, "
      "script = excluded.script, environment = excluded.environment, "
      "node_list = excluded.node_list, gpu_model = excluded.gpu_model, "
      "driver = excluded.driver, nccl = excluded.nccl, git_commit = excluded.git_commit, "
      "host = excluded.host, scraper_version = excluded.scraper_version, "
      "resolution_ms = excluded.resolution_ms, last_iteration = excluded.last_iteration, "
      "planned_iterations = excluded.planned_iterations, nan_from = excluded.nan_from, "
      "derived = excluded.derived, noted_spread_ms = excluded.noted_spread_ms";
  return text;
}

void put_run_row(Connection& connection, const std::string& sql, const RunRecord& run,
                 std::int64_t allocation, std::optional<std::int64_t> log) {
  const Provenance& from = run.provenance;
  const auto recompute = run.log ? known(run.log->recompute) : std::nullopt;
  const auto started = from.started_at || !run.log ? from.started_at : run.log->started_at;
  connection.prepare(sql).run(
      run.name, run.point_id, allocation, run.place.repeat, run.place.position, text_of(run.state),
      known(run.evidence), run.exit_code, recompute, started, from.ended_at, log,
      known(from.command), known(from.script), known(from.environment), known(from.node_list),
      known(from.gpu_model), known(from.driver), known(from.nccl), known(from.git_commit),
      known(from.host), run.log ? run.log->scraper_version : 0,
      run.log ? run.log->resolution_ms : std::nullopt,
      run.log ? last_iteration(*run.log) : std::nullopt,
      run.log ? run.log->planned_iterations : std::nullopt,
      run.log ? run.log->nan_from : std::nullopt, run.log ? derived_text(*run.log) : std::nullopt,
      run.log ? run.log->noted_spread_ms : std::nullopt);
}

}  // namespace

std::optional<std::string> derived_text(const LogRun& run) {
  if (run.derived.empty()) return std::nullopt;
  std::string text;
  for (const auto& [name, law] : run.derived)
    fmt::format_to(std::back_inserter(text), "{}{}: {}", text.empty() ? "" : "; ", name, law.text);
  return text;
}

Count last_iteration(const LogRun& run) {
  if (run.iterations.empty()) return std::nullopt;
  const Iteration last = run.iterations.bare(run.iterations.size() - 1);
  const Count& planned = run.planned_iterations;
  const Value* asked = find_value(run.arguments, "log_interval");
  const Count said = asked && asked->number ? whole_number(*asked->number) : std::nullopt;
  const bool is_span = (last.flags & kWholeRun) != 0;  // which ends where the run did
  const auto interval = std::max({is_span ? 1 : last.interval, said.value_or(1), std::int64_t{1}});
  const bool is_whole = planned && last.number >= 0 && last.number < *planned &&
                        interval - last.number % interval > *planned - last.number;
  return is_whole ? planned : Count(last.number);
}

namespace {

/// All records of a run but its lines.
void delete_but_lines(Connection& connection, std::int64_t run) {
  connection.prepare("DELETE FROM rank_memory WHERE run = ?").run(run);
  connection.prepare("DELETE FROM run_arguments WHERE run = ?").run(run);
  connection.prepare("DELETE FROM slowest_ranks WHERE run = ?").run(run);
  connection.prepare("DELETE FROM checkpoints WHERE run = ?").run(run);
  connection.prepare("DELETE FROM run_digests WHERE run = ?").run(run);
}

void put_but_lines(Batch& batch, std::int64_t run, const LogRun& log,
                   const std::optional<std::int64_t>& warmup) {
  Connection& connection = batch.connection();
  put_arguments(connection, run, log.arguments);
  put_memory(connection, run, log.memory);
  put_slowest_ranks(connection, run, log.slowest_ranks);
  put_checkpoints(connection, run, log.checkpoints);
  batch.add_digest(run, log.iterations, warmup);
}

}  // namespace

void delete_records(Connection& connection, std::int64_t run) {
  delete_iterations(connection, run);
  delete_but_lines(connection, run);
}

void add_records(Batch& batch, std::int64_t run, const LogRun& log,
                 const std::optional<std::int64_t>& warmup) {
  put_iterations(batch.connection(), run, log.iterations);
  put_but_lines(batch, run, log, warmup);
}

std::int64_t replace_records(Batch& batch, std::int64_t run, const LogRun& log,
                             const std::optional<std::int64_t>& warmup) {
  const std::int64_t before = count_iterations(batch.connection(), run);
  replace_iterations(batch.connection(), run, log.iterations);
  delete_but_lines(batch.connection(), run);
  put_but_lines(batch, run, log, warmup);
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

namespace {

std::int64_t now() { return static_cast<std::int64_t>(std::time(nullptr)); }

}  // namespace

std::int64_t add_log(Connection& connection, const LogFile& file,
                     const std::optional<FirstLine>& first, bool of_campaign) {
  connection
      .prepare(
          "INSERT INTO logs (path, size_bytes, content_hash, head_hash, head, collected_at, "
          "first_iteration, first_time_ms, of_campaign) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .run(file.path().native(), file.size_bytes(), file.content_hash(), file.head_hash(),
           Bytes{file.head()}, now(), first ? std::optional(first->iteration) : std::nullopt,
           first ? std::optional(first->step_time_ms) : std::nullopt, of_campaign ? 1 : 0);
  return connection.last_id();
}

void change_log(Connection& connection, std::int64_t id, const LogFile& file,
                const std::optional<FirstLine>& first) {
  connection
      .prepare(
          "UPDATE logs SET path = ?, size_bytes = ?, content_hash = ?, head_hash = ?, head = ?, "
          "collected_at = ?, first_iteration = ?, first_time_ms = ? WHERE id = ?")
      .run(file.path().native(), file.size_bytes(), file.content_hash(), file.head_hash(),
           Bytes{file.head()}, now(), first ? std::optional(first->iteration) : std::nullopt,
           first ? std::optional(first->step_time_ms) : std::nullopt, id);
}

namespace {

/// One attempt of a run counts; what an earlier one left makes room for it.
void delete_other_attempts(Batch& batch, const RunRecord& run, std::int64_t allocation,
                           std::int64_t heir) {
  Connection& connection = batch.connection();
  Statement others = connection.prepare(
      "SELECT runs.id, runs.log FROM runs JOIN allocations ON allocations.id = runs.allocation "
      "WHERE runs.name = ? AND allocations.campaign = ? AND allocations.id <> ?");
  others.bind(run.name, batch.campaign_of(run.place).id, allocation);
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
  return run.log ? db::first_line_of(*run.log) : std::nullopt;
}

/// Foreign logs of the same content, which the run's log was taken for.
std::vector<std::int64_t> foreign_copies(Connection& connection, const RunRecord& run) {
  std::vector<std::int64_t> copies;
  if (!run.file) return copies;
  for (const auto& copy : foreign_logs_that_begin(connection, *run.file, first_line_of(run)))
    copies.push_back(copy.id);
  return copies;
}

/// Stores or changes the run's log; returns its id, nothing where there is none.
std::optional<std::int64_t> put_log(Connection& connection, const std::optional<std::int64_t>& log,
                                    const RunRecord& run) {
  if (!run.file) return log;
  if (!log) return add_log(connection, *run.file, first_line_of(run), true);
  change_log(connection, *log, *run.file, first_line_of(run));
  return log;
}

}  // namespace

AddedLog put_run(Batch& batch, const RunRecord& run, bool is_only_attempt) {
  Connection& connection = batch.connection();
  if (batch.has_deleted_runs() &&
      is_deleted(connection, {run.place.sweep, run.place.campaign}, run.name))
    return {};
  const PutAllocation allocation = put_allocation(batch, run);
  const auto before =
      allocation.is_new ? std::nullopt : stored_run(connection, allocation.id, run.name);
  const auto copies = foreign_copies(connection, run);
  const auto had_log = before ? before->log : std::nullopt;
  Added added{run.file && !had_log, before ? 0 : 1, 0, 0};
  const auto log = put_log(connection, had_log, run);
  put_run_row(connection, before ? replace_run() : insert_run(), run, allocation.id, log);
  const std::int64_t id = before ? before->id : connection.last_id();
  // Its trainer knows its model better than who planned it.
  if (run.log && run.log->configured && !has_usual_shape(run.log->point.model))
    batch.tell_model(run.point_id, run.log->point.model);
  for (const auto copy : copies) delete_foreign_log(connection, copy, id);
  if (!is_only_attempt) delete_other_attempts(batch, run, allocation.id, id);
  if (before) {
    put_nodes(batch, id, nodes_of(run));
  } else {
    add_nodes(batch, id, nodes_of(run));
  }
  put_canaries(connection, id, allocation.id, run);
  if (before && run.log) {
    added.iterations = replace_records(batch, id, *run.log, batch.campaign_of(run.place).warmup);
  } else if (before) {
    delete_records(connection, id);
  } else if (run.log) {
    add_records(batch, id, *run.log, batch.campaign_of(run.place).warmup);
    added.iterations = static_cast<std::int64_t>(run.log->iterations.size());
  }
  return {added, log};
}

}  // namespace pippin::db
