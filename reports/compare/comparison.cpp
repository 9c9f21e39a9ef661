// SPDX-License-Identifier: Apache-2.0
#include "reports/compare/comparison.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "reports/remarks.h"
#include "reports/row_units.h"
#include "reports/statistics/common_mode.h"
#include "reports/statistics/many_tests.h"
#include "reports/statistics/reach.h"
#include "reports/statistics/sample.h"
#include "reports/summarize.h"

namespace pippin {

namespace {

/// A configuration on one side, with all its runs, whatever sweep they are of.
struct Measured {
  PointSamples samples;                     ///< only runs that count
  std::vector<AllocationMean> allocations;  ///< of them; empty: nothing was measured
  std::size_t all_runs = 0;
  bool any_ok = false;
  std::string why_not;  ///< "oom: CUDA out of memory"; why nothing was, or why some runs failed
};

void add_samples(Measured& measured, const PointSamples& samples) {
  const bool is_new = measured.samples.point.id.empty();
  if (is_new) {
    measured.samples = samples;
    measured.samples.runs.clear();
  }
  for (const auto& run : samples.runs) {
    ++measured.all_runs;
    measured.any_ok = measured.any_ok || run.state == RunState::kOk;
    if (counts_beside_ok(run.state)) {
      measured.samples.runs.push_back(run);
      measured.samples.runs.back().allocation = samples.sweep + "/" + run.allocation;
    }
    if (run.state != RunState::kOk && measured.why_not.empty()) {
      measured.why_not = std::string(text_of(run.state));
      if (!run.evidence.empty()) measured.why_not += ": " + printable(run.evidence);
    }
  }
  if (measured.all_runs > 0 || !measured.why_not.empty()) return;
  measured.why_not = std::string(text_of(samples.planned));
  if (!samples.reason.empty()) measured.why_not += ": " + printable(samples.reason);
}

/// One for each id, in the order of the side.
std::vector<Measured> measured_of(const ComparisonSide& side) {
  std::vector<Measured> result;
  std::map<std::string, std::size_t> places;
  for (const auto& samples : side.points) {
    const auto [place, is_new] = places.try_emplace(samples.point.id, result.size());
    if (is_new) result.emplace_back();
    add_samples(result[place->second], samples);
  }
  for (auto& measured : result) {
    if (measured.any_ok)
      measured.allocations = allocation_means_of(counted_runs(measured.samples, Samples::kClean));
  }
  return result;
}

/// Where in the base each of the other side's configurations is.
std::vector<std::optional<std::size_t>> matches(const std::vector<Measured>& base,
                                                const std::vector<Measured>& other) {
  std::vector<std::optional<std::size_t>> places(other.size());
  if (base.size() == 1 && other.size() == 1) {
    places[0] = 0;
    return places;
  }
  std::map<std::string, std::size_t> by_id, by_name;
  std::set<std::string> several;
  for (std::size_t i = 0; i < base.size(); ++i) by_id[base[i].samples.point.id] = i;
  for (std::size_t i = 0; i < other.size(); ++i) {
    const auto found = by_id.find(other[i].samples.point.id);
    if (found == by_id.end()) continue;
    places[i] = found->second;
    by_id.erase(found);
  }
  for (const auto& rest : by_id) {
    const std::string& name = base[rest.second].samples.point.name;
    if (!by_name.try_emplace(name, rest.second).second) several.insert(name);
  }
  for (std::size_t i = 0; i < other.size(); ++i) {
    const auto found = by_name.find(other[i].samples.point.name);
    if (places[i] || found == by_name.end() || several.count(found->first) > 0) continue;
    places[i] = found->second;
    by_name.erase(found);
  }
  return places;
}

/// By what two configurations of one name differ.
std::string difference_of(const Point& base, const Point& other) {
  std::vector<std::string> names;
  if (base.trainer != other.trainer) names.emplace_back("command");
  const NamedValues before = named_values(base), after = named_values(other);
  for (const auto& value : after) {
    const Value* known = find_value(before, value.first);
    if (!known || known->text != value.second.text) names.push_back(value.first);
  }
  for (const auto& value : before) {
    if (!find_value(after, value.first)) names.push_back(value.first);
  }
  return names.empty() ? "environment" : listed(names);
}

ComparedSide side_of(const std::vector<AllocationMean>& allocations) {
  ComparedSide side;
  for (const auto& mean : allocations) side.mean_s += mean.seconds;
  side.mean_s /= static_cast<double>(allocations.size());
  side.allocations = allocations.size();
  side.days = days_of(allocations);
  return side;
}

/// "1 of 3 runs of BASE did not go well (oom: …)".
void remark_failures(ComparedRow& row, const Measured& measured, const std::string& side) {
  const std::size_t bad = measured.all_runs - measured.samples.runs.size();
  if (bad == 0) return;
  row.remarks.push_back(fmt::format("{} of {} runs of {} do not count ({})", bad, measured.all_runs,
                                    printable(side), measured.why_not));
}

bool is_noted(const Point& point) { return point.trainer == kNotedTrainer; }

/// What makes step times of unlike points comparable: the logarithm of GPUs by sequences.
double work_of(const Point& point) {
  const Layout& layout = point.layout;
  if (!layout.gpus || !layout.gbs) return 0;
  return std::log(static_cast<double>(*layout.gpus) / static_cast<double>(*layout.gbs));
}

/// The rows of a comparison and what they were made of.
struct Work {
  std::vector<ComparedRow> rows;
  std::vector<const Measured*> base, other;  ///< one for each row
  std::vector<TwoSides> means;
};

/// Whether some row was measured in the same allocations on both sides.
bool share_allocations(const Work& work) {
  RowUnits allocations(false);
  for (std::size_t i = 0; i < work.rows.size(); ++i) {
    const RowMeans base = allocations.means(work.base[i]->allocations);
    if (row_difference(base, allocations.means(work.other[i]->allocations)).paired) return true;
  }
  return false;
}

/// Where three days stand on each side of every row, days are what a claim rests on.
void add_means(Work& work) {
  const bool days = std::all_of(work.rows.begin(), work.rows.end(),
                                [](const auto& row) {
                                  return std::min(row.base.days, row.other.days) >= kDaysForAClaim;
                                }) &&
                    !share_allocations(work);
  RowUnits units(days);
  for (std::size_t i = 0; i < work.rows.size(); ++i) {
    TwoSides& means = work.means.emplace_back();
    means = {units.means(work.base[i]->allocations), units.means(work.other[i]->allocations)};
    const double unlike = work_of(work.rows[i].point) - work_of(work.base[i]->samples.point);
    for (double& value : means.other.values) value += unlike;
    work.rows[i].unit = days ? "day" : "allocation";
  }
}

void add_differences(Work& work, const std::vector<std::size_t>& members) {
  std::vector<RowDifference> beside;
  if (!members.empty()) beside = beside_shift(work.means, members);
  for (std::size_t i = 0; i < work.rows.size(); ++i) {
    ComparedRow& row = work.rows[i];
    const TwoSides& means = work.means[i];
    const RowDifference found =
        members.empty() ? row_difference(means.base, means.other) : beside[i];
    row.paired = found.paired;
    row.estimate = mean_of(means.other.values) - mean_of(means.base.values);
    const bool noted = is_noted(work.base[i]->samples.point) || is_noted(row.point);
    if (noted) row.remarks.emplace_back("noted by hand: nobody knows how sure");
    if (!found.difference || noted) continue;
    row.difference = found.difference;
    row.estimate = found.difference->estimate;
  }
}

/// How many units each side has: days or allocations, of pairs those that both sides share.
Design design_of(const ComparedRow& row) {
  if (row.paired) {
    const auto pairs = static_cast<std::size_t>(row.difference->df) + 1;
    return {pairs, pairs, true};
  }
  if (row.unit == "day") return {row.base.days, row.other.days, false};
  return {row.base.allocations, row.other.allocations, false};
}

void judge(std::vector<ComparedRow>& rows, const Judgement& judgement) {
  std::vector<double> p;
  p.reserve(rows.size());
  for (const auto& row : rows) p.push_back(row.difference ? row.difference->p() : std::nan(""));
  const auto adjusted = benjamini_hochberg(p);
  const auto found = static_cast<double>(std::count_if(
      adjusted.begin(), adjusted.end(), [&](double q) { return q <= judgement.level; }));
  const auto tests = static_cast<double>(
      std::count_if(p.begin(), p.end(), [](double q) { return !std::isnan(q); }));
  Detectable detectable(judgement);
  MoreAllocations more_allocations(judgement);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ComparedRow& row = rows[i];
    if (!row.difference) continue;
    row.p = p[i];
    row.p_adjusted = adjusted[i];
    row.verdict = verdict_of(*row.difference, adjusted[i], judgement);
    // One more find beside those of the other rows has this much of the level.
    const double besides = found - static_cast<double>(adjusted[i] <= judgement.level);
    const double level = judgement.level * (besides + 1) / tests;
    row.minimum_detectable = detectable.ratio(*row.difference, level);
    if (row.verdict != Verdict::kUndetermined) continue;
    row.more_allocations = more_allocations.of(*row.difference, design_of(row), level);
  }
}

void add_remarks(ComparedRow& row, const std::string& base, const std::string& other) {
  if (!row.difference && row.base.allocations > 0 && row.remarks.empty()) {
    const bool of_base = row.base.allocations < 2;
    row.remarks.push_back(
        fmt::format("one {} of {}: no interval", row.unit, printable(of_base ? base : other)));
  }
  if (row.unit != "day" && std::min(row.base.days, row.other.days) < kDaysForAClaim)
    row.remarks.emplace_back("these days only");
}

void remark_unlike(ComparedRow& row, const Point& base) {
  if (base.id == row.point.id) return;
  if (base.name == row.point.name) {
    row.remarks.push_back("matched by name: " + difference_of(base, row.point) + " differs");
    return;
  }
  row.remarks.push_back("held against " + printable(base.name));
  row.by_work = work_of(base) != work_of(row.point);
  if (row.by_work)
    row.remarks.emplace_back("the ratio is of GPU time a sequence, as their steps do unlike work");
}

std::optional<CommonMode> common_mode(const Work& work, const std::vector<std::size_t>& members,
                                      const Judgement& judgement) {
  if (members.empty()) return std::nullopt;
  const auto shift = common_shift(work.means, members).difference;
  if (!shift) return std::nullopt;
  return CommonMode{*shift, verdict_of(*shift, shift->p(), judgement), members.size()};
}

std::string why_not(const Measured& measured, const std::string& side) {
  return fmt::format("{}: {}", printable(side),
                     measured.why_not.empty() ? "no iteration that counts" : measured.why_not);
}

/// What was measured on one side alone; `side`: the other one.
Uncompared uncompared(const Measured& measured, const Measured* there, const std::string& side) {
  return {measured.samples.point.name, there ? why_not(*there, side) : ""};
}

}  // namespace

