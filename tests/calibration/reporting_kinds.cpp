// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <numbers>

#include "reports/remarks.h"
#include "reports/summarize.h"
#include "tests/calibration/kinds.h"

namespace pippin::calibration {

namespace {

constexpr double kBaseMs = 1000;
constexpr std::int64_t kHour = 3600, kDay = 24 * kHour, kStart = 1'780'000'000;

/// What is true of the runs of one row. SDs are of ln(time).
struct Truth {
  std::size_t allocations = 5, most_runs = 1;
  std::size_t least_lines = 20, most_lines = 20;
  double allocation_sd = 0.08, run_sd = 0.01, iteration_sd = 0.02;
  double alike = 0;  ///< correlation of neighbouring lines
  double base_ms = kBaseMs;
  double rounded_to_ms = 0;        ///< 0: not rounded
  std::size_t warm_lines = 0;      ///< 10 % slower
  double throttled = 0;            ///< ln, from a place within the middle half of a run on
  std::int64_t apart = 7 * kHour;  ///< between the starts of allocations
  double day_sd = 0;               ///< shared by the allocations of a day
  double cycle = 0;                ///< half of a daily cycle from top to bottom
  double congestion_sd = 0;        ///< with a memory of an hour
};

/// ln of the lines' times about their run's level, the steady ones.
std::vector<double> noise_of(const Truth& truth, Random& random) {
  const auto spare = truth.most_lines - truth.least_lines;
  std::vector<double> noise(truth.least_lines + random.below(spare + 1));
  double value = normal(random);
  for (double& line : noise) {
    line = truth.iteration_sd * value;
    value = truth.alike * value + std::sqrt(1 - truth.alike * truth.alike) * normal(random);
  }
  return noise;
}

/// A row with its true mean, and that of its lines that are steady, in seconds.
struct Measured {
  Summary row;
  double truth_s = 0, steady_s = 0;
};

RunSamples run_of(const Truth& truth, double level, Measured& measured, Random& random) {
  RunSamples run;
  auto noise = noise_of(truth, random);
  const std::size_t throttle =
      truth.throttled > 0 ? noise.size() / 4 + random.below(noise.size() / 2) : noise.size();
  double sum = 0;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    double time =
        truth.base_ms * std::exp(level + noise[i] + (i >= throttle ? truth.throttled : 0));
    if (i >= truth.warm_lines) sum += time;
    if (i < truth.warm_lines) time *= 1.1;
    if (truth.rounded_to_ms > 0)
      time = std::round(time / truth.rounded_to_ms) * truth.rounded_to_ms;
    Iteration& line = run.iterations.emplace_back();
    line.number = static_cast<std::int64_t>(i) + 1;
    line.step_time_ms = i == 0 ? 1.5 * time : time;
    line.flags = i == 0 ? kFirst : 0U;
  }
  constexpr double kMs = 1000;
  measured.steady_s += sum / static_cast<double>(noise.size() - truth.warm_lines) / kMs;
  if (truth.rounded_to_ms > 0) run.resolution_ms = truth.rounded_to_ms;
  return run;
}

/// What hours and days do to an allocation: a daily cycle, congestion that is still there an hour
/// later, and a level of each day.
class Surroundings {
 public:
  Surroundings(const Truth& truth, Random& random)
      : truth_(truth), random_(random), congestion_(normal(random)), day_level_(normal(random)) {}

  double level_at(std::int64_t start) {
    if (start / kDay != day_) day_level_ = normal(random_);
    day_ = start / kDay;
    const double kept = std::exp(-static_cast<double>(truth_.apart) / kHour);
    congestion_ = kept * congestion_ + std::sqrt(1 - kept * kept) * normal(random_);
    const double hour = static_cast<double>(start % kDay) / kDay;
    return truth_.day_sd * day_level_ + truth_.congestion_sd * congestion_ +
           truth_.cycle * std::cos(2 * std::numbers::pi * hour);
  }

