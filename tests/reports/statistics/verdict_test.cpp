// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/verdict.h"

#include <cmath>
#include <string>

#include "reports/statistics/student.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

std::string verdict(double estimate, double se, double p_adjusted, double margin = 0.02) {
  Judgement judgement;
  judgement.margin = margin;
  return text_of(verdict_of({estimate, se, 8}, p_adjusted, judgement));
}

}  // namespace

TEST_CASE("a difference is real, nothing worth mentioning, or open") {
  CHECK(verdict(0.10, 0.02, 0.001) == "slower");
  CHECK(verdict(-0.10, 0.02, 0.001) == "faster");
  CHECK(verdict(0.10, 0.05, 0.08) == "undetermined");
  CHECK(verdict(0.00, 0.005, 1) == "equivalent");
  CHECK(verdict(0.00, 0.02, 1) == "undetermined");
  CHECK(verdict(0.00, 0.02, 1, 0.1) == "equivalent");
  // Certain, and too small to matter.
  CHECK(verdict(0.01, 0.001, 1e-6) == "equivalent");
  // The 90 % interval decides: t(0.95, 8) = 1.8595.
  CHECK(verdict(0.0, std::log(1.02) / 1.8596, 1) == "equivalent");
  CHECK(verdict(0.0, std::log(1.02) / 1.8594, 1) == "undetermined");
  CHECK(verdict(0.10, 0.02, 0.05) == "slower");
  CHECK(verdict(0.10, 0.02, std::nan("")) == "undetermined");
}

TEST_CASE("times that do not spread are told apart exactly") {
  CHECK(verdict(0, 0, 1) == "equivalent");
  CHECK(verdict(0.1, 0, 0) == "slower");
}

TEST_CASE("a detectable effect grows with the error and with the number of tests") {
  const Judgement rules;
  const Difference coarse{0, 0.02, 8}, fine{0, 0.01, 8};
  Detectable detectable(rules);
  CHECK(detectable.ratio(coarse, 0.05) ==
        Approx(std::exp(0.02 * t_detectable_as_estimated(8, 0.05, 0.8))));
  CHECK(detectable.ratio(fine, 0.05) < detectable.ratio(coarse, 0.05));
  CHECK(detectable.ratio(fine, 0.005) > detectable.ratio(fine, 0.05));
  CHECK(detectable.ratio({0, 0, 8}, 0.05) == 1);
  // Remembered, and still its own.
  CHECK(detectable.ratio(coarse, 0.05) == detectable.ratio({0.3, 0.02, 8.001}, 0.05));
}

TEST_CASE("so many more allocations decide, and one fewer does not") {
  const Judgement rules;
  const Difference open{0.05, 0.03, 8};
  const auto more = MoreAllocations(rules).of(open, {5, 5, false}, 0.05);
  REQUIRE(more);
  // At n a side se = 0.03 sqrt(5 / n), df = 2n - 2.
  const auto power_at = [&](double n) {
    return t_detectable(2 * n - 2, 0.05, 0.8) * 0.03 * std::sqrt(5 / n) <= 0.05;
  };
  CHECK(power_at(5 + static_cast<double>(*more)));
  CHECK_FALSE(power_at(4 + static_cast<double>(*more)));
  // Pairs count once.
  CHECK(*MoreAllocations(rules).of({0.05, 0.03, 4}, {5, 5, true}, 0.05) > *more);
}

TEST_CASE("what cannot be decided by any number in reach has none") {
  const Judgement rules;
  CHECK_FALSE(MoreAllocations(rules).of({0.03, 5, 8}, {5, 5, false}, 0.05));
  CHECK(MoreAllocations(rules).of({0.0, 0.02, 8}, {5, 5, false}, 0.05));
  // On the very edge of the margin it would take for ever to be sure.
  CHECK(MoreAllocations(rules).of({std::log(1.02), 0.02, 8}, {5, 5, false}, 0.05));
}

TEST_CASE("what was worked out for one difference holds for the next of as many pairs only") {
  const Judgement rules;
  MoreAllocations more(rules);
  for (const Difference& difference :
       {Difference{0.05, 0.03, 4}, Difference{0.06, 0.05, 4}, Difference{0.05, 0.03, 9},
        Difference{0.01, 0.02, 4}, Difference{0.012, 0.01, 4}}) {
    for (const double level : {0.05, 0.01}) {
      const auto pairs = static_cast<std::size_t>(difference.df) + 1;
      CHECK(more.of(difference, {pairs, pairs, true}, level) ==
            MoreAllocations(rules).of(difference, {pairs, pairs, true}, level));
    }
  }
}
