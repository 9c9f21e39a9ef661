#include "db/writers.h"
#include "harness/base/error.h"
#include "harness/base/text.h"

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

/// What stood in the notes and no longer does.
void delete_old_runs(Connection& connection, const std::string& sweep) {
  Statement runs = connection.prepare(
      "SELECT runs.id FROM runs JOIN allocations ON allocations.id = runs.allocation "
      "JOIN campaigns ON campaigns.id = allocations.campaign "
      "JOIN sweeps ON sweeps.id = campaigns.sweep WHERE sweeps.name = ?");
  std::vector<std::int64_t> ids;
  for (runs.bind(sweep); runs.step();) ids.push_back(runs.integer(0));
  for (const std::int64_t id : ids) delete_run(connection, id);
  connection.run("DELETE FROM allocations WHERE id NOT IN (SELECT allocation FROM runs)");
}

}  // namespace

void put_noted(Connection& connection, const CampaignRecord& campaign,
               const std::vector<NotedRecord>& runs) {
  refuse_measured(connection, campaign.sweep);
  delete_old_runs(connection, campaign.sweep);
  CampaignRecord record = campaign;
  record.order = kNotedOrder;
  put_campaign(connection, record);
  for (const auto& noted : runs) {
    put_run(connection, noted.run);
    if (!noted.note.empty())
      put_note(connection, runs_named(connection, noted.run.name).back().id, noted.note);
  }
}

}  // namespace pippin::db
