// SPDX-License-Identifier: Apache-2.0
#include "db/database.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "db/digests.h"
#include "db/home.h"
#include "db/lock.h"
#include "db/merge.h"
#include "db/migrate.h"
#include "db/operations.h"
#include "db/sqlite.h"

namespace pippin {

namespace {

fs::path checked(const fs::path& path, const OpenDatabase& how) {
  std::error_code error;
  if ((!how.create || how.read_only) && !fs::exists(path, error))
    bad_input("{}: no such database; `pippin run` or `pippin collect` makes one", path.string());
  return path;
}

void prepare(db::Connection& connection, bool network, const OpenDatabase& how) {
  if (how.most_pages > 0) connection.run(fmt::format("PRAGMA max_page_count = {}", how.most_pages));
  connection.run("PRAGMA foreign_keys = ON");
  // They are for people's SQL: what is written here are names of enumerations, and for each row of
  // runs SQLite makes a temporary table of the states.
  connection.run("PRAGMA ignore_check_constraints = ON");
  if (!connection.read_only()) connection.run("PRAGMA synchronous = FULL");
  connection.run(fmt::format("PRAGMA cache_size = -{}", how.cache_kib));
  db::migrate(connection);
  if (connection.read_only()) return;
  connection.run_patiently(network ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL");
}

}  // namespace

Database::Database(const fs::path& path, const OpenDatabase& how) {
  checked(path, how);
  if (how.read_only) {
    const auto opened = identity_on_disk(path);
    home_ = std::make_unique<Home>(path, how, db::Connection::ReadOnly{true});
    home_->opened = opened;
    home_->snapshot =
        std::make_unique<db::Transaction>(home_->connection, db::Transaction::Kind::kRead);
    prepare(home_->connection, home_->network, how);
    return;
  }
  home_ = std::make_unique<Home>(path, how);
  try {
    const auto lock = home_->lock();
    prepare(home_->connection, home_->network, how);
  } catch (const Error&) {
    // SQLite's log needs a file beside it that a full disk has no room for; what is there can be
    // read.
    if (how.create || !home_->connection.met_full_disk()) throw;
    home_ = std::make_unique<Home>(path, how, db::Connection::ReadOnly{true});
    prepare(home_->connection, home_->network, how);
  }
}

Database::~Database() = default;
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;

bool Database::is_as_opened() const {
  const auto now = identity_on_disk(home_->connection.path());
  const bool is_same_file = now && home_->opened && now->inode == home_->opened->inode;
  return is_same_file && (!home_->connection.is_unlocked() || now == home_->opened);
}

void Database::sum_up_by(Digester digester) { home_->digester = std::move(digester); }

std::vector<Added> Database::add_foreign_logs(const std::vector<ForeignLog>& logs,
                                              const std::vector<ReadFile>& others) {
  const auto lock = home_->lock();
  db::Transaction transaction(home_->connection);
  db::Batch batch(home_->connection, home_->digester);
  std::vector<Added> added;
  added.reserve(logs.size());
  for (const auto& log : logs) {
    if (log.forgive && batch.has_deleted_logs()) db::forgive_log(home_->connection, log.file);
    const auto stored = db::add_foreign_log(batch, log.file, log.runs, !log.parts.empty());
    added.push_back(stored.added);
    if (stored.is_older_copy) continue;
    if (log.read) db::put_read_file(home_->connection, *log.read, stored.log);
    db::put_parts(batch, log.parts, stored.log);
  }
  for (const auto& file : others) db::put_read_file(home_->connection, file, std::nullopt);
  transaction.commit();
  return added;
}

Added Database::add_foreign_log(const LogFile& file, const std::vector<LogRun>& runs) {
  return add_foreign_logs({{file, runs}}).front();
}

std::unordered_map<std::string, ReadFile> Database::read_files(const fs::path& path) {
  const auto lock = home_->lock();
  return db::read_files(home_->connection, path);
}

bool Database::has_told_logs() {
  const auto lock = home_->lock();
  return db::has_told_logs(home_->connection);
}

std::vector<ToldLog> Database::told_logs(const fs::path& path, const fs::path& read_path) {
  const auto lock = home_->lock();
  return db::told_logs(home_->connection, path, read_path);
}

void Database::put_campaign(const CampaignRecord& campaign) {
  const auto lock = home_->lock();
  db::Transaction transaction(home_->connection);
  db::refuse_noted(home_->connection, campaign.sweep);
  db::put_campaign(home_->connection, campaign);
  transaction.commit();
}

Added Database::put_run(const RunRecord& run) { return put_runs({&run, 1}); }

Added Database::put_runs(std::span<const RunRecord> runs, const std::vector<ReadFile>& others) {
  const auto lock = home_->lock();
  db::Transaction transaction(home_->connection);
  db::Batch batch(home_->connection, home_->digester);
  Added sum;
  for (const auto& run : runs) {
    const auto stored = db::put_run(batch, run);
    sum.logs += stored.added.logs;
    sum.runs += stored.added.runs;
    sum.iterations += stored.added.iterations;
    if (run.read) db::put_read_file(home_->connection, *run.read, stored.log);
  }
  for (const auto& file : others) db::put_read_file(home_->connection, file, std::nullopt);
  transaction.commit();
  return sum;
}

void Database::put_noted(const std::vector<NotedSweep>& sweeps) {
  const auto lock = home_->lock();
  db::Transaction transaction(home_->connection);
  db::delete_empty_allocations(home_->connection);
  db::Batch batch(home_->connection, home_->digester);
  for (const auto& sweep : sweeps) db::put_noted(batch, sweep.campaign, sweep.runs);
  transaction.commit();
}

Added Database::add_network_tables(const LogFile& file, std::int64_t taken_at,
                                   const std::vector<CanaryFigures>& tables) {
  const auto lock = home_->lock();
  db::Transaction transaction(home_->connection);
  const Added added = db::add_network_tables(home_->connection, file, taken_at, tables);
  transaction.commit();
  return added;
}

std::int64_t Database::changes() const { return home_->connection.changes(); }

std::int64_t Database::moment() {
  const auto lock = home_->lock();
  return db::moment_of(home_->connection);
}

void Database::put_digests(const std::vector<DigestRecord>& digests, std::int64_t version,
                           std::int64_t moment) {
  if (home_->connection.read_only()) return;
  const auto lock = home_->lock();
  db::Transaction transaction(home_->connection);
  if (db::moment_of(home_->connection) != moment) return;
  for (const auto& record : digests) db::put_digest(home_->connection, record, version);
  transaction.commit();
}

void Database::put_rows(const SampleFilter& of, const std::vector<Summary>& rows,
                        std::int64_t version, std::int64_t moment) {
  if (home_->connection.read_only()) return;
  const auto lock = home_->lock();
  db::Transaction transaction(home_->connection);
  if (db::moment_of(home_->connection) != moment) return;
  db::put_rows(home_->connection, of, rows, version);
  transaction.commit();
}

CampaignName campaign_name_of(const std::string& text) {
  const auto slash = text.rfind('/');
  const auto number =
      slash == std::string::npos ? std::nullopt : parse_integer(text.substr(slash + 1));
  if (!number) return {text, {}};
  return {text.substr(0, slash), number};
}

std::string text_of(const CampaignName& campaign) {
  return campaign.number ? fmt::format("{}/{}", campaign.sweep, *campaign.number) : campaign.sweep;
}

std::int64_t Database::newest_number(const std::string& sweep) {
  const auto lock = home_->lock();
  db::Statement number = home_->connection.prepare(
      "SELECT max(number) FROM (SELECT number FROM campaigns JOIN sweeps ON sweeps.id = "
      "campaigns.sweep WHERE sweeps.name = ?1 "
      "UNION ALL SELECT campaign FROM deleted_runs WHERE sweep = ?1)");
  number.bind(sweep).step();
  return number.integer(0);
}

std::optional<SampleFilter> Database::selection(const std::string& name) {
  const auto lock = home_->lock();
  return db::selection(home_->connection, name);
}

void Database::put_tag(const std::string& tag, const CampaignName& campaign) {
  const auto lock = home_->lock();
  db::Transaction transaction(home_->connection);
  db::put_tag(home_->connection, tag, campaign);
  transaction.commit();
}

std::unordered_map<std::string, RecordedRun> Database::recorded_runs(const CampaignName& campaign) {
  const auto lock = home_->lock();
  return db::recorded_runs(home_->connection, campaign);
}

void Database::each_good_run(const CampaignName& campaign, const std::string& started,
                             const std::function<void(const std::string& run)>& take) {
  const auto lock = home_->lock();
  db::each_good_run(home_->connection, campaign, started, take);
}

void Database::each_recorded_run(const CampaignName& campaign,
                                 const std::function<void(const std::string& run)>& take) {
  const auto lock = home_->lock();
  db::each_recorded_run(home_->connection, campaign, take);
}

std::string Database::recorded_evidence(const CampaignName& campaign, const std::string& run) {
  const auto lock = home_->lock();
  return db::recorded_evidence(home_->connection, campaign, run);
}

std::vector<RunName> Database::runs_named(const std::string& name) {
  const auto lock = home_->lock();
  return db::runs_named(home_->connection, name);
}

std::vector<RunName> Database::runs_of(const SampleFilter& filter) {
  const auto lock = home_->lock();
  return db::runs_of(home_->connection, filter);
}

void Database::put_note(const std::vector<std::int64_t>& runs, const std::string& text) {
  const auto lock = home_->lock();
  db::Transaction transaction(home_->connection);
  for (const std::int64_t run : runs) db::put_note(home_->connection, run, text);
  transaction.commit();
}

void Database::drop(const Chosen& chosen, const std::string& reason) {
  const auto lock = home_->lock();
  db::Transaction transaction(home_->connection);
  db::drop(home_->connection, chosen, reason);
  transaction.commit();
}

std::int64_t Database::take_back(const Chosen& chosen) {
  const auto lock = home_->lock();
  db::Transaction transaction(home_->connection);
  const std::int64_t count = db::take_back(home_->connection, chosen);
  transaction.commit();
  return count;
}

std::int64_t Database::delete_forever(const Chosen& chosen) {
  const auto lock = home_->lock();
  db::Transaction transaction(home_->connection);
  const std::int64_t count = db::delete_forever(home_->connection, chosen);
  transaction.commit();
  return count;
}

bool Database::rename(const std::string& from, const std::string& to) {
  const auto lock = home_->lock();
  db::Transaction transaction(home_->connection);
  const bool is_known = db::rename(home_->connection, from, to);
  transaction.commit();
  return is_known;
}

std::map<std::string, std::string> Database::folders() {
  const auto lock = home_->lock();
  return db::folders(home_->connection);
}

Merged Database::merge(const fs::path& other, const std::map<std::string, std::int64_t>& begun) {
  std::error_code none;
  if (fs::equivalent(other, home_->connection.path(), none)) return {};
  const auto lock = home_->lock();
  const db::Other attached(home_->connection, other, home_->patience);
  const auto before = fs::last_write_time(other);
  home_->connection.run("PRAGMA ignore_check_constraints = OFF");  // others' rows are anybody's
  db::Transaction transaction(home_->connection);
  Merged merged;
  try {
    merged = db::merge(home_->connection, begun);
  } catch (const Error&) {
    // Ours kept its rules until these came.
    if (!home_->connection.met_contradiction()) throw;
    bad_input("{}: is damaged: its rows contradict each other; nothing of it was stored",
              other.string());
  }
  if (fs::last_write_time(other) != before)
    machine_failed("{}: was changed while it was read; repeat the command", other.string());
  transaction.commit();
  return merged;
}

void Database::forgive(const LogFile& log) {
  const auto lock = home_->lock();
  db::Transaction transaction(home_->connection);
  db::forgive_log(home_->connection, log);
  transaction.commit();
}

void Database::forgive(const CampaignName& campaign, const std::string& run) {
  const auto lock = home_->lock();
  db::Transaction transaction(home_->connection);
  db::forgive_run(home_->connection, campaign, run);
  transaction.commit();
}

std::vector<DroppedRuns> Database::dropped(const SampleFilter& filter) {
  const auto lock = home_->lock();
  return db::dropped(home_->connection, filter);
}

SetAside Database::set_aside(const CampaignName& campaign) {
  const auto lock = home_->lock();
  return db::set_aside(home_->connection, campaign);
}

}  // namespace pippin
