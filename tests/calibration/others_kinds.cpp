// SPDX-License-Identifier: Apache-2.0
// The same simulated days as pippin judges them, and as other ways would.
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "reports/compare/comparison.h"
#include "reports/digest.h"
#include "reports/statistics/sample.h"
#include "reports/statistics/student.h"
#include "reports/summarize.h"
#include "tests/calibration/kinds.h"
#include "tests/reports/statistics/ranks.h"

namespace pippin::calibration {

namespace {

constexpr double kLevel = 0.05;
constexpr double kAllocationSd = 0.08, kRunSd = 0.01, kIterationSd = 0.02;  // of ln(time)
constexpr std::size_t kAllocations = 5, kLines = 20;

/// One configuration on one day: its runs, and their lines without the first.
struct Day {
  PointSamples point;
  std::vector<double> lines;
};

/// `levels`: ln of each allocation.
Day day_of(const std::string& name, const std::vector<double>& levels, Random& random) {
  Day day;
  day.point.point.id = "0123456789abcdef";
  day.point.point.name = "row";
  for (std::size_t a = 0; a < levels.size(); ++a) {
    RunSamples& run = day.point.runs.emplace_back();
    run.allocation = fmt::format("{}-{}", name, a);
    const double level = levels[a] + kRunSd * normal(random);
    for (std::size_t i = 0; i < kLines; ++i) {
      Iteration& line = run.iterations.emplace_back();
      line.number = static_cast<std::int64_t>(i) + 1;
      line.step_time_ms = 1000 * std::exp(level + kIterationSd * normal(random));
      line.flags = i == 0 ? kFirst : 0U;
      if (i > 0) day.lines.push_back(line.step_time_ms);
    }
    run.digest = digest_of(run.iterations, std::nullopt);
  }
  return day;
}

std::vector<double> levels(Random& random) {
  std::vector<double> result;
  for (std::size_t a = 0; a < kAllocations; ++a) result.push_back(kAllocationSd * normal(random));
  return result;
}

/// Two days whose second is slower by `shift`; in allocations of their own, or in shared ones.
std::pair<Day, Day> two_days(double shift, bool shared, Random& random) {
  const auto first = levels(random);
  auto second = shared ? first : levels(random);
  for (double& level : second) level += shift;
  return {day_of(shared ? "both" : "base", first, random),
          day_of(shared ? "both" : "new", second, random)};
}

using Judge = bool (*)(const Day&, const Day&);

bool pippin_finds(const Day& base, const Day& other) {
  const auto verdict =
      compare({"base", {base.point}}, {"new", {other.point}}, {}).rows.at(0).verdict;
  return verdict == Verdict::kFaster || verdict == Verdict::kSlower;
}

/// Mann and Whitney on single iterations, as benchstat does on single measurements.
bool iterations_differ(const Day& base, const Day& other) {
  return test::normal_p(base.lines, other.lines, false) < kLevel;
}

/// A fixed threshold about a reference, as in ReFrame.
bool beyond_five_percent(const Day& base, const Day& other) {
  constexpr double kThreshold = 0.05;
  return std::abs(mean_of(other.lines) / mean_of(base.lines) - 1) > kThreshold;
}

Outcome false_alarm(Judge judge, Random& random) {
  const auto [base, other] = two_days(0, false, random);
  return {judge(base, other)};
}

Outcome finds(double shift, Judge judge, Random& random) {
  const auto [base, other] = two_days(shift, true, random);
  return {judge(base, other)};
}

Outcome pippin_alarm(Random& random) { return false_alarm(pippin_finds, random); }
Outcome iterations_alarm(Random& random) { return false_alarm(iterations_differ, random); }
Outcome threshold_alarm(Random& random) { return false_alarm(beyond_five_percent, random); }

const double kThreePercent = std::log(1.03);

Outcome pippin_in_blocks(Random& random) { return finds(kThreePercent, pippin_finds, random); }
Outcome iterations_in_blocks(Random& random) {
  return finds(kThreePercent, iterations_differ, random);
}
Outcome threshold_in_blocks(Random& random) {
  return finds(kThreePercent, beyond_five_percent, random);
}

double truth_ms() {
  return 1000 *
         std::exp((kAllocationSd * kAllocationSd + kRunSd * kRunSd + kIterationSd * kIterationSd) /
                  2);
}

Outcome pippin_covers(Random& random) {
  const Interval time =
      sum_up({day_of("a", levels(random), random).point}, {}).at(0).step_time_s.value();
  constexpr double kMs = 1000;
  return {*time.low * kMs <= truth_ms() && truth_ms() <= *time.high * kMs};
}

Outcome pooled_covers(Random& random) {
  const Day day = day_of("a", levels(random), random);
  return {std::abs(mean_of(day.lines) - truth_ms()) <= t_half_width(day.lines)};
}

}  // namespace

const std::vector<Kind>& others_kinds() {
  static const std::vector<Kind> kKinds{
      {"two days, nothing changed", "pippin compare: changed", 0, 0.06, pippin_alarm},
      {"two days, nothing changed", "Mann-Whitney on iterations: changed", 0, 1, iterations_alarm},
      {"two days, nothing changed", "beyond ±5 % of a reference", 0, 1, threshold_alarm},
      {"3 % slower in 5 shared allocations", "pippin compare: found", 0.8, 1, pippin_in_blocks},
      {"3 % slower in 5 shared allocations", "Mann-Whitney on iterations: found", 0, 1,
       iterations_in_blocks},
      {"3 % slower in 5 shared allocations", "beyond ±5 % of a reference", 0, 1,
       threshold_in_blocks},
      {"a mean of 5 allocations", "pippin's 95 % interval holds the truth", 0.93, 0.97,
       pippin_covers},
      {"a mean of 5 allocations", "a 95 % interval of pooled iterations does", 0, 1, pooled_covers},
  };
  return kKinds;
}

}  // namespace pippin::calibration
