#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

#include "db/digests.h"
#include "db/writers.h"

namespace pippin::db {

namespace {

struct CampaignRow {
  std::int64_t id = 0, number = 0;
  std::string sweep;
  std::optional<std::int64_t> warmup;
};

std::vector<CampaignRow> campaigns_of(Connection& connection, const SampleFilter& filter) {
  Statement rows = connection.prepare(
      "SELECT campaigns.id, number, sweeps.name, warmup FROM campaigns "
      "JOIN sweeps ON sweeps.id = campaigns.sweep "
      "WHERE (?1 IS NULL OR sweeps.name = ?1) AND (?2 IS NULL OR number = ?2) "
      "ORDER BY sweeps.id, number");
  rows.bind(filter.sweep, filter.campaign);
  std::vector<CampaignRow> campaigns;
  while (rows.step()) {
    campaigns.push_back({rows.integer(0), rows.integer(1), rows.text(2), rows.maybe_integer(3)});
  }
  return campaigns;
}

/// Loads points, runs and iterations with statements that are prepared once.
class Loader {
 public:
  Loader(Connection& connection, std::int64_t digest_version)
      : digests_(connection, digest_version),
        notes_(notes_by_run(connection)),
        planned_(connection.prepare("SELECT point, state, reason FROM campaign_points "
                                    "WHERE campaign = ? ORDER BY position")),
        runs_(connection.prepare(
            "SELECT runs.id, runs.point, runs.name, allocations.name, allocations.attempt, "
            "date(runs.started_at, 'unixepoch'), runs.state, runs.recompute, "
            "(SELECT max(max_allocated_mib) FROM rank_memory WHERE rank_memory.run = runs.id), "
            "runs.started_at, runs.evidence "
            "FROM allocations JOIN runs ON runs.allocation = allocations.id "
            "WHERE allocations.campaign IS ? ORDER BY allocations.id, runs.position, runs.id")),
        peaks_(connection.prepare(
            "SELECT number_type, tflops FROM campaign_peaks WHERE campaign = ?")),
        point_(connection.prepare(
            "SELECT id, name, trainer, size, style, layers, hidden, heads, kv_heads, ffn, seq, "
            "vocab, padded_vocab, params, tp, pp, dp, cp, mbs, gas, gpus, gbs "
            "FROM points WHERE id = ?")),
        axes_(connection.prepare(
            "SELECT name, text, number FROM point_axes WHERE point = ? ORDER BY position")) {}

  void load(const CampaignRow& campaign) {
    const PeakTflops peaks = peaks_of(campaign.id);
    for (planned_.bind(campaign.id); planned_.step();) {
      PointSamples& samples = at(campaign.sweep, planned_.text(0));
      const bool infeasible = planned_.text(1) == "infeasible";
      samples.planned = infeasible ? RunState::kInfeasible : RunState::kMissing;
      samples.reason = planned_.text(2);
      samples.warmup = campaign.warmup;
      if (!peaks.empty()) samples.peak_tflops = peaks;
    }
    load_runs(campaign.id, campaign.sweep, campaign.number);
  }

  void load_foreign() { load_runs(std::nullopt, "", 1); }

  std::vector<PointSamples> take() { return std::move(samples_); }

 private:
  PointSamples& at(const std::string& sweep, const std::string& point) {
    const auto [entry, added] = places_.try_emplace(std::pair(sweep, point), samples_.size());
    if (added) {
      samples_.emplace_back();
      samples_.back().sweep = sweep;
      samples_.back().point = point_of(point);
    }
    return samples_[entry->second];
  }

