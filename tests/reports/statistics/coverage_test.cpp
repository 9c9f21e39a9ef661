// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "reports/statistics/interval.h"
#include "reports/statistics/sample.h"
#include "reports/statistics/student.h"
#include "tests/reports/statistics/series.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

constexpr double kRunSd = 0.02, kIterationSd = 0.04;  // of the logarithm

struct Experiment {
  std::vector<RunMoments> runs;
  std::vector<double> iterations;  ///< all of them, pooled
};

/// Step times of `allocations` allocations about 1 s; the sizes vary where `unequal`.
Experiment measure(Random& random, int allocations, double allocation_sd, bool unequal) {
  Experiment result;
  for (int a = 0; a < allocations; ++a) {
    const double allocation = allocation_sd * normal(random);
    const std::uint64_t runs = unequal ? 1 + random.below(3) : 2;
    for (std::uint64_t r = 0; r < runs; ++r) {
      const double run = allocation + kRunSd * normal(random);
      std::vector<double> times(unequal ? 5 + random.below(30) : 40);
      for (double& time : times) time = std::exp(run + kIterationSd * normal(random));
      result.runs.push_back(test::moments_of("", std::to_string(a), times));
      result.iterations.insert(result.iterations.end(), times.begin(), times.end());
    }
  }
  return result;
}

/// The arithmetic mean of a log-normal time.
double truth(double allocation_sd) {
  return std::exp((allocation_sd * allocation_sd + kRunSd * kRunSd + kIterationSd * kIterationSd) /
                  2);
}

bool holds(const Interval& interval, double value) {
  REQUIRE(interval.low.value() <= interval.mean);
  REQUIRE(interval.mean <= interval.high.value());
  return *interval.low <= value && value <= *interval.high;
}

double share_that_holds(std::uint64_t seed, int allocations, double allocation_sd, bool unequal) {
  constexpr int kExperiments = 1000;
  Random random(seed);
  int held = 0;
  for (int i = 0; i < kExperiments; ++i) {
    const auto experiment = measure(random, allocations, allocation_sd, unequal);
    held += holds(interval_of(experiment.runs), truth(allocation_sd));
  }
  return static_cast<double>(held) / kExperiments;
}

}  // namespace

TEST_CASE("intervals of three allocations hold the truth and pooled iterations do not") {
  constexpr int kExperiments = 4000;
  constexpr double kAllocationSd = 0.08;
  Random random(301);
  int held = 0, pooled = 0;
  for (int i = 0; i < kExperiments; ++i) {
    const auto experiment = measure(random, 3, kAllocationSd, false);
    held += holds(interval_of(experiment.runs), truth(kAllocationSd));
    const double distance = std::abs(mean_of(experiment.iterations) - truth(kAllocationSd));
    pooled += distance <= t_half_width(experiment.iterations);
  }
  const double share = static_cast<double>(held) / kExperiments;
  CHECK(share >= 0.92);
  CHECK(share <= 0.975);
  CHECK(static_cast<double>(pooled) / kExperiments < 0.30);
}

TEST_CASE("intervals hold the truth whatever the spread and the sizes") {
  std::uint64_t seed = 1;
  for (int allocations : {2, 3, 5}) {
    for (double sd : {0.0, 0.01, 0.08}) {
      INFO(allocations << " allocations, sd " << sd);
      const double share = share_that_holds(++seed, allocations, sd, true);
      CHECK(share >= 0.92);
      CHECK(share <= 0.975);
    }
  }
}
