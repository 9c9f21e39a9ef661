// SPDX-License-Identifier: Apache-2.0
#include "probes/replay/truth.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "probes/common/random.h"

namespace pippin::probes {

namespace {

/// exp of a normal draw with that SD; the shift of −sd²/2 gives it mean 1.
double factor(std::uint64_t seed, double sd) {
  Random random(seed);
  return std::exp(sd * random.normal() - sd * sd / 2.0);
}

}  // namespace

StepDraws::StepDraws(const Truth& truth, std::int64_t seed) : truth_(truth) {
  const auto s = static_cast<std::uint64_t>(seed);
  iteration_seed_ = seed_of(seed_of(s, "allocation " + truth.allocation_key),
                            "iterations of run " + truth.run_key);
  run_mean_ = truth.step_time_ms * factor(seed_of(s, "day " + truth.day_key), truth.day_sd) *
              factor(seed_of(s, "allocation " + truth.allocation_key), truth.allocation_sd) *
              factor(seed_of(s, "run " + truth.run_key), truth.run_sd);
}

double StepDraws::of(std::int64_t iteration) const {
  const std::uint64_t seed = seed_of(iteration_seed_, std::to_string(iteration));
  return run_mean_ * warmup_factor(truth_, iteration) * factor(seed, truth_.iteration_sd);
}

double warmup_factor(const Truth& truth, std::int64_t iteration) {
  const std::int64_t left = truth.warmup_iterations - iteration + 1;
  if (left <= 0) return 1.0;
  const double share = static_cast<double>(left) / static_cast<double>(truth.warmup_iterations);
  return 1.0 + (truth.warmup_factor - 1.0) * share;
}

double made_up_loss(const Setup& setup, std::int64_t iteration) {
  const double floor = 2.0, start = std::max(floor, std::log(static_cast<double>(setup.vocab)));
  return floor + (start - floor) * std::exp(-static_cast<double>(iteration) / 100.0);
}

double estimated_mib(const Setup& setup, std::int64_t stage) {
  constexpr double kMib = 1024.0 * 1024.0;
  // Weight, gradient and Adam's moments; of 16 bits a master weight beside them.
  const double parameter_bytes = setup.precision == "fp32" ? 16.0 : 18.0;
  const auto s = static_cast<double>(setup.seq), b = static_cast<double>(setup.mbs),
             h = static_cast<double>(setup.hidden), a = static_cast<double>(setup.heads),
             t = static_cast<double>(setup.tp);
  const double layer = 2.0 * (s * b * h * (10.0 + 24.0 / t) + 5.0 * a * s * s * b / t);
  const double input = 4.0 * s * b * h;
  const auto layers = static_cast<double>(layers_of_stage(setup, stage));
  const auto in_flight = static_cast<double>(std::min(setup.pp - stage, setup.gas));
  const double activations =
      setup.recompute == "full" ? in_flight * layers * input + layer : in_flight * layers * layer;
  const bool last = stage == setup.pp - 1;
  const double logits = last ? 4.0 * s * b * static_cast<double>(padded_vocab(setup)) / t : 0.0;
  const double parameters =
      parameter_bytes * static_cast<double>(parameters_of_stage(setup, stage));
  return (parameters + activations + logits) / kMib;
}

}  // namespace pippin::probes
