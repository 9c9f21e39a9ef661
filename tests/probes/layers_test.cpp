// SPDX-License-Identifier: Apache-2.0
#include "tests/probes/oracle/layers.h"

#include <cmath>
#include <vector>

#include "probes/common/random.h"
#include "probes/device/arithmetic.h"
#include "probes/device/matmul.h"
#include "tests/probes/oracle/attention.h"
#include "tests/probes/oracle/optimizer.h"
#include "tests/support/catch.h"

using namespace pippin::probes;
using namespace pippin::probes::oracle;

namespace {

std::vector<double> normals(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> numbers(count);
  for (auto& number : numbers) number = random.normal();
  return numbers;
}

}  // namespace

TEST_CASE("the library's products equal plain loops however factors stand") {
  constexpr std::int64_t kRows = 7, kColumns = 5, kInner = 6, kStep = 11;
  const auto a = normals(kStep * kStep, 1), b = normals(kStep * kStep, 2);
  for (const As a_as : {As::kIs, As::kTransposed}) {
    for (const As b_as : {As::kIs, As::kTransposed}) {
      for (const double beta : {0.0, 1.0, 0.5}) {
        auto x = normals(kStep * kStep, 3), y = x;
        matmul<double>(kRows, kColumns, kInner, 2.0, {a.data(), kStep, a_as},
                       {b.data(), kStep, b_as}, beta, x.data(), kStep);
        matmul_in_loops<double>(kRows, kColumns, kInner, 2.0, {a.data(), kStep, a_as},
                                {b.data(), kStep, b_as}, beta, y.data(), kStep);
        for (std::size_t i = 0; i < x.size(); ++i) CHECK(x[i] == Approx(y[i]).margin(1e-12));
      }
    }
  }
}

TEST_CASE("a product in loops is what a pencil gives") {
  const std::vector<float> a = {1, 2, 3, 4}, b = {5, 6, 7, 8};
  std::vector<float> c = {NAN, NAN, NAN, NAN};
  matmul_in_loops<float>(2, 2, 2, 1, {a.data(), 2}, {b.data(), 2}, 0, c.data(), 2);
  CHECK(c == std::vector<float>{19, 22, 43, 50});
  matmul_in_loops<float>(2, 2, 2, 1, {a.data(), 2, As::kTransposed}, {b.data(), 2}, 1, c.data(), 2);
  CHECK(c == std::vector<float>{19 + 26, 22 + 30, 43 + 38, 50 + 44});
}

TEST_CASE("gelu has its known values") {
  // By hand: 0.5·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))).
  CHECK(gelu(0.0) == 0.0);
  CHECK(gelu(1.0) == Approx(0.841191990608).epsilon(1e-9));
  CHECK(gelu(-2.0) == Approx(-0.045402305912).epsilon(1e-9));
  CHECK(gelu_slope(0.0) == 0.5);
}

TEST_CASE("a token does not see what comes after it") {
  const AttentionShape shape{1, 4, 2, 2, 3};
  auto qkv = normals(4 * 18, 5);
  std::vector<double> probabilities(2 * 4 * 4), before(4 * 6), after(4 * 6);
  attention_forward(shape, qkv.data(), probabilities.data(), before.data());
  for (std::size_t i = 3 * 18; i < qkv.size(); ++i) qkv[i] += 1.0;
  attention_forward(shape, qkv.data(), probabilities.data(), after.data());
  for (std::size_t i = 0; i < 3 * 6; ++i) CHECK(after[i] == before[i]);
  CHECK(after[3 * 6] != before[3 * 6]);
  for (std::size_t row = 0; row < 8; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) sum += probabilities[row * 4 + i];
    CHECK(sum == Approx(1.0));
  }
}

TEST_CASE("cross entropy of equal logits is the logarithm of their number") {
  std::vector<double> logits(2 * 8, 1000.0);  // exp(1000) is no number
  const std::vector<std::int32_t> targets = {0, 7};
  CHECK(cross_entropy<double>(2, 8, 8, targets.data(), 0.5, logits.data()) ==
        Approx(2 * std::log(8.0)));
  CHECK(logits[0] == Approx(0.5 * (1.0 / 8 - 1)));
  CHECK(logits[1] == Approx(0.5 / 8));
}

TEST_CASE("padding of the vocabulary takes no part in the loss") {
  std::vector<double> logits = {1, 2, 3, 1000}, known = {1, 2, 3};
  const std::int32_t target = 1;
  CHECK(cross_entropy<double>(1, 4, 3, &target, 0.5, logits.data()) ==
        cross_entropy<double>(1, 3, 3, &target, 0.5, known.data()));
  CHECK(logits == std::vector<double>{known[0], known[1], known[2], 0});
}

TEST_CASE("turning back undoes a turn and values do not turn") {
  const AttentionShape shape{2, 3, 4, 2, 6};
  const auto before = normals(static_cast<std::size_t>(6 * shape.qkv_width()), 9);
  auto after = before;
  rotate(shape, 1, after.data());
  const auto row = static_cast<std::size_t>(shape.qkv_width()), d = std::size_t{6};
  for (std::size_t i = 0; i < row; ++i) CHECK(after[i] == before[i]);  // position 0
  // The last row of the first sequence is at position 2: its first pair turns by 2 radians.
  CHECK(after[2 * row] ==
        Approx(before[2 * row] * std::cos(2.0) - before[2 * row + d / 2] * std::sin(2.0)));
  for (std::size_t i = 0; i < d; ++i)
    CHECK(after[2 * row + 3 * d + i] == before[2 * row + 3 * d + i]);
  rotate(shape, -1, after.data());
  for (std::size_t i = 0; i < after.size(); ++i) CHECK(after[i] == Approx(before[i]));
}

TEST_CASE("the gradient is clipped to its largest norm") {
  CHECK(clip_factor(0.5, 1.0) == 1.0);
  CHECK(clip_factor(4.0, 1.0) == Approx(0.25));
  CHECK(clip_factor(4.0, 0.0) == 1.0);
  const std::vector<float> gradients = {3, 4};
  CHECK(gradient_norm(2, gradients.data()) == 5.0);
}

TEST_CASE("Adam's first step is the learning rate against the gradient's sign") {
  Memory memory;
  const std::vector<Parameter> table = {{"w", 1, 2, Start::kNormal, 0},
                                        {"b", 1, 1, Start::kZero, 2}};
  OptimizerSettings settings;
  settings.lr = 0.1;
  settings.weight_decay = 0.5;
  Optimizer<double> optimizer(memory, table, settings);
  const std::vector<double> gradients = {3.0, -0.2, 7.0};
  std::vector<double> values = {1.0, 1.0, 1.0};
  optimizer.step(gradients.data(), 1.0, values.data());
  CHECK(values[0] == Approx(1.0 - 0.1 * (1 + 0.5)));  // a matrix decays
  CHECK(values[1] == Approx(1.0 - 0.1 * (-1 + 0.5)));
  CHECK(values[2] == Approx(1.0 - 0.1));  // a bias does not
  // The second step by the formulas of Kingma and Ba, bias-corrected.
  optimizer.step(gradients.data(), 2.0, values.data());
  const double m = (0.1 * 7.0 * 0.9 + 0.1 * 14.0) / (1 - 0.81);
  const double v = (0.001 * 49.0 * 0.999 + 0.001 * 196.0) / (1 - 0.999 * 0.999);
  CHECK(values[2] == Approx(0.9 - 0.1 * m / std::sqrt(v)));
}
