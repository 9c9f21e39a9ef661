// SPDX-License-Identifier: Apache-2.0
#include <ctime>

#include "core/base/error.h"
#include "core/base/text.h"
#include "db/operations.h"
#include "db/points.h"

namespace pippin::db {

namespace {

std::optional<std::int64_t> campaign_named(Connection& connection, const CampaignName& campaign) {
  Statement row = connection.prepare(
      "SELECT campaigns.id FROM campaigns JOIN sweeps ON sweeps.id = campaigns.sweep "
      "WHERE sweeps.name = ?1 AND (?2 IS NULL OR number = ?2) ORDER BY number DESC LIMIT 1");
  if (!row.bind(campaign.sweep, campaign.number).step()) return std::nullopt;
  return row.integer(0);
}

bool has_sweep(Connection& connection, const std::string& name) {
  Statement row = connection.prepare("SELECT 1 FROM sweeps WHERE name = ?");
  return row.bind(name).step();
}

}  // namespace

std::map<std::int64_t, std::vector<std::string>> notes_by_run(Connection& connection) {
  Statement rows = connection.prepare("SELECT run, text FROM notes ORDER BY id");
  std::map<std::int64_t, std::vector<std::string>> notes;
  while (rows.step()) notes[rows.integer(0)].push_back(rows.text(1));
  return notes;
}

void put_note(Connection& connection, std::int64_t run, const std::string& text) {
  connection.prepare("INSERT INTO notes (run, text, written_at) VALUES (?, ?, ?)")
      .run(run, text, static_cast<std::int64_t>(std::time(nullptr)));
}

void put_tag(Connection& connection, const std::string& name, const CampaignName& campaign) {
  if (has_sweep(connection, name)) {
    bad_input("{}: '{}' is the name of a sweep; choose another tag", connection.path().string(),
              printable(name));
  }
  const auto id = campaign_named(connection, campaign);
  if (!id) {
    bad_input("{}: there is no campaign {}of a sweep '{}'", connection.path().string(),
              campaign.number ? std::to_string(*campaign.number) + " " : "",
              printable(campaign.sweep));
  }
  connection
      .prepare(
          "INSERT INTO tags (name, campaign) VALUES (?, ?) ON CONFLICT (name) DO UPDATE "
          "SET campaign = excluded.campaign")
      .run(name, *id);
}

std::vector<CampaignName> campaigns(Connection& connection,
                                    const std::optional<std::string>& sweep) {
  Statement rows = connection.prepare(
      "SELECT sweeps.name, campaigns.number FROM campaigns JOIN sweeps ON sweeps.id = "
      "campaigns.sweep WHERE (?1 IS NULL OR sweeps.name = ?1) AND run_order IS NOT 'noted' "
      "AND campaigns.id NOT IN (SELECT campaign FROM dropped_campaigns) "
      "ORDER BY campaigns.started, campaigns.id");
  std::vector<CampaignName> names;
  for (rows.bind(sweep); rows.step();) names.push_back({rows.text(0), rows.integer(1)});
  return names;
}

std::optional<SampleFilter> selection(Connection& connection, const std::string& name) {
  if (has_sweep(connection, name)) return SampleFilter{name, {}};
  const CampaignName campaign = campaign_name_of(name);
  if (campaign.number && campaign_named(connection, campaign))
    return SampleFilter{campaign.sweep, campaign.number};
  Statement row = connection.prepare(
      "SELECT sweeps.name, campaigns.number FROM tags JOIN campaigns ON campaigns.id = "
      "tags.campaign JOIN sweeps ON sweeps.id = campaigns.sweep WHERE tags.name = ?");
  if (!row.bind(name).step()) return std::nullopt;
  return SampleFilter{row.text(0), row.integer(1)};
}

namespace {

constexpr const char* kOfCampaign =
    " FROM runs JOIN allocations ON allocations.id = runs.allocation "
    "JOIN campaigns ON campaigns.id = allocations.campaign "
    "JOIN sweeps ON sweeps.id = campaigns.sweep WHERE sweeps.name = ? AND campaigns.number = ?";

}  // namespace

std::unordered_map<std::string, RecordedRun> recorded_runs(Connection& connection,
                                                           const CampaignName& campaign) {
  Statement rows =
      connection.prepare(std::string("SELECT runs.name, runs.state, runs.evidence") + kOfCampaign);
  std::unordered_map<std::string, RecordedRun> runs;
  for (rows.bind(campaign.sweep, campaign.number); rows.step();)
    runs[rows.text(0)] = {state_in(rows, 1), rows.text(2)};
  return runs;
}

void each_good_run(Connection& connection, const CampaignName& campaign, const std::string& started,
                   const std::function<void(const std::string& run)>& take) {
  Statement rows = connection.prepare(std::string("SELECT runs.name") + kOfCampaign +
                                      " AND campaigns.started = ? AND runs.state = ?");
  for (rows.bind(campaign.sweep, campaign.number, started, text_of(RunState::kOk)); rows.step();)
    take(rows.text(0));
}

void each_recorded_run(Connection& connection, const CampaignName& campaign,
                       const std::function<void(const std::string& run)>& take) {
  Statement rows = connection.prepare(std::string("SELECT runs.name") + kOfCampaign);
  for (rows.bind(campaign.sweep, campaign.number); rows.step();) take(rows.text(0));
}

std::string recorded_evidence(Connection& connection, const CampaignName& campaign,
                              const std::string& run) {
  Statement rows = connection.prepare(
      std::string("SELECT runs.evidence") + kOfCampaign +
      " AND runs.name = ? ORDER BY allocations.name DESC, allocations.attempt DESC LIMIT 1");
  return rows.bind(campaign.sweep, campaign.number, run).step() ? rows.text(0) : "";
}

namespace {

constexpr const char* kRunNames =
    "SELECT runs.id, runs.name, sweeps.name, campaigns.number FROM runs "
    "JOIN allocations ON allocations.id = runs.allocation "
    "LEFT JOIN campaigns ON campaigns.id = allocations.campaign "
    "LEFT JOIN sweeps ON sweeps.id = campaigns.sweep WHERE ";

std::vector<RunName> run_names(Statement& rows) {
  std::vector<RunName> runs;
  while (rows.step())
    runs.push_back({rows.integer(0), rows.text(1), {rows.text(2), rows.maybe_integer(3)}});
  return runs;
}

}  // namespace

std::vector<RunName> runs_named(Connection& connection, const std::string& name) {
  Statement rows = connection.prepare(std::string(kRunNames) +
                                      "runs.name = ?1 OR runs.id = ?2 ORDER BY runs.id");
  rows.bind(name, parse_integer(name));
  return run_names(rows);
}

std::vector<RunName> runs_of(Connection& connection, const SampleFilter& filter) {
  Statement rows = connection.prepare(std::string(kRunNames) +
                                      "(?1 IS NULL OR coalesce(sweeps.name, '') = ?1) AND "
                                      "(?2 IS NULL OR campaigns.number = ?2) ORDER BY runs.id");
  rows.bind(filter.sweep, filter.campaign);
  return run_names(rows);
}

}  // namespace pippin::db
