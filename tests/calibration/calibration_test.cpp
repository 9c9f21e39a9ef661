#include <cmath>

#include "tests/calibration/kinds.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::calibration;

namespace {

constexpr int kSweeps = 40;  // ./dev bench calibration draws 2,000

/// How far a share of so many sweeps may lie off by chance: four standard deviations.
double chance(double share) { return 4 * std::sqrt(share * (1 - share) / kSweeps); }

void check(const std::vector<Kind>& kinds) {
  for (const auto& kind : kinds) {
    CAPTURE(kind.name, kind.question);
    Random random(seed_of(7, kind.name + kind.question));
    int hits = 0;
    for (int i = 0; i < kSweeps; ++i) hits += static_cast<int>(kind.simulate(random).hit);
    const double share = static_cast<double>(hits) / kSweeps;
    CHECK(share >= kind.least - chance(kind.least));
    CHECK(share <= kind.most + chance(kind.most));
  }
}

}  // namespace

TEST_CASE("what compare says of simulated sweeps is right about as often as it should") {
  check(comparing_kinds());
}

TEST_CASE("whom noise names on simulated clusters is right about as often as it should") {
  check(blaming_kinds());
}