  void load_runs(std::optional<std::int64_t> campaign, const std::string& sweep,
                 std::int64_t number) {
    for (runs_.bind(campaign); runs_.step();) {
      RunSamples run;
      run.id = runs_.integer(0);
      const std::int64_t attempt = runs_.integer(4);
      run.run = runs_.text(2);
      run.allocation = runs_.text(3);
      if (number != 1 || attempt != 1)
        run.allocation += fmt::format("/campaign{}/attempt{}", number, attempt);
      run.day = runs_.text(5);
      run.state = run_state_of(runs_.text(6));
      run.recompute = runs_.text(7);
      run.memory_mib = runs_.maybe_real(8);
      run.started_at = runs_.maybe_integer(9);
      run.evidence = runs_.text(10);
      run.digest = digests_.of(run.id);
      const auto notes = notes_.find(run.id);
      if (notes != notes_.end()) run.notes = notes->second;
      at(sweep, runs_.text(1)).runs.push_back(std::move(run));
    }
  }

  PeakTflops peaks_of(std::int64_t campaign) {
    PeakTflops peaks;
    for (peaks_.bind(campaign); peaks_.step();) peaks.emplace_back(peaks_.text(0), peaks_.real(1));
    return peaks;
  }

  Point point_of(const std::string& id) {
    point_.bind(id).step();
    int column = 0;
    Point point;
    point.id = point_.text(column++);
    point.name = point_.text(column++);
    point.trainer = point_.text(column++);
    Model& model = point.model;
    model.size = point_.text(column++);
    model.style = point_.text(column++);
    for (Count* count : {&model.layers, &model.hidden, &model.heads, &model.kv_heads, &model.ffn,
                         &model.seq, &model.vocab, &model.padded_vocab, &model.params})
      *count = point_.maybe_integer(column++);
    Layout& layout = point.layout;
    for (Count* count : {&layout.tp, &layout.pp, &layout.dp, &layout.cp, &layout.mbs, &layout.gas,
                         &layout.gpus, &layout.gbs})
      *count = point_.maybe_integer(column++);
    for (axes_.bind(id); axes_.step();)
      point.axes.emplace_back(axes_.text(0), Value{axes_.text(1), axes_.maybe_real(2)});
    return point;
  }

  DigestReader digests_;
  std::map<std::int64_t, std::vector<std::string>> notes_;
  Statement planned_, runs_, peaks_, point_, axes_;
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
  std::vector<PointSamples> samples_;
};

void tell_apart(std::vector<PointSamples>& samples) {
  constexpr std::size_t kDigits = 4;
  std::map<std::string, std::set<std::string>> ids;
  for (const auto& entry : samples) ids[entry.point.name].insert(entry.point.id);
  for (auto& entry : samples) {
    if (ids[entry.point.name].size() < 2) continue;
    entry.point.name += "-" + entry.point.id.substr(0, kDigits);
  }
}

}  // namespace

std::vector<PointSamples> samples(Connection& connection, const SampleFilter& filter,
                                  std::int64_t digest_version) {
  // A collector may write meanwhile, and all must be of one moment.
  Transaction moment(connection, Transaction::Kind::kRead);
  std::vector<PointSamples> result;
  {
    Loader loader(connection, digest_version);
    for (const auto& campaign : campaigns_of(connection, filter)) loader.load(campaign);
    const bool foreign = !filter.campaign && filter.sweep.value_or("").empty();
    if (foreign) loader.load_foreign();
    result = loader.take();
  }
  moment.commit();
  tell_apart(result);
  return result;
}

std::vector<Iteration> lines_of(Connection& connection, std::int64_t run) {
  Statement rows = connection.prepare(
      "SELECT iteration, step_time_ms, interval, flags, gbs FROM iterations WHERE run = ? "
      "ORDER BY position");
  std::vector<Iteration> lines;
  for (rows.bind(run); rows.step();) {
    Iteration& line = lines.emplace_back();
    line.number = rows.integer(0);
    line.step_time_ms = rows.real(1);
    line.interval = rows.integer(2);
    line.flags = static_cast<unsigned>(rows.integer(3));
    line.gbs = rows.maybe_integer(4);
  }
  return lines;
}

}  // namespace pippin::db
