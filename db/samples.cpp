// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "db/digests.h"
#include "db/drops.h"
#include "db/operations.h"
#include "db/points.h"

namespace pippin::db {

namespace {

/// What runs are in the order of.
struct RunOrder {
  std::int64_t allocation = 0, position = 0, id = 0;
  bool operator<(const RunOrder& other) const {
    return std::tie(allocation, position, id) <
           std::tie(other.allocation, other.position, other.id);
  }
};

/// A run that was loaded: the last of its point so far.
struct LoadedRun {
  RunOrder order;
  std::uint32_t point = 0;  ///< which samples
  std::uint32_t place = 0;  ///< in their runs
};

/// Whether the runs of each point stand in their order already.
bool are_in_order(const std::vector<LoadedRun>& loaded) {
  std::unordered_map<std::uint32_t, RunOrder> last;  // by point
  return std::all_of(loaded.begin(), loaded.end(), [&](const LoadedRun& run) {
    const auto [known, is_first] = last.try_emplace(run.point, run.order);
    const bool follows = is_first || known->second < run.order;
    known->second = run.order;
    return follows;
  });
}

/// Puts runs, of each point the last, in their order: they may be large, so that few are moved.
void put_in_order(std::vector<PointSamples>& samples, std::vector<LoadedRun> loaded) {
  if (are_in_order(loaded)) return;  // nearly always
  std::sort(loaded.begin(), loaded.end(), [](const auto& a, const auto& b) {
    return std::tie(a.point, a.order) < std::tie(b.point, b.order);
  });
  for (auto begin = loaded.begin(); begin != loaded.end();) {
    const auto end = std::find_if(begin, loaded.end(),
                                  [&](const auto& run) { return run.point != begin->point; });
    auto& runs = samples[begin->point].runs;
    std::vector<RunSamples> sorted;
    sorted.reserve(static_cast<std::size_t>(end - begin));
    for (auto run = begin; run != end; ++run) sorted.push_back(std::move(runs[run->place]));
    std::move(sorted.begin(), sorted.end(), runs.end() - (end - begin));
    begin = end;
  }
}

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
      put_in_order(samples_, load_runs(campaign.id, campaign.number, [&](const std::string& point) {
                     const auto place = planned.place_of(point);
                     if (!place) refuse_stray(campaigns.front().sweep, campaign.number);
                     return first + *place;
                   }));
    }
    for (std::size_t i = 0; i < planned.rows().size(); ++i) {
      PointSamples& samples = samples_[first + i];
      const std::string& dropped = planned.rows()[i].dropped;
      const bool is_missing =
          samples.planned == RunState::kNotRun &&
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
    const std::size_t first = samples_.size();
    auto loaded = load_runs(std::nullopt, 1, [&](const std::string& point) {
      const auto [place, is_new] = places.try_emplace(point, samples_.size());
      if (is_new) samples_.emplace_back().point = take_point(points, point);
      return place->second;
    });
    put_in_order(samples_, loaded);
    put_points_in_order(first, loaded);
  }

  std::vector<PointSamples> take() { return std::move(samples_); }

 private:
  /// What nothing of pippin's leaves behind: of such a run nobody knows what it measured.
  [[noreturn]] void refuse_stray(const std::string& sweep, std::int64_t campaign) const {
    bad_input(
        "{}: is a damaged database (a run of {} campaign {} is of a point that the campaign does "
        "not have; 'PRAGMA foreign_key_check' in sqlite3 may name it); name another file with --db",
        connection_.path().string(), printable(sweep), campaign);
  }

  /// Loads the runs of a campaign, or without one those of foreign logs, to where `place_of` says
  /// that their points are.
  template <typename PlaceOf>
  std::vector<LoadedRun> load_runs(std::optional<std::int64_t> campaign, std::int64_t number,
                                   const PlaceOf& place_of) {
    const std::string source = source_of_runs(campaign);
    if (campaign) make_room(*campaign, source, place_of);
    Statement rows = connection_.prepare(fmt::format(
        "SELECT runs.id, runs.point, runs.name, allocations.name, allocations.attempt, "
        "runs.started_at, runs.state, runs.recompute, "
        "(SELECT max(max_allocated_mib) FROM rank_memory WHERE rank_memory.run = runs.id), "
        "runs.evidence, allocations.id, runs.position, runs.resolution_ms, "
        "runs.last_iteration, runs.planned_iterations, runs.nan_from, runs.noted_spread_ms, "
        "coalesce((SELECT reason FROM dropped_runs WHERE run = runs.id), (SELECT reason FROM "
        "dropped_campaigns WHERE dropped_campaigns.campaign = allocations.campaign)), {} "
        "FROM {} "
        "LEFT JOIN run_digests ON run_digests.run = runs.id AND run_digests.version = ?2 "
        "WHERE allocations.campaign IS ?1 AND {}",
        kDigestColumns, source, dropped_ ? fmt::format("NOT ({})", kKeptRuns) : kKeptRuns));
    std::vector<LoadedRun> loaded;
    for (rows.bind(campaign, digest_version_); rows.step();) {
      const std::size_t point = place_of(rows.text(1));
      auto& runs = samples_[point].runs;
      loaded.push_back({{rows.integer(10), rows.integer(11), rows.integer(0)},
                        static_cast<std::uint32_t>(point),
                        static_cast<std::uint32_t>(runs.size())});
      runs.push_back(run_at(rows, number));
    }
    return loaded;
  }

