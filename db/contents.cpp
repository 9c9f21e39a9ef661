// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "db/operations.h"
#include "db/points.h"

namespace pippin::db {

namespace {

using Kind = CampaignContents::Kind;

/// Counts of everything, one query for each table: however many campaigns there are, none is asked
/// for by itself.
class ContentsReader {
 public:
  ContentsReader(Connection& connection, const SampleFilter& filter) : connection_(connection) {
    read_campaigns(filter);
    const bool logs = !filter.campaign && filter.sweep.value_or("").empty();
    if (logs) entries_[kLogs].kind = Kind::kLogs;
    count_points();
    if (logs) count_points_of_logs();
    count_runs();
    read_tags();
  }

  std::vector<CampaignContents> take() {
    const auto logs = entries_.find(kLogs);
    if (logs != entries_.end() && logs->second.points == 0) entries_.erase(logs);
    std::vector<CampaignContents> contents;
    contents.reserve(entries_.size());
    for (auto& entry : entries_) contents.push_back(std::move(entry.second));
    return contents;
  }

 private:
  static constexpr std::int64_t kLogs = 0;  ///< for a campaign's id, which begins at 1

  CampaignContents* find(std::int64_t campaign) {
    const auto found = entries_.find(campaign);
    return found == entries_.end() ? nullptr : &found->second;
  }

  void read_campaigns(const SampleFilter& filter) {
    Statement rows = connection_.prepare(
        "SELECT campaigns.id, sweeps.name, number, started, cluster, run_order IS 'noted', "
        "dropped_campaigns.reason FROM campaigns JOIN sweeps ON sweeps.id = campaigns.sweep "
        "LEFT JOIN dropped_campaigns ON dropped_campaigns.campaign = campaigns.id "
        "WHERE (?1 IS NULL OR sweeps.name = ?1) AND (?2 IS NULL OR number = ?2)");
    for (rows.bind(filter.sweep, filter.campaign); rows.step();) {
      CampaignContents& entry = entries_[rows.integer(0)];
      entry.kind = rows.integer(5) != 0 ? Kind::kNoted : Kind::kCampaign;
      entry.sweep = rows.text(1);
      entry.number = rows.integer(2);
      entry.started = rows.text(3);
      entry.cluster = rows.text(4);
      entry.all_dropped = !rows.null(6);
      entry.because = rows.text(6);
    }
  }

  void count_points() {
    Statement rows = connection_.prepare(
        "SELECT campaign, sum(state = 'planned'), sum(state <> 'planned') FROM campaign_points "
        "GROUP BY campaign");
    while (rows.step()) {
      CampaignContents* entry = find(rows.integer(0));
      if (!entry) continue;
      entry->points = rows.integer(1);
      entry->infeasible = rows.integer(2);
    }
  }

  void count_points_of_logs() {
    entries_[kLogs].points = connection_.number(
        "SELECT count(DISTINCT runs.point) FROM allocations JOIN runs ON runs.allocation = "
        "allocations.id WHERE allocations.campaign IS NULL");
  }

  void count_runs() {
    Statement rows = connection_.prepare(
        "SELECT coalesce(allocations.campaign, 0), runs.state, count(*), "
        "max(coalesce(runs.ended_at, runs.started_at)), dropped_runs.reason FROM runs "
        "JOIN allocations ON allocations.id = runs.allocation "
        "LEFT JOIN dropped_runs ON dropped_runs.run = runs.id GROUP BY 1, 2, 5");
    while (rows.step()) {
      CampaignContents* entry = find(rows.integer(0));
      if (!entry) continue;
      if (!rows.null(4) && !entry->all_dropped) entry->because = rows.text(4);
      auto& count = rows.null(4) && !entry->all_dropped
                        ? entry->runs.at(static_cast<std::size_t>(state_in(rows, 1)))
                        : entry->dropped;
      count += rows.integer(2);
      entry->last_run = std::max(entry->last_run, rows.maybe_integer(3));
    }
  }

  void read_tags() {
    Statement rows = connection_.prepare("SELECT campaign, name FROM tags ORDER BY name");
    while (rows.step()) {
      if (CampaignContents* entry = find(rows.integer(0))) entry->tags.push_back(rows.text(1));
    }
  }

  Connection& connection_;
  std::map<std::int64_t, CampaignContents> entries_;  ///< by the campaign's id
};

/// Logs, then noted sweeps, then measured ones, the one begun last at the end; of a sweep by
/// number.
void sort(std::vector<CampaignContents>& contents) {
  std::unordered_map<std::string, std::string> begun;
  for (const auto& entry : contents) {
    std::string& last = begun[entry.sweep];
    last = std::max(last, entry.started);
  }
  const auto key = [&](const CampaignContents& entry) {
    const int group = entry.kind == Kind::kLogs ? 0 : entry.kind == Kind::kNoted ? 1 : 2;
    return std::tuple<int, const std::string&, const std::string&, std::int64_t>(
        group, begun.at(entry.sweep), entry.sweep, entry.number);
  };
  std::stable_sort(contents.begin(), contents.end(),
                   [&](const auto& a, const auto& b) { return key(a) < key(b); });
}

/// The campaign that a report of its sweep shows.
void mark_newest(std::vector<CampaignContents>& contents) {
  std::unordered_map<std::string, CampaignContents*> newest;
  for (auto& entry : contents) {
    if (entry.kind != Kind::kCampaign || entry.all_dropped) continue;
    CampaignContents*& last = newest[entry.sweep];
    if (!last || last->started <= entry.started) last = &entry;
  }
  for (auto& entry : newest) entry.second->newest = true;
}

}  // namespace

std::vector<CampaignContents> contents(Connection& connection, const SampleFilter& filter) {
  // A collector may write meanwhile, and all must be of one moment.
  Transaction moment(connection, Transaction::Kind::kRead);
  auto result = ContentsReader(connection, filter).take();
  moment.commit();
  sort(result);
  mark_newest(result);
  return result;
}

std::map<std::string, std::vector<std::string>> tags(Connection& connection,
                                                     const SampleFilter& filter) {
  std::map<std::string, std::vector<std::string>> result;
  Statement rows = connection.prepare(
      "SELECT sweeps.name || '/' || number, tags.name FROM tags "
      "JOIN campaigns ON campaigns.id = tags.campaign JOIN sweeps ON sweeps.id = campaigns.sweep "
      "WHERE (?1 IS NULL OR sweeps.name = ?1) AND (?2 IS NULL OR number = ?2) ORDER BY tags.name");
  for (rows.bind(filter.sweep, filter.campaign); rows.step();)
    result[rows.text(0)].push_back(rows.text(1));
  return result;
}

}  // namespace pippin::db
