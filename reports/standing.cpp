// SPDX-License-Identifier: Apache-2.0
#include "reports/standing.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "reports/probe_rates.h"
#include "reports/row_units.h"
#include "reports/statistics/verdict.h"
#include "reports/values.h"

namespace pippin {

namespace {

constexpr double kLevel = 0.95;

/// By what rows are held against one another.
enum class Work { kFlops, kSequences };

/// ln of the work that a GPU does in a second; nothing where that is unknown.
std::optional<double> log_rate(const Summary& row, Work work) {
  if (row.state != RunState::kOk || !row.step_time_s) return std::nullopt;
  if (work == Work::kFlops && row.bus_bandwidth) return std::log(row.bus_bandwidth->mean);
  if (work == Work::kFlops)
    return row.useful_tflops ? std::optional(std::log(*row.useful_tflops)) : std::nullopt;
  const Count& gpus = row.point.layout.gpus;
  if (!row.samples_per_s || !gpus) return std::nullopt;
  return std::log(*row.samples_per_s / static_cast<double>(*gpus));
}

/// A row as it is compared: for each unit ln of the time that a GPU takes for the same work.
struct Entrant {
  std::size_t row = 0;
  double value = 0;  ///< the same by the row's mean
  RowMeans means;
};

std::vector<Entrant> entrants_of(const std::vector<Summary>& rows,
                                 const std::vector<std::size_t>& of, Work work) {
  std::vector<const std::vector<AllocationMean>*> allocations;
  allocations.reserve(of.size());
  for (const std::size_t row : of) allocations.push_back(&rows[row].allocation_means);
  RowUnits units(rest_on_days(allocations));
  std::vector<Entrant> entrants;
  entrants.reserve(of.size());
  for (const std::size_t row : of) {
    const double value = -*log_rate(rows[row], work);
    Entrant& entrant = entrants.emplace_back(Entrant{row, value, {}});
    if (rows[row].noted) continue;  // nobody knows how sure
    entrant.means = units.means(rows[row].allocation_means);
    const double log_mean = std::log(rows[row].step_time_s->mean);
    for (double& mean : entrant.means.values) mean += value - log_mean;
  }
  return entrants;
}

/// The rows that can be held against row `reference`, by the work that is known of both.
std::vector<std::size_t> comparable(const std::vector<Summary>& rows, const Summary& reference,
                                    Work work) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool same_kind = rows[i].bus_bandwidth.has_value() == reference.bus_bandwidth.has_value();
    const bool alike =
        same_kind && (work == Work::kFlops || rows[i].point.model == reference.point.model);
    if (alike && log_rate(rows[i], work)) result.push_back(i);
  }
  return result;
}

/// FLOPs where every row that went well has some, else sequences of one model.
Work work_of(const std::vector<Summary>& rows) {
  const bool all = std::all_of(rows.begin(), rows.end(), [](const Summary& row) {
    return !log_rate(row, Work::kSequences) || log_rate(row, Work::kFlops);
  });
  return all ? Work::kFlops : Work::kSequences;
}

Ratio ratio_of(const Entrant& row, const Entrant& base) {
  Ratio ratio;
  ratio.value = std::exp(base.value - row.value);
  if (row.means.values.empty() || base.means.values.empty()) return ratio;
  const auto difference = row_difference(base.means, row.means).difference;
  if (!difference) return ratio;
  ratio.value = std::exp(-difference->estimate);
  ratio.low = finite(std::exp(-difference->high(kLevel)));
  ratio.high = finite(std::exp(-difference->low(kLevel)));
  return ratio;
}

/// How far row `i` is behind the best, and what would tell.
void add_distance(Standing& standing, const BestRow& best, std::size_t i,
                  const std::vector<RowMeans>& means, MoreAllocations& more_allocations) {
  const RowDifference& from_best = best.from_best[i];
  if (!from_best.difference) return;
  const Difference& difference = *from_best.difference;
  const Judgement judgement;
  standing.behind = std::expm1(difference.estimate);
  if (standing.place != Standing::kTied) return;
  standing.as_good = verdict_of(difference, best.p[i], judgement) == Verdict::kEquivalent;
  if (standing.as_good) return;
  Design design{means[best.best].values.size(), means[i].values.size(), false};
  if (from_best.paired) {
    const auto pairs = static_cast<std::size_t>(difference.df) + 1;
    design = {pairs, pairs, true};
  }
  const double level = judgement.level / static_cast<double>(means.size() - 1);
  standing.more_allocations = more_allocations.of(difference, design, level);
}

}  // namespace

void rank(std::vector<Summary>& rows) {
  constexpr std::uint64_t kSeed = 1;
  for (auto& row : rows) row.standing.reset();
  if (mixes_calls(rows)) return;
  const Work work = work_of(rows);
  const auto is_ranked = [&](const Summary& row) {
    return log_rate(row, work) && !row.noted && !row.left && row.allocation_means.size() > 1;
  };
  const auto first = std::find_if(rows.begin(), rows.end(), is_ranked);
  if (first == rows.end()) return;
  auto of = comparable(rows, *first, work);
  of.erase(
      std::remove_if(of.begin(), of.end(), [&](std::size_t row) { return !is_ranked(rows[row]); }),
      of.end());
  if (of.size() < 2) return;
  auto entrants = entrants_of(rows, of, work);
  std::vector<RowMeans> means;
  means.reserve(entrants.size());
  for (auto& entrant : entrants) means.push_back(std::move(entrant.means));
  const BestRow best = best_row(means, kSeed);
  MoreAllocations more_allocations{Judgement()};
  for (std::size_t i = 0; i < of.size(); ++i) {
    Standing& standing = rows[of[i]].standing.emplace();
    standing.chance = best.chance[i];
    if (best.tied[i]) standing.place = i == best.best ? Standing::kBest : Standing::kTied;
    if (i != best.best) add_distance(standing, best, i, means, more_allocations);
  }
}

void compare_with(std::vector<Summary>& rows, std::size_t reference) {
  for (auto& row : rows) row.vs.reset();
  const Summary base = rows[reference];
  for (const Work work : {Work::kSequences, Work::kFlops}) {
    if (!log_rate(base, work)) continue;
    const auto of = comparable(rows, base, work);
    const auto entrants = entrants_of(rows, of, work);
    const auto own = std::find_if(entrants.begin(), entrants.end(),
                                  [&](const auto& entrant) { return entrant.row == reference; });
    for (const auto& entrant : entrants)
      rows[entrant.row].vs = entrant.row == reference ? Ratio{} : ratio_of(entrant, *own);
  }
}

}  // namespace pippin
