// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "db/operations.h"

namespace pippin::db {

namespace {

constexpr const char* kNotedOrder = "noted";  // campaigns.run_order of what was never run by us

void refuse_measured(Connection& connection, const std::string& sweep) {
  Statement row = connection.prepare(
      "SELECT 1 FROM campaigns JOIN sweeps ON sweeps.id = campaigns.sweep "
      "WHERE sweeps.name = ? AND run_order IS NOT ?");
  if (!row.bind(sweep, kNotedOrder).step()) return;
  bad_input(
      "{}: a sweep '{}' was measured; noted results of that name would be mixed with it: rename "
      "the file of notes, or name another database with --db",
      connection.path().string(), printable(sweep));
}

/// A run by its point and its place among the point's runs: its name is a line of a document, which
/// moves.
using RunKey = std::pair<std::string, int>;

/// Gives the runs of a sweep their keys, in their order.
class RunKeys {
 public:
  RunKey next(const std::string& point) { return {point, ++seen_[point]}; }

 private:
  std::map<std::string, int> seen_;
};

/// What people wrote of runs, or set them aside for, and when.
using Said = std::vector<std::pair<std::string, std::int64_t>>;
struct PeoplesNotes {
  std::map<RunKey, Said> notes, drops;
};

/// Whether a note is what the run's row said when it was read: cells of it, with "; " between.
bool is_of_document(Connection& connection, std::int64_t run, const std::string& note) {
  Statement cells = connection.prepare("SELECT value FROM arguments WHERE run = ?");
  std::set<std::string> values;
  for (cells.bind(run); cells.step();) values.insert(cells.text(0));
  if (values.count(note)) return true;
  const auto between = note.find("; ");
  return between != std::string::npos && values.count(note.substr(0, between)) &&
         values.count(note.substr(between + 2));
}

/// Deletes what stood in the notes and may no longer; gives back what people said of it since.
PeoplesNotes delete_old_runs(Connection& connection, const std::string& sweep) {
  Statement runs = connection.prepare(
      "SELECT runs.id, runs.point, runs.allocation FROM runs "
      "JOIN allocations ON allocations.id = runs.allocation "
      "JOIN campaigns ON campaigns.id = allocations.campaign "
      "JOIN sweeps ON sweeps.id = campaigns.sweep WHERE sweeps.name = ? ORDER BY runs.id");
  PeoplesNotes kept;
  RunKeys keys;
  std::vector<std::int64_t> ids;
  std::set<std::int64_t> allocations;
  for (runs.bind(sweep); runs.step();) {
    ids.push_back(runs.integer(0));
    allocations.insert(runs.integer(2));
    const RunKey key = keys.next(runs.text(1));
    Statement notes =
        connection.prepare("SELECT text, written_at FROM notes WHERE run = ? ORDER BY id");
    for (notes.bind(ids.back()); notes.step();) {
      if (!is_of_document(connection, ids.back(), notes.text(0)))
        kept.notes[key].emplace_back(notes.text(0), notes.integer(1));
    }
    Statement drop =
        connection.prepare("SELECT reason, dropped_at FROM dropped_runs WHERE run = ?");
    if (drop.bind(ids.back()).step()) kept.drops[key] = {{drop.text(0), drop.integer(1)}};
  }
  for (const std::int64_t id : ids) delete_run(connection, id);
  Statement empty = connection.prepare(
      "DELETE FROM allocations WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM runs WHERE allocation = "
      "?1)");
  for (const std::int64_t id : allocations) empty.run(id);
  return kept;
}

void put_said(Connection& connection, const std::string& table, std::int64_t run,
              const std::map<RunKey, Said>& all, const RunKey& key) {
  const auto said = all.find(key);
  if (said == all.end()) return;
  Statement insert = connection.prepare("INSERT INTO " + table + " VALUES (?, ?, ?)");
  for (const auto& [text, at] : said->second) insert.run(run, text, at);
}

/// The run that was stored last.
std::int64_t newest_run(Connection& connection) {
  return connection.number("SELECT max(id) FROM runs");
}

}  // namespace

void refuse_noted(Connection& connection, const std::string& sweep) {
  Statement row = connection.prepare(
      "SELECT 1 FROM campaigns JOIN sweeps ON sweeps.id = campaigns.sweep "
      "WHERE sweeps.name = ? AND run_order = ?");
  if (!row.bind(sweep, kNotedOrder).step()) return;
  bad_input(
      "{}: the results of a sweep '{}' were noted by hand and would be mixed with what is "
      "measured: "
      "rename the sweep, or name another database with --db",
      connection.path().string(), printable(sweep));
}

void delete_empty_allocations(Connection& connection) {
  connection.run("DELETE FROM allocations WHERE id NOT IN (SELECT allocation FROM runs)");
}

void put_noted(Batch& batch, const CampaignRecord& campaign, const std::vector<NotedRecord>& runs) {
  Connection& connection = batch.connection();
  refuse_measured(connection, campaign.sweep);
  PeoplesNotes kept = delete_old_runs(connection, campaign.sweep);
  CampaignRecord record = campaign;
  record.order = kNotedOrder;
  put_campaign(connection, record);
  RunKeys keys;
  for (const auto& noted : runs) {
    put_run(batch, noted.run, true);  // all of the sweep were deleted above
    const std::int64_t id = newest_run(connection);
    if (!noted.note.empty()) put_note(connection, id, noted.note);
    const RunKey key = keys.next(noted.run.point_id);
    put_said(connection, "notes (run, text, written_at)", id, kept.notes, key);
    put_said(connection, "dropped_runs (run, reason, dropped_at)", id, kept.drops, key);
  }
}

}  // namespace pippin::db
