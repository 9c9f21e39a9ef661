// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <set>
#include <vector>

#include "probes/common/language.h"
#include "probes/common/random.h"
#include "tests/support/catch.h"

using namespace pippin::probes;

TEST_CASE("draws are the same on every platform") {
  // The C++ standard names the ten thousandth number of mt19937_64 with its default seed.
  Random random(5489);
  for (int i = 1; i < 10'000; ++i) random.below(1u << 31);
  CHECK(random.below(1u << 31) == 9981545732273789042u % (1u << 31));
  CHECK(seed_of(1, "a") == seed_of(1, "a"));
  CHECK(seed_of(1, "a") != seed_of(1, "b"));
  CHECK(seed_of(1, "a") != seed_of(2, "a"));
}

TEST_CASE("normal draws have mean 0 and variance 1") {
  Random random(7);
  constexpr int kDraws = 100'000;
  double sum = 0, squares = 0, fourth = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  // Standard errors: 0.0032, 0.0045, 0.031; bounds at four of them.
  CHECK(std::fabs(sum / kDraws) < 0.013);
  CHECK(std::fabs(squares / kDraws - 1) < 0.018);
  CHECK(std::fabs(fourth / kDraws - 3) < 0.13);
}

TEST_CASE("uniform draws stay within their bounds and reach every value") {
  Random random(3);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const double u = random.uniform();
    CHECK((u > 0.0 && u <= 1.0));
    seen.insert(random.below(5));
  }
  CHECK(seen == std::set<std::uint64_t>{0, 1, 2, 3, 4});
}

namespace {

std::vector<std::int32_t> sequence_of(const Setup& setup, std::int64_t iteration,
                                      std::int64_t sample) {
  const Language language(setup);
  std::vector<std::int32_t> inputs(static_cast<std::size_t>(setup.seq)), targets = inputs;
  language.read(iteration, sample, inputs.data(), targets.data());
  // A target is the next input.
  for (std::size_t i = 1; i < inputs.size(); ++i) CHECK(inputs[i] == targets[i - 1]);
  return inputs;
}

}  // namespace

TEST_CASE("a sequence depends on seed and iteration and sample alone") {
  Setup setup, split;
  split.mbs = 4;
  split.gas = 8;
  split.layers = 7;
  const auto sequence = sequence_of(setup, 3, 5);
  CHECK(sequence_of(split, 3, 5) == sequence);
  CHECK(sequence_of(setup, 4, 5) != sequence);
  CHECK(sequence_of(setup, 3, 6) != sequence);
  setup.seed = 2;
  CHECK(sequence_of(setup, 3, 5) != sequence);
}

TEST_CASE("tokens stay within the vocabulary and reach its ends") {
  Setup setup;
  setup.seq = 20'000;
  for (const std::int64_t vocab : {2, 3, 100, 128}) {
    setup.vocab = vocab;
    const auto sequence = sequence_of(setup, 1, 0);
    const std::set<std::int32_t> seen(sequence.begin(), sequence.end());
    CHECK(*seen.begin() == 0);
    CHECK(*seen.rbegin() == vocab - 1);
  }
}
