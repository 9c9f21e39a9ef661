// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "probes/common/random.h"
#include "tests/probes/oracle/trainer.h"
#include "tests/support/catch.h"

using namespace pippin::probes;
using namespace pippin::probes::oracle;

namespace {

Setup tiny_setup() {
  Setup setup;
  setup.layers = 2;
  setup.hidden = 8;
  setup.heads = 2;
  setup.ffn = 12;
  setup.seq = 5;
  setup.vocab = 100;
  setup.mbs = 2;
  setup.gas = 2;
  return setup;
}

/// Biases off zero and weights large, so that no gradient is small by symmetry.
void shake(Trainer<double>& trainer) {
  Random random(99);
  for (const auto& parameter : trainer.table())
    for (std::int64_t i = 0; i < parameter.size(); ++i)
      trainer.values()[parameter.offset + i] += 0.3 * random.normal();
}

/// The slope of the loss along one parameter by central differences of fourth order.
double slope(Trainer<double>& trainer, double& value) {
  constexpr double kStep = 1e-3;
  const double kept = value;
  const auto loss_at = [&](double steps) {
    value = kept + steps * kStep;
    return trainer.loss(1);
  };
  const double near = loss_at(1) - loss_at(-1), far = loss_at(2) - loss_at(-2);
  value = kept;
  return (8 * near - far) / (12 * kStep);
}

/// The relative error of a whole tensor's gradient, in the 2-norm, and of its worst element against
/// the larger of that element and the tensor's root mean square.
struct Discrepancy {
  double tensor = 0, element = 0;
};

Discrepancy compare(Trainer<double>& trainer, const Parameter& parameter) {
  const double* gradient = trainer.gradients() + parameter.offset;
  const auto n = static_cast<double>(parameter.size());
  double squares = 0, error_squares = 0;
  for (std::int64_t i = 0; i < parameter.size(); ++i) squares += gradient[i] * gradient[i];
  const double rms = std::sqrt(squares / n);
  Discrepancy result;
  for (std::int64_t i = 0; i < parameter.size(); ++i) {
    const double error = slope(trainer, trainer.values()[parameter.offset + i]) - gradient[i];
    error_squares += error * error;
    result.element =
        std::max(result.element, std::fabs(error) / std::max(rms, std::fabs(gradient[i])));
  }
  result.tensor = std::sqrt(error_squares / squares);
  return result;
}

void check_every_gradient(const Setup& setup) {
  Memory memory;
  Trainer<double> trainer(memory, setup, {});
  shake(trainer);
  const double loss = trainer.loss_and_gradients(1);
  CHECK(loss == trainer.loss(1));
  for (const auto& parameter : trainer.table()) {
    const Discrepancy d = compare(trainer, parameter);
    INFO(parameter.name << ": tensor " << d.tensor << " and element " << d.element);
    CHECK(d.tensor < 1e-6);
    CHECK(d.element < 1e-6);
  }
}

}  // namespace

TEST_CASE("every gradient is the slope of the loss") { check_every_gradient(tiny_setup()); }

TEST_CASE("every gradient of a llama is the slope of the loss") {
  Setup setup = tiny_setup();
  setup.style = "llama";
  setup.hidden = 16;
  setup.heads = 4;
  setup.kv_heads = 2;
  setup.ffn = 10;
  check_every_gradient(setup);
}

TEST_CASE("every gradient is the slope of the loss with recomputation") {
  Setup setup = tiny_setup();
  setup.recompute = "full";
  setup.layers = 3;
  setup.gas = 1;
  setup.mbs = 1;
  check_every_gradient(setup);
}

TEST_CASE("recomputation changes neither loss nor gradients") {
  Setup kept = tiny_setup(), recomputed = tiny_setup();
  kept.layers = recomputed.layers = 4;
  recomputed.recompute = "full";
  Memory memory;
  Trainer<float> a(memory, kept, {}), b(memory, recomputed, {});
  CHECK(a.loss_and_gradients(1) == b.loss_and_gradients(1));
  for (const auto& parameter : a.table()) {
    INFO(parameter.name);
    const float *x = a.gradients() + parameter.offset, *y = b.gradients() + parameter.offset;
    CHECK(std::equal(x, x + parameter.size(), y));
  }
}

TEST_CASE("the float build's gradients are the double build's but for rounding") {
  Memory memory;
  Trainer<float> a(memory, tiny_setup(), {});
  Trainer<double> b(memory, tiny_setup(), {});
  const std::int64_t count = parameter_count(a.table());
  for (std::int64_t i = 0; i < count; ++i) b.values()[i] = static_cast<double>(a.values()[i]);
  CHECK(a.loss_and_gradients(1) == Approx(b.loss_and_gradients(1)).epsilon(1e-5));
  double squares = 0, errors = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double error = static_cast<double>(a.gradients()[i]) - b.gradients()[i];
    squares += b.gradients()[i] * b.gradients()[i];
    errors += error * error;
  }
  CHECK(std::sqrt(errors / squares) < 1e-5);
}