Comparison compare(const ComparisonSide& base, const ComparisonSide& other,
                   const Judgement& judgement) {
  const auto before = measured_of(base), after = measured_of(other);
  const auto places = matches(before, after);
  Comparison result{base.name, other.name, judgement, {}, {}, {}, {}, {}, {}};
  for (const ComparisonSide* side : {&base, &other}) {
    if (!side->set_aside.empty())
      result.set_aside.push_back(printable(side->name) + ": " + side->set_aside);
  }
  Work work;
  std::set<std::size_t> matched;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (places[i]) matched.insert(*places[i]);
    const Measured* there = places[i] ? &before[*places[i]] : nullptr;
    const bool here = !after[i].allocations.empty();
    if (here && there && !there->allocations.empty()) {
      ComparedRow& row = work.rows.emplace_back();
      row.point = after[i].samples.point;
      row.base = side_of(there->allocations);
      row.other = side_of(after[i].allocations);
      work.base.push_back(there);
      work.other.push_back(&after[i]);
    } else if (here) {
      result.only_other.push_back(uncompared(after[i], there, base.name));
    } else if (there && !there->allocations.empty()) {
      result.only_base.push_back(uncompared(*there, &after[i], other.name));
    } else {
      const std::string reason = there ? why_not(*there, base.name) + "; " : "";
      result.on_neither.push_back(
          {after[i].samples.point.name, reason + why_not(after[i], other.name)});
    }
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (matched.count(i) > 0) continue;
    if (before[i].allocations.empty())
      result.on_neither.push_back({before[i].samples.point.name, why_not(before[i], base.name)});
    else
      result.only_base.push_back(uncompared(before[i], nullptr, other.name));
  }
  add_means(work);
  auto members = rows_of_one_shift(work.means);
  result.common = common_mode(work, members, judgement);
  if (!result.common) members.clear();
  add_differences(work, members);
  judge(work.rows, judgement);
  for (std::size_t i = 0; i < work.rows.size(); ++i) {
    ComparedRow& row = work.rows[i];
    add_remarks(row, base.name, other.name);
    remark_failures(row, *work.base[i], base.name);
    remark_failures(row, *work.other[i], other.name);
    remark_unlike(row, work.base[i]->samples.point);
  }
  result.rows = std::move(work.rows);
  return result;
}

}  // namespace pippin
