#include "harness/commands/steps/report_rows.h"

#include "core/base/error.h"
#include "reports/digest.h"
#include "reports/peak.h"

namespace pippin {

namespace {

constexpr std::size_t kStoredAtOnce = 1000;

/// What is only kept to save time must not keep a report from its reader.
template <typename Store>
bool stored(const Globals& globals, Store store) {
  try {
    store();
    return true;
  } catch (const Error& error) {
    remark(globals, fmt::format("{} (the next report will be as slow)", error.what()));
    return false;
  }
}

/// Collects digests and stores them by the thousand.
class DigestStore {
 public:
  DigestStore(const Globals& globals, Database& database, std::int64_t moment)
      : globals_(globals), database_(database), moment_(moment) {}

  void add(const RunSamples& run) {
    pending_.push_back({run.id, *run.digest});
    if (pending_.size() >= kStoredAtOnce) store();
  }

  void store() {
    if (pending_.empty() || failed_) return;
    failed_ = !stored(globals_, [&] { database_.put_digests(pending_, kSummaryVersion, moment_); });
    pending_.clear();
  }

 private:
  const Globals& globals_;
  Database& database_;
  std::int64_t moment_;
  std::vector<DigestRecord> pending_;
  bool failed_ = false;
};

/// What the database has of a selection, every run summed up.
std::vector<PointSamples> digested_samples(const Globals& globals, Database& database,
                                           const SampleFilter& filter) {
  const std::int64_t moment = database.moment();
  auto points = database.samples(filter, kSummaryVersion);
  DigestStore store(globals, database, moment);
  for (auto& point : points) {
    for (auto& run : point.runs) {
      if (run.digest) continue;
      const auto lines = database.lines_of(run.id);
      run.digest = digest_of(lines, run.warmup);
      store.add(run);
    }
  }
  store.store();
  return points;
}

/// One row a point over all campaigns: what most reports are of.
std::vector<Summary> point_rows(const Globals& globals, Database& database,
                                const RowFilter& filter) {
  const std::int64_t moment = database.moment();
  StoredRows known = database.rows(filter, kSummaryVersion);
  if (known.complete) return std::move(known.rows);
  auto rows = sum_up(digested_samples(globals, database, {filter.sweep, {}}), {});
  stored(globals, [&] { database.put_rows(rows, kSummaryVersion, moment); });
  return rows;
}

}  // namespace

Database existing_database(const Globals& globals) {
  OpenDatabase existing;
  existing.create = false;
  return Database(globals.db, existing);
}

std::vector<Summary> report_rows(const Globals& globals, Database& database,
                                 const SampleFilter& filter, const Summing& summing,
                                 const Rating& rating, const AxisNames& axes) {
  const bool usual = summing.samples == Samples::kClean && !summing.by_run && !filter.campaign;
  AxisNames known = axes;
  for (auto& axis : precision_axes()) known.insert(std::move(axis));
  auto rows = usual ? point_rows(globals, database, {filter.sweep, known})
                    : sum_up(digested_samples(globals, database, filter), summing);
  for (auto& row : rows) rate(row, rating);
  return rows;
}

void keep_sums(const Globals& globals, Database& database) { point_rows(globals, database, {}); }

}  // namespace pippin
