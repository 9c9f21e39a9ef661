// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/calibration/kinds.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::calibration;

namespace {

constexpr int kSweeps = 40;  // ./dev bench calibration draws 2,000

/// How far a share of so many sweeps may lie off by chance: four standard deviations. Amounts have
/// 1 % at most.
double chance(const Kind& kind, double share) {
  if (kind.how_much) return 4 * 0.01 / std::sqrt(kSweeps);
  return 4 * std::sqrt(share * (1 - share) / kSweeps);
}

void check(const std::vector<Kind>& kinds) {
  for (const auto& kind : kinds) {
    CAPTURE(kind.name, kind.question);
    Random random(seed_of(7, kind.name + kind.question));
    const double share = result_of(kind, kSweeps, random);
    CHECK(share >= kind.least - chance(kind, kind.least));
    CHECK(share <= kind.most + chance(kind, kind.most));
  }
}

}  // namespace

TEST_CASE("what report says of simulated sweeps is right about as often as it should") {
  check(reporting_kinds());
}

TEST_CASE("what compare says of simulated sweeps is right about as often as it should") {
  check(comparing_kinds());
}

TEST_CASE("beside other ways pippin is right about as often as it should") {
  check(others_kinds());
}

TEST_CASE("whom noise names on simulated clusters is right about as often as it should") {
  check(blaming_kinds());
}
