// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "check.h"
#include "probes/device/arithmetic.h"

namespace check {

namespace {

struct Linear {
  std::int64_t rows, in, out;
  int shift;  ///< of weights, which lie in a flat array

  std::string line() const {
    return std::to_string(rows) + " x " + std::to_string(in) + " to " + std::to_string(out) +
           " from " + std::to_string(shift);
  }
};

std::vector<Linear> linears(bool large) {
  if (large) return {{512, 1024, 1536, 0}, {1000, 1600, 400, 0}, {256, 1000, 504, 3}};
  return {{1, 1, 1, 0}, {3, 7, 100, 0}, {33, 100, 7, 1}, {17, 64, 48, 0}, {33, 40, 24, 3}};
}

/// Element (row, column) of a·b, of matrices whose elements are given by functions.
template <typename A, typename B>
Numbers product(std::int64_t rows, std::int64_t columns, std::int64_t depth, A a, B b) {
  Numbers c(static_cast<std::size_t>(rows * columns));
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t k = 0; k < depth; ++k)
      for (std::int64_t i = 0; i < columns; ++i)
        c[static_cast<std::size_t>(r * columns + i)] += a(r, k) * b(k, i);
  return c;
}

auto by_rows(const Numbers& x, std::int64_t width) {
  return [&x, width](std::int64_t r, std::int64_t c) {
    return x[static_cast<std::size_t>(r * width + c)];
  };
}
auto by_columns(const Numbers& x, std::int64_t width) {
  return [&x, width](std::int64_t r, std::int64_t c) {
    return x[static_cast<std::size_t>(c * width + r)];
  };
}

/// Of a sum in float of so many products of numbers about 1. In any order the sum of k of them is
/// about √k, each addition rounds by up to 2^-24 of that, and the √depth that do not cancel add up
/// to a third of 2^-24·depth: the worst of 10^6 elements is 5 times as far. Tensor cores cut off
/// instead of rounding.
template <typename T>
Allowed summed(std::int64_t depth) {
  return rounded_to<T>(3e-6 + (sizeof(T) == 4 ? 0x1p-23 : 0x1p-22) * static_cast<double>(depth));
}

template <typename T>
Numbers forward(const Linear& l, const Numbers& x, const Numbers& w, const Numbers* bias) {
  Numbers y = product(l.rows, l.out, l.in, by_rows(x, l.in), by_columns(w, l.in));
  if (bias)
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += (*bias)[i % bias->size()];
  return y;
}

template <typename T>
void check_linear(Rig<T>& rig) {
  rig.begin("linear");
  for (const Linear& l : linears(rig.large))
    for (const bool has_bias : {false, true}) {
      const Numbers x = rig.draw(l.rows * l.in), w = rig.draw(l.out * l.in), b = rig.draw(l.out);
      Array<T> x_array(x, 0), w_array(w, l.shift), b_array(b, l.shift), y(l.rows * l.out);
      rig.device.linear(l.rows, l.in, l.out, x_array.data(), w_array.data(),
                        has_bias ? b_array.data() : nullptr, y.data());
      // A bias that is added apart is added to what was rounded already.
      Allowed allowed = summed<T>(l.in);
      if (has_bias && sizeof(T) < 4) allowed.absolute += 4 * kStep<T> * std::sqrt(double(l.in));
      rig.results.compare(l.line(), y.numbers(), forward<T>(l, x, w, has_bias ? &b : nullptr),
                          allowed);
    }
}

template <typename T>
void check_linear_gelu(Rig<T>& rig) {
  rig.begin("linear_gelu");
  for (const Linear& l : linears(rig.large)) {
    const double scale = 1 / std::sqrt(static_cast<double>(l.in));
    const Numbers x = rig.draw(l.rows * l.in), w = rig.draw(l.out * l.in, scale),
                  b = rig.draw(l.out);
    Array<T> x_array(x, 0), w_array(w, l.shift), b_array(b, l.shift);
    Array<T> before(l.rows * l.out), y(l.rows * l.out);
    rig.device.linear_gelu(l.rows, l.in, l.out, x_array.data(), w_array.data(), b_array.data(),
                           before.data(), y.data());
    const Numbers must = forward<T>(l, x, w, &b);
    Numbers gelus = must;
    for (double& value : gelus) value = gelu(value);
    const Allowed allowed = rounded_to<T>(sizeof(T) < 4 ? 8 * kStep<T> : 1e-5);
    rig.results.compare(l.line() + " before", before.numbers(), must, allowed);
    rig.results.compare(l.line(), y.numbers(), gelus, allowed);
  }
}

template <typename T>
void check_linear_swiglu(Rig<T>& rig) {
  rig.begin("linear_swiglu");
  for (const Linear& l : linears(rig.large)) {
    const std::int64_t width = l.out;
    const Linear whole{l.rows, l.in, 2 * width, l.shift};
    const double scale = 1 / std::sqrt(static_cast<double>(l.in));
    const Numbers x = rig.draw(l.rows * l.in), w = rig.draw(whole.out * l.in, scale);
    Array<T> x_array(x, 0), w_array(w, l.shift), before(l.rows * whole.out), y(l.rows * width);
    rig.device.linear_swiglu(l.rows, l.in, width, x_array.data(), w_array.data(), before.data(),
                             y.data());
    const Numbers must = forward<T>(whole, x, w, nullptr);
    rig.results.compare(l.line() + " before", before.numbers(), must, summed<T>(l.in));
    Numbers made;
    const Numbers kept = before.numbers();  // what was rounded goes on
    for (std::int64_t i = 0; i < l.rows * width; ++i) {
      const auto gate = static_cast<std::size_t>(i + i / width * width);
      made.push_back(silu(kept[gate]) * kept[gate + static_cast<std::size_t>(width)]);
    }
    rig.results.compare(l.line(), y.numbers(), made, rounded_to<T>());
  }
}

template <typename T>
void check_to_input(Rig<T>& rig, bool through_gelu) {
  rig.begin(through_gelu ? "linear_to_gelu" : "linear_to_input");
  for (const Linear& l : linears(rig.large)) {
    const double scale = 1 / std::sqrt(static_cast<double>(l.out));
    const Numbers dy = rig.draw(l.rows * l.out), w = rig.draw(l.out * l.in, scale),
                  before = rig.draw(l.rows * l.in);
    Array<T> dy_array(dy, 0), w_array(w, l.shift), before_array(before, 0), dx(l.rows * l.in);
    Numbers must = product(l.rows, l.in, l.out, by_rows(dy, l.out), by_rows(w, l.in));
    if (!through_gelu) {
      rig.device.linear_to_input(l.rows, l.in, l.out, dy_array.data(), w_array.data(), dx.data());
      rig.results.compare(l.line(), dx.numbers(), must, summed<T>(l.out));
      continue;
    }
    rig.device.linear_to_gelu(l.rows, l.in, l.out, dy_array.data(), w_array.data(),
                              before_array.data(), dx.data());
    for (std::size_t i = 0; i < must.size(); ++i) must[i] *= gelu_slope(before[i]);
    // A library's tanh may be the GPU's own, exact to 2^-11 (PTX ISA, tanh.approx): it counts whole
    // where the slope is next to nothing, times a sum of up to 4.
    const bool by_library = sizeof(T) < 4 && l.in % 8 == 0;
    const double absolute = by_library ? 2e-3 : sizeof(T) < 4 ? 1e-3 * kStep<T> : 1e-5;
    rig.results.compare(l.line(), dx.numbers(), must, {2 * rounded_to<T>().relative, absolute});
  }
}

template <typename T>
void check_to_weight(Rig<T>& rig) {
  rig.begin("linear_to_weight");
  for (const Linear& l : linears(rig.large))
    for (const bool has_bias : {false, true}) {
      const Numbers x = rig.draw(l.rows * l.in), dy = rig.draw(l.rows * l.out);
      Numbers dw = rig.template draw<float>(l.out * l.in), db = rig.template draw<float>(l.out);
      Array<T> x_array(x, 0), dy_array(dy, 0);
      Array<float> dw_array(dw, l.shift), db_array(db, l.shift);
      rig.device.linear_to_weight(l.rows, l.in, l.out, x_array.data(), dy_array.data(),
                                  dw_array.data(), has_bias ? db_array.data() : nullptr);
      const Numbers add = product(l.out, l.in, l.rows, by_columns(dy, l.out), by_rows(x, l.in));
      for (std::size_t i = 0; i < dw.size(); ++i) dw[i] += add[i];
      for (std::size_t i = 0; has_bias && i < dy.size(); ++i) db[i % db.size()] += dy[i];
      const Allowed allowed{1e-5, 4e-6 * std::sqrt(static_cast<double>(l.rows))};
      rig.results.compare(l.line() + " dw", dw_array.numbers(), dw, allowed);
      rig.results.compare(l.line() + " dbias", db_array.numbers(), db, allowed);
    }
}

}  // namespace

template <typename T>
void check_products(Rig<T>& rig) {
  check_linear(rig);
  check_linear_gelu(rig);
  check_linear_swiglu(rig);
  check_to_input(rig, false);
  check_to_input(rig, true);
  check_to_weight(rig);
}

template void check_products(Rig<BFloat16>&);
template void check_products(Rig<Half>&);
template void check_products(Rig<float>&);

}  // namespace check
