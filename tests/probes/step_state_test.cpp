// SPDX-License-Identifier: Apache-2.0
#include "probes/device/step_state.h"

#include <cmath>
#include <vector>

#include "tests/support/catch.h"

using namespace pippin::probes;

namespace {

/// The scales that follow from gradients that overflow or not, one after the other.
std::vector<double> scales(const LossScaling& scaling, const std::vector<bool>& overflows) {
  StepState state = first_state(scaling);
  std::vector<double> scales;
  for (const bool overflow : overflows) {
    begin_iteration(state);
    state.squares = overflow ? INFINITY : 1;
    begin_step(scaling, state);
    scales.push_back(state.next_scale);
  }
  return scales;
}

constexpr bool kFine = false, kOverflow = true;

}  // namespace

TEST_CASE("the loss scale falls at the second overflow and at each that follows") {
  const LossScaling scaling{16, 1, 3, 2};
  CHECK(scales(scaling, {kOverflow, kOverflow, kOverflow, kFine, kOverflow}) ==
        std::vector<double>{16, 8, 4, 4, 2});
}

TEST_CASE("the loss scale doubles after a window of finite gradients, and has patience again") {
  const LossScaling scaling{16, 1, 3, 2};
  CHECK(scales(scaling, {kFine, kFine, kFine, kFine, kFine, kFine}) ==
        std::vector<double>{16, 16, 32, 32, 32, 64});
  CHECK(scales(scaling, {kFine, kFine, kOverflow, kFine, kFine, kFine, kOverflow, kOverflow}) ==
        std::vector<double>{16, 16, 16, 16, 16, 32, 32, 16});
}

TEST_CASE("the loss scale has a least, and without a window stays") {
  CHECK(scales({4, 2, 3, 1}, {kOverflow, kOverflow, kOverflow}) == std::vector<double>{2, 2, 2});
  CHECK(scales({4, 4, 0, 2}, {kOverflow, kOverflow, kFine, kFine, kOverflow}) ==
        std::vector<double>{4, 4, 4, 4, 4});
}

TEST_CASE("steps are counted where the gradient is finite, whatever it is else") {
  StepState state = first_state({});
  for (const double squares : {0.0, 1e300, double{INFINITY}, double{NAN}, 1e-300}) {
    begin_iteration(state);
    state.squares = squares;
    CHECK(state.is_finite() == std::isfinite(squares));
    begin_step({}, state);
  }
  CHECK(state.steps == 3);
}

TEST_CASE("norm and clipping are of the gradient without its scale") {
  StepState state = first_state({1024, 1024, 0, 2});
  state.squares = 1024.0 * 1024 * 9;
  CHECK(state.norm() == 3);
  CHECK(gradient_factor(state, 0) == 1.0 / 1024);
  CHECK(gradient_factor(state, 1) * 1024 * 3 == Approx(1));
}