 private:
  const Truth& truth_;
  Random& random_;
  double congestion_, day_level_;
  std::int64_t day_ = 0;
};

/// The mean of exp of what is normal with these SDs and a cosine: the truth about all hours and
/// days.
double mean_factor(const Truth& truth) {
  double variance = 0;
  for (const double sd :
       {truth.allocation_sd, truth.run_sd, truth.iteration_sd, truth.day_sd, truth.congestion_sd})
    variance += sd * sd;
  return std::exp(variance / 2) * std::cyl_bessel_i(0.0, truth.cycle);
}

Measured measure(const Truth& truth, Random& random) {
  constexpr double kMs = 1000;
  Measured measured;
  PointSamples point;
  point.point.name = "row";
  Surroundings surroundings(truth, random);
  std::int64_t start = kStart + static_cast<std::int64_t>(random.below(kDay));
  // Six hours from midnight, so that neighbours in time share their day.
  if (truth.apart < kHour)
    start = start / kDay * kDay + static_cast<std::int64_t>(random.below(18 * kHour));
  for (std::size_t a = 0; a < truth.allocations; ++a, start += truth.apart) {
    const double level = surroundings.level_at(start) + truth.allocation_sd * normal(random);
    for (std::uint64_t runs = 1 + random.below(truth.most_runs); runs > 0; --runs) {
      point.runs.push_back(run_of(truth, level + truth.run_sd * normal(random), measured, random));
      point.runs.back().allocation = fmt::format("{}", a);
      point.runs.back().started_at = start;
      point.runs.back().day = fmt::format("{}", start / kDay);
    }
  }
  measured.row = sum_up({point}, {}).at(0);
  measured.truth_s = truth.base_ms * mean_factor(truth) / kMs;
  measured.steady_s /= static_cast<double>(point.runs.size());
  return measured;
}

bool holds(const Measured& measured) {
  const Interval& time = measured.row.step_time_s.value();
  return time.low && *time.low <= measured.truth_s && measured.truth_s <= *time.high;
}

bool says(const Summary& row, const std::string& text) {
  const auto remarks = remarks_of(row);
  return std::any_of(remarks.begin(), remarks.end(),
                     [&](const auto& remark) { return remark.find(text) != std::string::npos; });
}

bool has_wave(const Summary& row) { return row.slowdowns + row.unsteady > 0; }

Outcome covered(const Truth& truth, Random& random) { return {holds(measure(truth, random))}; }

Outcome missed_in_silence(const Truth& truth, const std::string& remark, Random& random) {
  const Measured measured = measure(truth, random);
  return {!holds(measured) && !says(measured.row, remark)};
}

Outcome steady_is_marked(std::size_t runs, double alike, Random& random) {
  Truth truth;
  truth.allocations = runs;
  truth.alike = alike;
  return {has_wave(measure(truth, random).row)};
}

Truth of_lines(std::size_t lines, std::size_t warm) {
  Truth truth;
  truth.least_lines = truth.most_lines = lines;
  truth.warm_lines = warm;
  return truth;
}

/// How far a mean lies above that of the steady lines; a row that says so does not count as off.
Outcome warm_up(std::size_t lines, std::size_t warm, Random& random) {
  const Measured measured = measure(of_lines(lines, warm), random);
  Outcome outcome;
  const bool marked = has_wave(measured.row) || says(measured.row, "warm-up may be");
  if (!marked) outcome.amount = measured.row.step_time_s->mean / measured.steady_s - 1;
  return outcome;
}

Outcome balanced(Random& random) { return covered({}, random); }

Outcome of_three_allocations(Random& random) {
  Truth truth;
  truth.allocations = 3;
  return covered(truth, random);
}

Outcome unbalanced(Random& random) {
  Truth truth;
  truth.most_runs = 3;
  truth.least_lines = 12;
  truth.most_lines = 40;
  return covered(truth, random);
}

Outcome alike_neighbours(Random& random) {
  Truth truth;
  truth.alike = 0.5;
  return covered(truth, random);
}

Outcome wide(Random& random) {
  Truth truth;
  truth.allocation_sd = 0.15;
  return covered(truth, random);
}

Outcome one_day_of_many(Random& random) {
  Truth truth;
  truth.allocations = 6;
  truth.allocation_sd = 0.02;
  truth.day_sd = 0.05;
  truth.apart = kHour / 2;
  return missed_in_silence(truth, "days may differ", random);
}

Outcome daily_cycle(Random& random) {
  Truth truth;
  truth.allocation_sd = 0.02;
  truth.cycle = 0.08;
  truth.apart = 600;
  return missed_in_silence(truth, "other hours", random);
}

Outcome same_hour_of_five_days(Random& random) {
  Truth truth;
  truth.allocation_sd = 0.02;
  truth.cycle = 0.08;
  truth.apart = kDay;
  return missed_in_silence(truth, "the same hours", random);
}

Outcome congestion(Random& random) {
  Truth truth;
  truth.allocation_sd = 0.02;
  truth.congestion_sd = 0.08;
  truth.apart = 600;
  return missed_in_silence(truth, "other hours", random);
}

Outcome rounded(Random& random) {
  Truth truth;
  truth.base_ms = 12 + 0.1 * uniform(random);
  truth.rounded_to_ms = 0.1;
  truth.allocation_sd = truth.run_sd = 0.0005;
  truth.iteration_sd = 0.0005;
  return covered(truth, random);
}

Outcome warm_half(Random& random) { return warm_up(19, 10, random); }
Outcome warm_quarter(Random& random) { return warm_up(12, 3, random); }
Outcome warm_of_eight(Random& random) { return warm_up(8, 4, random); }
Outcome warm_of_forty(Random& random) { return warm_up(40, 10, random); }

Outcome twelve_steady(Random& random) { return warm_up(12, 0, random); }

Outcome steady_five(Random& random) { return steady_is_marked(5, 0, random); }
Outcome steady_fifteen(Random& random) { return steady_is_marked(15, 0, random); }
Outcome alike_five(Random& random) { return steady_is_marked(5, 0.5, random); }
Outcome alike_fifteen(Random& random) { return steady_is_marked(15, 0.5, random); }
Outcome very_alike_five(Random& random) { return steady_is_marked(5, 0.8, random); }
Outcome very_alike_fifteen(Random& random) { return steady_is_marked(15, 0.8, random); }

Outcome throttled(Random& random) {
  Truth truth;
  truth.allocations = 1;
  truth.throttled = std::log(1.2);
  return {has_wave(measure(truth, random).row)};
}

}  // namespace

