// SPDX-License-Identifier: Apache-2.0
// Which campaign of another database is which here.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "db/merge.h"

namespace pippin::db {

namespace {

constexpr const char* kNotedSweeps =
    "SELECT DISTINCT name FROM {0}.sweeps JOIN {0}.campaigns ON campaigns.sweep = sweeps.id "
    "WHERE (run_order IS 'noted') = {1}";

/// A sweep that was noted by hand cannot have measured campaigns, nor be put together from two.
void refuse_mixed(Connection& connection) {
  const auto sweeps = [](const char* file, int noted) {
    return fmt::format(fmt::runtime(kNotedSweeps), file, noted);
  };
  Statement mixed = connection.prepare(
      fmt::format("SELECT name FROM ({} INTERSECT {}) UNION SELECT name FROM ({} INTERSECT {})",
                  sweeps("main", 0), sweeps("other", 1), sweeps("main", 1), sweeps("other", 0)));
  if (!mixed.step()) return;
  bad_input(
      "{}: the sweep '{}' is noted by hand in one of the databases and measured in the other; "
      "'pippin rename' it in one, and merge again",
      connection.path().string(), printable(mixed.text(0)));
}

/// The same campaign was begun at the same time with the same plan; where two people began sweeps
/// of one name in the same second, their runs of one name began at different times.
void match_campaigns(Connection& connection) {
  connection.run(R"(
    CREATE TEMP TABLE alike AS
      SELECT t.id AS theirs, o.id AS ours, abs(t.number - o.number) AS distance
      FROM other.campaigns AS t JOIN other.sweeps AS ts ON ts.id = t.sweep
      JOIN main.sweeps AS os ON os.name = ts.name
      JOIN main.campaigns AS o ON o.sweep = os.id
        AND o.started = t.started AND o.seed IS t.seed AND o.run_order IS t.run_order;
    DELETE FROM alike WHERE (theirs, ours) IN (
      SELECT ta.campaign, oa.campaign FROM alike AS a
      CROSS JOIN other.allocations AS ta ON ta.campaign = a.theirs
      CROSS JOIN main.allocations AS oa
        ON oa.campaign = a.ours AND oa.name = ta.name AND oa.attempt = ta.attempt
      CROSS JOIN other.runs AS tr ON tr.allocation = ta.id
      CROSS JOIN main.runs AS orun ON orun.allocation = oa.id AND orun.name = tr.name
      WHERE tr.started_at <> orun.started_at);
    CREATE TEMP TABLE campaign_map (theirs INTEGER PRIMARY KEY, ours INTEGER, is_new INTEGER);
    INSERT OR IGNORE INTO campaign_map SELECT theirs, ours, 0 FROM alike ORDER BY distance;
    DROP TABLE alike)");
}

struct NewCampaign {
  std::int64_t id = 0, number = 0;
  std::string sweep;
  bool is_noted = false;
};

/// Those that neither are here nor were deleted here.
std::vector<NewCampaign> new_campaigns(Connection& connection) {
  Statement rows = connection.prepare(
      "SELECT t.id, t.number, s.name, t.run_order IS 'noted' FROM other.campaigns AS t "
      "JOIN other.sweeps AS s ON s.id = t.sweep "
      "WHERE t.id NOT IN (SELECT theirs FROM campaign_map) AND NOT EXISTS ("
      "  SELECT 1 FROM main.deleted_runs AS d WHERE d.sweep = s.name AND d.run = '' "
      "  AND d.campaign_started = t.started) ORDER BY s.id, t.number");
  std::vector<NewCampaign> campaigns;
  while (rows.step())
    campaigns.push_back({rows.integer(0), rows.integer(1), rows.text(2), rows.integer(3) != 0});
  return campaigns;
}

/// The numbers that a sweep's campaigns have, had, or will have once they are stored.
class Numbers {
 public:
  Numbers(Connection& connection, const std::map<std::string, std::int64_t>& begun)
      : begun_(begun) {
    Statement rows = connection.prepare(
        "SELECT name, number FROM main.sweeps JOIN main.campaigns ON campaigns.sweep = sweeps.id "
        "UNION SELECT sweep, campaign FROM main.deleted_runs");
    while (rows.step()) taken_[rows.text(0)].insert(rows.integer(1));
  }

  bool take(const std::string& sweep, std::int64_t number) {
    return number > newest_begun(sweep) && taken_[sweep].insert(number).second;
  }
  std::int64_t take_next(const std::string& sweep) {
    auto& taken = taken_[sweep];
    const std::int64_t newest = taken.empty() ? 0 : *taken.rbegin();
    return *taken.insert(std::max(newest, newest_begun(sweep)) + 1).first;
  }

 private:
  std::int64_t newest_begun(const std::string& sweep) const {
    const auto found = begun_.find(sweep);
    return found == begun_.end() ? 0 : found->second;
  }

  const std::map<std::string, std::int64_t>& begun_;
  std::map<std::string, std::set<std::int64_t>> taken_;
};

void store(Connection& connection, const NewCampaign& campaign, std::int64_t number) {
  connection.prepare("INSERT INTO main.sweeps (name) VALUES (?) ON CONFLICT DO NOTHING")
      .run(campaign.sweep);
  connection
      .prepare(
          "INSERT INTO main.campaigns (sweep, number, started, cluster, run_order, seed, warmup) "
          "SELECT (SELECT id FROM main.sweeps WHERE name = ?), ?, started, cluster, run_order, "
          "seed, warmup FROM other.campaigns WHERE id = ?")
      .run(campaign.sweep, number, campaign.id);
  const std::int64_t ours = connection.last_id();
  connection.prepare("INSERT INTO campaign_map VALUES (?, ?, 1)").run(campaign.id, ours);
}

void refuse_noted_twice(Connection& connection, const NewCampaign& campaign) {
  Statement known = connection.prepare("SELECT 1 FROM main.sweeps WHERE name = ?");
  if (!campaign.is_noted || !known.bind(campaign.sweep).step()) return;
  bad_input(
      "{}: both databases have results of '{}' that were noted by hand, and not the same; 'pippin "
      "rename' it in one, and merge again",
      connection.path().string(), printable(campaign.sweep));
}

}  // namespace

void map_campaigns(Connection& connection, const std::map<std::string, std::int64_t>& begun,
                   Merged& merged) {
  refuse_mixed(connection);
  match_campaigns(connection);
  Numbers numbers(connection, begun);
  std::vector<NewCampaign> others;
  for (const auto& campaign : new_campaigns(connection)) {
    refuse_noted_twice(connection, campaign);
    ++merged.campaigns;
    if (numbers.take(campaign.sweep, campaign.number)) {
      store(connection, campaign, campaign.number);
    } else {
      others.push_back(campaign);
    }
  }
  for (const auto& campaign : others) {
    const std::int64_t number = numbers.take_next(campaign.sweep);
    store(connection, campaign, number);
    merged.renumbered.push_back({{campaign.sweep, campaign.number}, {campaign.sweep, number}});
  }
}

}  // namespace pippin::db
