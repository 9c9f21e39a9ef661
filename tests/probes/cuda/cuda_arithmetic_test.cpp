// SPDX-License-Identifier: Apache-2.0
// What the CUDA device computes on the host, and the scalar arithmetic of its kernels.
#include <cmath>
#include <vector>

#include "probes/common/random.h"
#include "probes/device/cuda/column_major.h"
#include "probes/device/fused_arithmetic.h"
#include "tests/support/catch.h"

using namespace pippin::probes;
using namespace pippin::probes::cuda;

namespace {

using Numbers = std::vector<double>;

Numbers draw(std::int64_t count, std::uint64_t seed) {
  Numbers numbers(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = normal_at(seed, i);
  return numbers;
}

double at(const Numbers& matrix, std::int64_t index) {
  return matrix.at(static_cast<std::size_t>(index));
}

/// As the caller means it: element (row, column) of a row-major matrix at row · width + column.
Numbers by_rows(const RowMajorProduct& p, const Numbers& a, const Numbers& b) {
  Numbers c;
  for (std::int64_t i = 0; i < p.rows; ++i)
    for (std::int64_t j = 0; j < p.columns; ++j) {
      double sum = 0;
      for (std::int64_t k = 0; k < p.depth; ++k)
        sum += at(a, p.a_transposed ? k * p.rows + i : i * p.depth + k) *
               at(b, p.b_transposed ? j * p.depth + k : k * p.columns + j);
      c.push_back(sum);
    }
  return c;
}

/// As BLAS means it: element (row, column) of a column-major matrix at row + column · ld.
Numbers by_columns(const ColumnMajorProduct& p, const Numbers& a, const Numbers& b,
                   std::size_t size) {
  Numbers c(size, NAN);
  for (std::int64_t i = 0; i < p.m; ++i)
    for (std::int64_t j = 0; j < p.n; ++j) {
      double sum = 0;
      for (std::int64_t k = 0; k < p.k; ++k)
        sum += at(a, p.a_transposed ? k + i * p.lda : i + k * p.lda) *
               at(b, p.b_transposed ? j + k * p.ldb : k + j * p.ldb);
      c.at(static_cast<std::size_t>(i + j * p.ldc)) = sum;
    }
  return c;
}

}  // namespace

TEST_CASE("a row-major product is BLAS's column-major one with its factors swapped") {
  for (const bool a_transposed : {false, true})
    for (const bool b_transposed : {false, true}) {
      const RowMajorProduct request{5, 7, 3, a_transposed, b_transposed};
      const Numbers a = draw(15, 1), b = draw(21, 2), c = by_rows(request, a, b);
      const ColumnMajorProduct described = column_major(request);
      const Numbers d = by_columns(described, b, a, c.size());  // BLAS's A is b
      for (std::size_t i = 0; i < c.size(); ++i) CHECK(d[i] == Approx(c[i]).margin(1e-12));
      // The matrices as they are stored are as large as they are, and have no gaps.
      CHECK(described.a_rows() == described.lda);
      CHECK(described.b_rows() == described.ldb);
      CHECK(described.a_rows() * described.a_columns() == 21);
      CHECK(described.b_rows() * described.b_columns() == 15);
      CHECK(described.ldc == described.m);
    }
}

TEST_CASE("a softmax in one look is that of two") {
  const Numbers x = draw(1000, 3);
  RunningSoftmax parts[3] = {softmax_of_none(), softmax_of_none(), softmax_of_none()};
  double largest = -INFINITY, sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, x[i]);
    // The third has nothing.
    parts[i % 2] = together(parts[i % 2], {static_cast<float>(x[i]), 1});
  }
  for (const double value : x) sum += std::exp(value - largest);
  const RunningSoftmax all = together(parts[2], together(parts[0], parts[1]));
  CHECK(all.largest == static_cast<float>(largest));
  CHECK(all.sum == Approx(sum).epsilon(1e-5));
  CHECK(log_sum(all) == Approx(largest + std::log(sum)).epsilon(1e-6));
  CHECK(log_sum(softmax_of_none()) == -INFINITY);
}

TEST_CASE("a softmax of what is no number is none, and of -infinity nothing") {
  for (const float bad : {NAN, INFINITY}) {
    RunningSoftmax running = softmax_of_none();
    for (const float x : {1.0F, bad, 2.0F}) {
      if (running.largest < x) rebase(running, x);
      running.sum += quick_exponential(x - running.largest);
    }
    CHECK(std::isnan(log_sum(running)));
  }
  RunningSoftmax running = softmax_of_none();
  running.sum += quick_exponential(-INFINITY - running.largest);
  CHECK(together(running, {1, 1}).sum == 1);
}

TEST_CASE("SwiGLU's value and slope in one are those apart") {
  for (double x = -90; x < 90; x += 0.37) {
    const Silu made = silu_with_slope(static_cast<float>(x));
    CHECK(made.value == Approx(silu(x)).epsilon(1e-5).margin(1e-30));
    CHECK(made.slope == Approx(silu_slope(x)).epsilon(1e-5).margin(1e-6));
  }
}

TEST_CASE("AdamW's factors are made for the step and its scale, and none after an overflow") {
  OptimizerSettings settings;
  settings.clip_grad = 1;
  StepState state;
  state.steps = 3;
  state.loss_scale = 8;
  state.squares = 16 * 16;  // the gradient's norm is 2
  const AdamFactors factors = adam_factors(settings, state);
  CHECK(factors.is_made);
  CHECK(factors.gradient == Approx(0.5 / 8));
  CHECK(factors.step.correction1 == Approx(1 - 0.9 * 0.9 * 0.9));
  CHECK(factors.step.correction2 == Approx(1 - 0.999 * 0.999 * 0.999));
  CHECK(factors.decay == Approx(0.01));
  state.squares = INFINITY;
  CHECK_FALSE(adam_factors(settings, state).is_made);
}
