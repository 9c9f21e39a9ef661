// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/pace.h"

#include <cmath>

#include "core/base/random.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

/// `count` values with noise, from index `at` on higher by `step`.
std::vector<double> noisy(std::size_t count, double sd, std::size_t at, double step,
                          double alike = 0) {
  Random random(7);
  std::vector<double> values;
  double noise = normal(random);
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) noise = alike * noise + std::sqrt(1 - alike * alike) * normal(random);
    values.push_back(sd * noise + (i < at ? 0 : step));
  }
  return values;
}

}  // namespace

TEST_CASE("a step of 20 % is a change of pace, and of 3 % none") {
  const StepPace pace = pace_of(noisy(40, 0.02, 25, 0.18), 0);
  CHECK(pace.changed());
  CHECK(pace.change == Approx(0.18).margin(0.02));
  CHECK(pace.noise_sd == Approx(0.02).margin(0.006));
  CHECK_FALSE(pace_of(noisy(40, 0.002, 25, 0.03), 0).changed());
  CHECK(pace_of(noisy(40, 0.002, 25, -0.18), 0).changed());
}

TEST_CASE("noise is no change of pace, nor are neighbours that are alike") {
  CHECK_FALSE(pace_of(noisy(40, 0.03, 40, 0), 0).changed());
  CHECK_FALSE(pace_of(noisy(200, 0.03, 200, 0, 0.8), 0).changed());
}

TEST_CASE("values before the asked index do not count") {
  auto values = noisy(30, 0.01, 30, 0);
  values[0] = 5;
  CHECK_FALSE(pace_of(values, 1).changed());
}

TEST_CASE("fewer than six values have no pace, and equal ones keep theirs") {
  CHECK_FALSE(pace_of({1, 1, 1, 9, 9}, 0).changed());
  CHECK_FALSE(pace_of({1, 1, 1, 1, 1, 1}, 0).changed());
  CHECK_FALSE(pace_of({}, 1).changed());
}