const std::vector<Kind>& reporting_kinds() {
  static const std::vector<Kind> kKinds{
      {"a row of 5 allocations over days", "its interval holds the truth", 0.94, 0.96, balanced},
      {"the same, 3 allocations", "its interval holds the truth", 0.94, 0.96, of_three_allocations},
      {"the same, 1 to 3 runs of 12 to 40 lines", "its interval holds the truth", 0.94, 0.96,
       unbalanced},
      {"the same, neighbouring lines alike (0.5)", "its interval holds the truth", 0.94, 0.96,
       alike_neighbours},
      {"the same, 15 % between allocations", "its interval holds the truth", 0.94, 0.96, wide},
      {"times that a log rounds to 0.1 ms, at 12 ms", "its interval holds the truth", 0.94, 1,
       rounded},
      {"6 allocations of one day, 5 % between days", "missed, and no remark", 0, 0.06,
       one_day_of_many},
      {"5 allocations 10 minutes apart, a daily cycle of 8 %", "missed, and no remark", 0, 0.06,
       daily_cycle},
      {"the same, at one hour of 5 days", "missed, and no remark", 0, 0.06, same_hour_of_five_days},
      {"the same, congestion with an hour's memory", "missed, and no remark", 0, 0.06, congestion},
      {"the first 10 of 19 lines 10 % slower", "bias of unmarked means", -0.005, 0.005, warm_half,
       true},
      {"the first 10 of 40 lines", "bias of unmarked means", -0.005, 0.005, warm_of_forty, true},
      {"the first 3 of 12 lines", "bias of unmarked means", -0.005, 0.005, warm_quarter, true},
      {"the first 4 of 8 lines", "bias of unmarked means", -0.005, 0.005, warm_of_eight, true},
      {"12 steady lines", "bias of unmarked means", -0.005, 0.005, twelve_steady, true},
      {"5 steady runs of 20 lines", "marked ~", 0, 0.05, steady_five},
      {"15 of them", "marked ~", 0, 0.05, steady_fifteen},
      {"5 runs, neighbouring lines alike (0.5)", "marked ~", 0, 0.10, alike_five},
      {"15 of them", "marked ~ (0.5)", 0, 0.10, alike_fifteen},
      {"5 runs, neighbouring lines very alike (0.8)", "marked ~", 0, 0.20, very_alike_five},
      {"15 of them", "marked ~ (0.8)", 0, 0.20, very_alike_fifteen},
      {"a run throttled by 20 % on its way", "marked ~", 0.95, 1, throttled},
  };
  return kKinds;
}

}  // namespace pippin::calibration
