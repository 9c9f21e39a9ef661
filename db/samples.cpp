#include <algorithm>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "db/digests.h"
#include "db/drops.h"
#include "db/operations.h"
#include "db/points.h"

namespace pippin::db {

namespace {

/// "2026-11-20", UTC.
std::string day_of(std::int64_t seconds) {
  return fmt::format("{:%F}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

/// A run with what it is sorted by.
struct PlacedRun {
  std::int64_t allocation = 0, position = 0;
  std::string point;
  RunSamples run;
};

/// Loads points and runs with one query each for a campaign. `campaigns`: those of one sweep.
class Loader {
 public:
  Loader(Connection& connection, std::int64_t digest_version, bool dropped)
      : connection_(connection),
        digest_version_(digest_version),
        dropped_(dropped),
        notes_(notes_by_run(connection)) {}

  void load(const std::vector<CampaignRow>& campaigns) {
    PlannedRows planned(connection_, campaigns, points_of);
    const std::size_t first = samples_.size();
    for (auto& row : planned.rows()) {
      PointSamples& samples = samples_.emplace_back();
      samples.sweep = campaigns.front().sweep;
      samples.point = std::move(row.point);
      samples.planned = row.state;
      samples.reason = std::move(row.reason);
      samples.left = row.left;
      samples.peak_tflops = std::move(row.peak_tflops);
    }
    for (const auto& campaign : campaigns) {
      warmup_ = campaign.warmup;
      cluster_ = campaign.cluster;
      of_campaign_ = true;
      for (auto& placed : runs_of(campaign.id, campaign.number)) {
        const std::size_t place = planned.place_of(placed.point).value();
        samples_[first + place].runs.push_back(std::move(placed.run));
      }
    }
    for (std::size_t i = 0; i < planned.rows().size(); ++i) {
      PointSamples& samples = samples_[first + i];
      const std::string& dropped = planned.rows()[i].dropped;
      const bool is_missing =
          samples.planned == RunState::kMissing &&
          std::all_of(samples.runs.begin(), samples.runs.end(),
                      [](const auto& run) { return run.state == RunState::kMissing; });
      if (is_missing && !dropped.empty()) samples.reason = dropped_reason(dropped);
    }
  }

  void load_foreign() {
    PointsById points = points_of(connection_, std::nullopt);
    std::unordered_map<std::string, std::size_t> places;
    warmup_.reset();
    cluster_.clear();
    of_campaign_ = false;
    for (auto& placed : runs_of(std::nullopt, 1)) {
      const auto [place, is_new] = places.try_emplace(placed.point, samples_.size());
      if (is_new) samples_.emplace_back().point = std::move(points.at(placed.point));
      samples_[place->second].runs.push_back(std::move(placed.run));
    }
  }

  std::vector<PointSamples> take() { return std::move(samples_); }

 private:
  /// In the order of allocations and positions; without a campaign those of foreign logs.
  std::vector<PlacedRun> runs_of(std::optional<std::int64_t> campaign, std::int64_t number) {
    Statement rows = connection_.prepare(fmt::format(
        "SELECT runs.id, runs.point, runs.name, allocations.name, allocations.attempt, "
        "runs.started_at, runs.state, runs.recompute, "
        "(SELECT max(max_allocated_mib) FROM rank_memory WHERE rank_memory.run = runs.id), "
        "runs.evidence, allocations.id, runs.position, runs.resolution_ms, "
        "runs.last_iteration, runs.planned_iterations, runs.nan_from, "
        "coalesce((SELECT reason FROM dropped_runs WHERE run = runs.id), (SELECT reason FROM "
        "dropped_campaigns WHERE dropped_campaigns.campaign = allocations.campaign)), {} "
        "FROM allocations JOIN runs ON runs.allocation = allocations.id "
        "LEFT JOIN run_digests ON run_digests.run = runs.id AND run_digests.version = ?2 "
        "WHERE allocations.campaign IS ?1 AND {}",
        kDigestColumns, dropped_ ? fmt::format("NOT ({})", kKeptRuns) : kKeptRuns));
    std::vector<PlacedRun> runs;
    for (rows.bind(campaign, digest_version_); rows.step();)
      runs.push_back({rows.integer(10), rows.integer(11), rows.text(1), run_at(rows, number)});
    // Sorted here: SQLite would carry every column through a sorter of its own.
    std::sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) {
      return std::tuple(a.allocation, a.position, a.run.id) <
             std::tuple(b.allocation, b.position, b.run.id);
    });
    return runs;
  }

  RunSamples run_at(const Statement& row, std::int64_t campaign) {
    constexpr int kResolution = 12, kLast = 13, kDropped = 16, kDigest = 17;  // the last: its first
    RunSamples run;
    run.id = row.integer(0);
    run.run = row.text(2);
    run.allocation = row.text(3);
    const std::int64_t attempt = row.integer(4);
    if (campaign != 1 || attempt != 1)
      run.allocation += fmt::format("/campaign{}/attempt{}", campaign, attempt);
    run.started_at = row.maybe_integer(5);
    if (run.started_at) run.day = day_of(*run.started_at);
    run.state = run_state_of(row.text(6));
    run.recompute = row.text(7);
    run.memory_mib = row.maybe_real(8);
    run.evidence = row.text(9);
    run.resolution_ms = row.maybe_real(kResolution);
    run.last_iteration = row.maybe_integer(kLast);
    run.planned_iterations = row.maybe_integer(kLast + 1);
    run.nan_from = row.maybe_integer(kLast + 2);
    if (of_campaign_) run.campaign = campaign;
    run.cluster = cluster_;
    run.digest = digest_at(row, kDigest);
    run.warmup = warmup_;
    const auto notes = notes_.find(run.id);
    if (notes != notes_.end()) run.notes = notes->second;
    if (dropped_) run.notes.push_back(dropped_reason(row.text(kDropped)));
    return run;
  }

  Connection& connection_;
  std::int64_t digest_version_;
  bool dropped_;  ///< runs that were set aside, instead of the others
  std::map<std::int64_t, std::vector<std::string>> notes_;
  std::optional<std::int64_t> warmup_;  ///< of the campaign at hand
  std::string cluster_;                 ///< the same
  bool of_campaign_ = false;            ///< false: foreign logs
  std::vector<PointSamples> samples_;
};

}  // namespace

std::vector<PointSamples> samples(Connection& connection, const SampleFilter& filter,
                                  std::int64_t digest_version) {
  // A collector may write meanwhile, and all must be of one moment.
  Transaction moment(connection, Transaction::Kind::kRead);
  std::vector<PointSamples> result;
  {
    Loader loader(connection, digest_version, filter.dropped);
    for (const auto& campaigns : by_sweep(campaigns_of(connection, filter))) loader.load(campaigns);
    const bool foreign = !filter.campaign && filter.sweep.value_or("").empty();
    if (foreign) loader.load_foreign();
    result = loader.take();
  }
  moment.commit();
  if (filter.dropped) std::erase_if(result, [](const auto& point) { return point.runs.empty(); });
  std::vector<Point*> points;
  points.reserve(result.size());
  for (auto& entry : result) points.push_back(&entry.point);
  tell_apart(points);
  return result;
}

}  // namespace pippin::db
