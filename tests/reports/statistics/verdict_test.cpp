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
  const auto more = more_allocations(open, {5, 5, false}, 0.05, rules);
  REQUIRE(more);
  // At n a side se = 0.03 sqrt(5 / n), df = 2n - 2.
  const auto power_at = [&](double n) {
    return t_detectable(2 * n - 2, 0.05, 0.8) * 0.03 * std::sqrt(5 / n) <= 0.05;
  };
  CHECK(power_at(5 + static_cast<double>(*more)));
  CHECK_FALSE(power_at(4 + static_cast<double>(*more)));
  // Pairs count once.
  CHECK(*more_allocations({0.05, 0.03, 4}, {5, 5, true}, 0.05, rules) > *more);
}

TEST_CASE("what cannot be decided by any number in reach has none") {
  const Judgement rules;
  CHECK_FALSE(more_allocations({0.03, 5, 8}, {5, 5, false}, 0.05, rules));
  CHECK(more_allocations({0.0, 0.02, 8}, {5, 5, false}, 0.05, rules));
  // On the very edge of the margin it would take for ever to be sure.
  CHECK(more_allocations({std::log(1.02), 0.02, 8}, {5, 5, false}, 0.05, rules));
}