  /// Runs and allocations, joined for those of a campaign: by the runs' ids where these lie close
  /// together, as they nearly always do, since an index leads to each row by a search.
  std::string source_of_runs(std::optional<std::int64_t> campaign) {
    constexpr std::int64_t kMostOfOthers = 3;  // to each run
    Statement ids = connection_.prepare(
        "SELECT min(runs.id), max(runs.id), count(*) FROM allocations "
        "JOIN runs ON runs.allocation = allocations.id WHERE allocations.campaign IS ?");
    ids.bind(campaign);
    ids.step();
    const std::int64_t first = ids.integer(0), last = ids.integer(1), count = ids.integer(2);
    if (count == 0 || (last - first) / count > kMostOfOthers)
      return "allocations JOIN runs ON runs.allocation = allocations.id";
    return fmt::format(
        "runs CROSS JOIN allocations ON allocations.id = runs.allocation "
        "AND runs.id BETWEEN {} AND {}",
        first, last);
  }

  /// So that runs need not move as more of their point come.
  template <typename PlaceOf>
  void make_room(std::int64_t campaign, const std::string& source, const PlaceOf& place_of) {
    Statement rows =
        connection_.prepare("SELECT runs.point FROM " + source + " WHERE allocations.campaign = ?");
    std::unordered_map<std::size_t, std::size_t> counts;
    for (rows.bind(campaign); rows.step();) ++counts[place_of(rows.text(0))];
    for (const auto& [point, count] : counts) {
      auto& runs = samples_[point].runs;
      if (runs.empty() && !dropped_) runs.reserve(count);
    }
  }

  /// The points from `first` on in the order of their first runs.
  void put_points_in_order(std::size_t first, const std::vector<LoadedRun>& loaded) {
    std::vector<std::pair<RunOrder, std::uint32_t>> order(samples_.size() - first);
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i] = {{INT64_MAX, 0, 0}, static_cast<std::uint32_t>(first + i)};
    for (const auto& run : loaded)
      order[run.point - first].first = std::min(order[run.point - first].first, run.order);
    if (std::is_sorted(order.begin(), order.end())) return;
    std::sort(order.begin(), order.end());
    std::vector<PointSamples> sorted;
    sorted.reserve(order.size());
    for (const auto& point : order) sorted.push_back(std::move(samples_[point.second]));
    std::move(sorted.begin(), sorted.end(), samples_.begin() + static_cast<std::ptrdiff_t>(first));
  }

  RunSamples run_at(const Statement& row, std::int64_t campaign) {
    constexpr int kResolution = 12, kLast = 13, kDropped = 17, kDigest = 18;  // the last: its first
    RunSamples run;
    run.id = row.integer(0);
    run.run = row.text(2);
    run.allocation = row.text(3);
    const std::int64_t attempt = row.integer(4);
    if (campaign != 1 || attempt != 1)
      run.allocation += fmt::format("/campaign{}/attempt{}", campaign, attempt);
    run.started_at = row.maybe_integer(5);
    if (run.started_at) run.day = utc_text(*run.started_at, "%F");
    run.state = state_in(row, 6);
    run.recompute = row.text(7);
    run.memory_mib = row.maybe_real(8);
    run.evidence = row.text(9);
    run.resolution_ms = row.maybe_real(kResolution);
    run.last_iteration = row.maybe_integer(kLast);
    run.planned_iterations = row.maybe_integer(kLast + 1);
    run.nan_from = row.maybe_integer(kLast + 2);
    run.noted_spread_ms = row.maybe_real(kLast + 3);
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
