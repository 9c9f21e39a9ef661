// SPDX-License-Identifier: Apache-2.0
// What reports read of a database.
#include "db/home.h"
#include "db/operations.h"
#include "db/stored_lines.h"

namespace pippin {

using db::read_whole;

std::vector<PointSamples> Database::samples(const SampleFilter& filter,
                                            std::int64_t digest_version) {
  const auto lock = home_->lock();
  return read_whole(home_->connection,
                    [&] { return db::samples(home_->connection, filter, digest_version); });
}

namespace {

/// Collects digests and stores them by the thousand, until that fails.
class DigestStore {
 public:
  DigestStore(Database& database, std::int64_t version)
      : database_(database), version_(version), moment_(database.moment()) {}

  void add(const DigestRecord& record) {
    constexpr std::size_t kAtOnce = 1000;
    pending_.push_back(record);
    if (pending_.size() >= kAtOnce) store();
  }

  /// What is kept only to save time must not keep a report from its reader.
  void store() {
    try {
      if (!pending_.empty() && trouble_.empty()) database_.put_digests(pending_, version_, moment_);
    } catch (const Error& error) {
      trouble_ = error.what();
    }
    pending_.clear();
  }

  const std::string& trouble() const { return trouble_; }

 private:
  Database& database_;
  std::int64_t version_, moment_;
  std::vector<DigestRecord> pending_;
  std::string trouble_;
};

}  // namespace

DigestedSamples Database::digested_samples(const SampleFilter& filter, const Digester& digester) {
  DigestStore store(*this, digester.version);
  DigestedSamples result{samples(filter, digester.version), {}};
  for (auto& point : result.points) {
    for (auto& run : point.runs) {
      if (run.digest) continue;
      const auto lock = home_->lock();
      run.digest = read_whole(home_->connection, [&] {
        const EachLine each_line = [&](const auto& take) {
          db::each_line(home_->connection, run.id, take);
        };
        return digester.digest(each_line, run.warmup);
      });
      store.add({run.id, *run.digest});
    }
  }
  store.store();
  result.trouble = store.trouble();
  return result;
}

std::string Database::environment_of(const std::string& point_id) {
  return db::environment_of(home_->connection, point_id);
}

std::unordered_map<std::int64_t, std::string> Database::run_logs(const SampleFilter& filter) {
  return db::run_logs(home_->connection, filter);
}

Evidence Database::evidence(const SampleFilter& filter) {
  const auto lock = home_->lock();
  return db::evidence(home_->connection, filter);
}

std::vector<NodeRuns> Database::node_runs(const SampleFilter& filter) {
  const auto lock = home_->lock();
  return read_whole(home_->connection, [&] { return db::node_runs(home_->connection, filter); });
}

std::vector<RunCheckpoints> Database::checkpoints(const SampleFilter& filter) {
  const auto lock = home_->lock();
  return read_whole(home_->connection, [&] { return db::checkpoints(home_->connection, filter); });
}

std::vector<CollectiveReading> Database::collectives(const SampleFilter& filter) {
  const auto lock = home_->lock();
  return read_whole(home_->connection, [&] { return db::collectives(home_->connection, filter); });
}

std::vector<PointOrigin> Database::origins(const SampleFilter& filter) {
  const auto lock = home_->lock();
  return read_whole(home_->connection, [&] { return db::origins(home_->connection, filter); });
}

std::vector<PointTimers> Database::timers(const SampleFilter& filter,
                                          const std::vector<std::string>& names,
                                          const std::set<std::string>& points) {
  const auto lock = home_->lock();
  return read_whole(home_->connection,
                    [&] { return db::timers(home_->connection, filter, names, points); });
}

std::vector<Iteration> Database::lines_of(std::int64_t run) {
  const auto lock = home_->lock();
  return read_whole(home_->connection, [&] { return db::lines_of(home_->connection, run); });
}

WholeRun Database::whole_run(std::int64_t run, std::int64_t digest_version) {
  const auto lock = home_->lock();
  return read_whole(home_->connection,
                    [&] { return db::whole_run(home_->connection, run, digest_version); });
}

RunList Database::listed_runs(const RunsOf& of, std::int64_t digest_version) {
  const auto lock = home_->lock();
  return read_whole(home_->connection,
                    [&] { return db::listed_runs(home_->connection, of, digest_version); });
}

std::vector<Point> Database::points_named(const std::string& name) {
  const auto lock = home_->lock();
  return db::points_named(home_->connection, name);
}

std::vector<SampleFilter> Database::selections_of(const std::string& point_id) {
  const auto lock = home_->lock();
  return read_whole(home_->connection,
                    [&] { return db::selections_of(home_->connection, point_id); });
}

bool Database::has_node(const std::string& name) {
  const auto lock = home_->lock();
  return db::has_node(home_->connection, name);
}

std::vector<NodeReading> Database::node_readings(const std::string& node) {
  const auto lock = home_->lock();
  return read_whole(home_->connection, [&] { return db::node_readings(home_->connection, node); });
}

std::vector<NodeLink> Database::node_links(const std::string& node) {
  const auto lock = home_->lock();
  return read_whole(home_->connection, [&] { return db::node_links(home_->connection, node); });
}

void Database::each_line(std::int64_t run, const std::function<void(const Iteration&)>& take) {
  const auto lock = home_->lock();
  read_whole(home_->connection, [&] {
    db::each_line_with_others(home_->connection, run, take);
    return true;
  });
}

StoredRows Database::rows(const RowFilter& filter, std::int64_t version) {
  const auto lock = home_->lock();
  return read_whole(home_->connection,
                    [&] { return db::rows(home_->connection, filter, version); });
}

std::vector<CampaignContents> Database::contents(const SampleFilter& filter) {
  const auto lock = home_->lock();
  return read_whole(home_->connection, [&] { return db::contents(home_->connection, filter); });
}

std::map<std::string, std::vector<std::string>> Database::tags(const SampleFilter& filter) {
  const auto lock = home_->lock();
  return read_whole(home_->connection, [&] { return db::tags(home_->connection, filter); });
}

std::vector<CampaignName> Database::campaigns(const std::optional<std::string>& sweep) {
  const auto lock = home_->lock();
  return db::campaigns(home_->connection, sweep);
}

}  // namespace pippin
