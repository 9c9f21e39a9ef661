// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>
#include <vector>

#include "probes/common/error.h"
#include "probes/replay/failure.h"
#include "probes/replay/settings.h"
#include "probes/replay/truth.h"
#include "tests/support/catch.h"

using namespace pippin::probes;

namespace {

struct Moments {
  double mean = 0, sd = 0;
};

Moments moments_of(const std::vector<double>& numbers) {
  const auto n = static_cast<double>(numbers.size());
  Moments result;
  for (const double number : numbers) result.mean += number / n;
  double squares = 0;
  for (const double number : numbers) squares += std::pow(number - result.mean, 2);
  result.sd = std::sqrt(squares / (n - 1));
  return result;
}

std::vector<double> logs_of(std::vector<double> numbers) {
  for (auto& number : numbers) number = std::log(number);
  return numbers;
}

Truth steady_truth() {
  Truth truth;
  truth.warmup_iterations = 0;
  return truth;
}

/// The first iteration of 4000 runs that differ in one key.
std::vector<double> times_over(Truth truth, std::string Truth::*key) {
  std::vector<double> times;
  for (int i = 0; i < 4000; ++i) {
    truth.*key = "key " + std::to_string(i);
    times.push_back(StepDraws(truth, 1).of(1));
  }
  return times;
}

}  // namespace

TEST_CASE("replayed iterations have the mean and the spread that were asked for") {
  Truth truth = steady_truth();
  truth.iteration_sd = 0.1;
  const StepDraws draws(truth, 1);
  std::vector<double> times;
  for (int i = 1; i <= 20'000; ++i) times.push_back(draws.of(i));
  // Four standard errors: 0.1/√20000 = 0.07 % of the mean, 0.1/√40000 = 0.0005 of the SD.
  CHECK(moments_of(times).mean == Approx(1000).epsilon(0.0028));
  CHECK(moments_of(logs_of(times)).sd == Approx(0.1).margin(0.002));
}

TEST_CASE("each level has the spread that was asked for and keeps the mean") {
  struct Level {
    double Truth::*sd;
    std::string Truth::*key;
  };
  for (const Level& level : {Level{&Truth::day_sd, &Truth::day_key},
                             Level{&Truth::allocation_sd, &Truth::allocation_key},
                             Level{&Truth::run_sd, &Truth::run_key}}) {
    Truth truth = steady_truth();
    truth.*level.sd = 0.2;
    const auto times = times_over(truth, level.key);
    // Four standard errors: 0.2/√4000 = 0.32 % of the mean, 0.2/√8000 = 0.0022 of the SD.
    CHECK(moments_of(times).mean == Approx(1000).epsilon(0.0127));
    CHECK(moments_of(logs_of(times)).sd == Approx(0.2).margin(0.009));
  }
}

TEST_CASE("runs of one allocation share its draw and nothing else") {
  Truth truth = steady_truth();
  truth.allocation_sd = 0.1;
  truth.allocation_key = "a";
  truth.run_key = "first";
  const double first = StepDraws(truth, 1).of(1);
  truth.run_key = "second";
  CHECK(StepDraws(truth, 1).of(1) == first);  // the run has no spread of its own here
  truth.day_key = "other";
  CHECK(StepDraws(truth, 1).of(1) == first);
  truth.run_sd = 0.1;
  const double second = StepDraws(truth, 1).of(1);
  truth.run_key = "third";
  CHECK(StepDraws(truth, 1).of(1) != second);
  truth.run_sd = 0;
  CHECK(StepDraws(truth, 2).of(1) != first);
  truth.allocation_key = "b";
  CHECK(StepDraws(truth, 1).of(1) != first);
}

TEST_CASE("runs of equal name in two allocations have iterations of their own") {
  Truth truth = steady_truth();
  truth.iteration_sd = 0.1;
  truth.run_key = "r";
  truth.allocation_key = "a";
  const double first = StepDraws(truth, 1).of(1);
  truth.allocation_key = "b";
  CHECK(StepDraws(truth, 1).of(1) != first);
}

TEST_CASE("warm-up falls to nothing in a line") {
  Truth truth;
  truth.warmup_iterations = 4;
  truth.warmup_factor = 3;
  CHECK(warmup_factor(truth, 1) == 3.0);
  CHECK(warmup_factor(truth, 2) == 2.5);
  CHECK(warmup_factor(truth, 4) == 1.5);
  CHECK(warmup_factor(truth, 5) == 1.0);
  truth.warmup_iterations = 0;
  CHECK(warmup_factor(truth, 1) == 1.0);
  CHECK(StepDraws(Truth{}, 1).of(1) == Approx(2000));
}

TEST_CASE("the estimate of memory grows with the model and shrinks with the layout") {
  Setup setup;
  setup.layers = 16;
  setup.hidden = 1024;
  const double whole = estimated_mib(setup, 0);
  // 16 bytes for each parameter at least.
  CHECK(whole > 16.0 * static_cast<double>(parameters_of_stage(setup, 0)) / (1 << 20));
  setup.recompute = "full";
  CHECK(estimated_mib(setup, 0) < whole);
  setup.recompute = "none";
  setup.tp = 4;
  CHECK(estimated_mib(setup, 0) < whole / 3);
  setup.tp = 1;
  setup.pp = 4;
  CHECK(estimated_mib(setup, 0) < whole / 3);
}

TEST_CASE("every way to fail but hanging leaves its evidence") {
  for (const auto& way : failure_names()) CHECK(evidence_lines(way, 3).empty() == (way == "hang"));
  CHECK(evidence_lines("exit", 3).back() == "RuntimeError: replay was told to fail at iteration 3");
  CHECK_THROWS_AS(evidence_lines("other", 3), Error);
}

TEST_CASE("replay refuses what cannot be meant") {
  ReplaySettings settings;
  CHECK_NOTHROW(check(settings));
  settings.fail_at = 21;
  CHECK_THROWS_WITH(check(settings), "--fail-at 21 is never reached: --iterations is 20");
  settings.fail_at = 0;
  settings.setup.tp = settings.setup.pp = 1 << 11;
  CHECK_THROWS_WITH(check(settings), Catch::Contains("world size 4194304"));
  settings.setup.tp = settings.setup.pp = 32;
  CHECK_NOTHROW(check(settings));
  settings.setup.mbs = settings.setup.gas = 1 << 20;
  settings.setup.iterations = 1'000'000'000;
  CHECK_THROWS_WITH(check(settings), Catch::Contains("2^63 samples"));
}
