// SPDX-License-Identifier: Apache-2.0
#include "reports/methods.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "core/base/text.h"

namespace pippin {

namespace {

/// "5", or "3 to 5".
std::string range(std::vector<std::int64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  if (numbers.front() == numbers.back()) return fmt::format("{}", numbers.front());
  return fmt::format("{} to {}", numbers.front(), numbers.back());
}

/// What the rows with a time are made of.
struct Counts {
  std::vector<std::int64_t> allocations, runs;
  std::int64_t iterations = 0;
  std::set<std::string> days, units;
  std::size_t measured = 0, bad = 0, without_interval = 0;
  bool unclean = false, ranked = false, compared = false;
  std::string formula;
};

Counts counts_of(const RowRange& rows) {
  Counts counts;
  for (const auto& row : rows) {
    counts.bad += row.state != RunState::kOk;
    if (!row.step_time_s) continue;
    ++counts.measured;
    counts.allocations.push_back(row.allocations);
    counts.runs.push_back(row.runs);
    counts.iterations += row.iterations;
    counts.unclean = counts.unclean || !row.clean;
    counts.ranked = counts.ranked || row.standing;
    counts.compared = counts.compared || row.vs;
    if (!row.flops_formula.empty()) counts.formula = row.flops_formula;
    for (const auto& mean : row.allocation_means) counts.days.insert(mean.day);
    if (row.step_time_s->low) {
      counts.units.insert(row.step_time_s->unit);
    } else {
      ++counts.without_interval;
    }
  }
  counts.days.erase("");
  return counts;
}

std::string where_and_when(const Counts& counts) {
  std::string text =
      fmt::format("{} measured in {} independent allocations each ({} runs, {} iterations in all)",
                  counts.measured == 1 ? "One configuration was"
                                       : fmt::format("{} configurations were", counts.measured),
                  range(counts.allocations), range(counts.runs), counts.iterations);
  if (counts.days.empty()) return text + ". ";
  if (counts.days.size() == 1) return text + fmt::format(" on {} (UTC). ", *counts.days.begin());
  return text + fmt::format(" on {} days from {} to {} (UTC). ", counts.days.size(),
                            *counts.days.begin(), *counts.days.rbegin());
}

std::string intervals(const Counts& counts) {
  if (counts.units.empty()) return "No configuration was repeated, so no interval is given. ";
  const bool days = counts.units.count("day") > 0;
  std::string text = fmt::format(
      "The interval after ± holds 95 %: Student's t on the means of {}s, the highest level that "
      "was "
      "repeated; where repeats were of unequal size, generalised least squares on variance "
      "components (REML) with Satterthwaite's degrees of freedom. ",
      days ? "day" : "allocation");
  if (!days)
    text += "It is a claim about the time in which these allocations ran, not about other days. ";
  if (counts.without_interval > 0)
    text += fmt::format("{} without a repeat have none. ", counts.without_interval);
  return text;
}

}  // namespace

std::string methods_of(const Report& report) {
  const Counts counts = counts_of(rows_of(report));
  if (counts.measured == 0) return "Nothing was measured.";
  std::string text = where_and_when(counts);
  text +=
      "Step times are arithmetic means over the iterations of a run; start-up, skipped steps, "
      "those "
      "after a checkpoint or an evaluation, and the warm-up that optimal partitioning of the "
      "logarithms finds are left out";
  text += counts.unclean ? ", but where a run has no others. " : ". ";
  text += intervals(counts);
  if (!counts.formula.empty())
    text += fmt::format("TFLOPS are per GPU, by pippin's formula '{}'. ", counts.formula);
  if (counts.compared || counts.ranked) {
    text +=
        "Configurations were compared on the logarithm of their time per unit of work, paired "
        "within "
        "shared allocations and by Welch's t test elsewhere";
    text += counts.ranked
                ? "; the ones called tied do not differ from the best at 5 % after Holm's "
                  "correction. "
                : ". ";
  }
  if (counts.bad > 0)
    text += fmt::format(
        "{} did not end well and {} ranked. ",
        counts.bad == 1 ? "One configuration" : fmt::format("{} configurations", counts.bad),
        counts.bad == 1 ? "is not" : "are not");
  return std::string(trim(text));
}

}  // namespace pippin
