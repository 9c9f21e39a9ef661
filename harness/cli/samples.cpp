#include "harness/cli/samples.h"

#include "reports/digest.h"

namespace pippin {

namespace {

constexpr std::size_t kStoredAtOnce = 1000;

/// Collects digests and stores them by the thousand.
class DigestStore {
 public:
  DigestStore(const Globals& globals, Database& database)
      : globals_(globals), database_(database) {}

  void add(const RunSamples& run, std::size_t lines) {
    pending_.push_back({run.id, static_cast<std::int64_t>(lines), *run.digest});
    if (pending_.size() >= kStoredAtOnce) store();
  }

  void store() {
    if (pending_.empty() || failed_) return;
    try {
      database_.put_digests(pending_, kDigestVersion);
    } catch (const Error& error) {
      failed_ = true;
      remark(globals_, fmt::format("{} (the next report will be as slow)", error.what()));
    }
    pending_.clear();
  }

 private:
  const Globals& globals_;
  Database& database_;
  std::vector<DigestRecord> pending_;
  bool failed_ = false;
};

}  // namespace

std::vector<PointSamples> digested_samples(const Globals& globals, Database& database,
                                           const SampleFilter& filter) {
  auto points = database.samples(filter, kDigestVersion);
  DigestStore store(globals, database);
  for (auto& point : points) {
    for (auto& run : point.runs) {
      if (run.digest) continue;
      const auto lines = database.lines_of(run.id);
      run.digest = digest_of(lines, point.warmup);
      store.add(run, lines.size());
    }
  }
  store.store();
  return points;
}

}  // namespace pippin
