// SPDX-License-Identifier: Apache-2.0
// Copies, and what is done to each element or row by itself.
#include "check.h"
#include "probes/device/arithmetic.h"

namespace check {

namespace {

template <typename T>
void check_copies(Rig<T>& rig) {
  rig.begin("to_device, to_host, clear");
  for (const std::int64_t count : {1, 100, 40000}) {  // 40000: more than one piece of 64 KiB
    Array<float> array(count);
    const Numbers numbers = rig.template draw<float>(count);
    std::vector<float> host(numbers.begin(), numbers.end());
    const auto bytes = count * std::int64_t{sizeof(float)};
    rig.device.to_device(bytes, host.data(), array.data());
    std::fill(host.begin(), host.end(), 0.0F);  // it may be used again at once
    rig.device.to_host(bytes, array.data(), host.data());
    rig.results.compare("there and back", Numbers(host.begin(), host.end()), numbers, {0, 0});
    rig.device.clear(bytes, array.data());
    rig.results.compare("clear", array.numbers(), Numbers(numbers.size(), 0), {0, 0});
  }
}

template <typename T>
void check_widen(Rig<T>& rig) {
  rig.begin("widen");
  for (const Size& s : sizes(rig.large))
    for (const int other : {0, 1, 5}) {
      const Numbers x = rig.draw(s.count());
      Array<T> from(x, s.shift);
      Array<float> to(s.count(), other);
      rig.device.widen(s.count(), from.data(), to.data());
      rig.results.compare(s.line(), to.numbers(), x, {0, 0});
    }
}

template <typename T>
void check_draw(Rig<T>& rig) {
  rig.begin("draw");
  for (const Size& s : sizes(rig.large))
    for (const Split split : {Split::kWhole, Split::kRows, Split::kColumns, Split::kGateUp}) {
      if (split == Split::kGateUp && s.rows % 2 != 0) continue;
      const Drawing drawing{++rig.seed,
                            s.shift % 2 == 0 ? 0.02 : 0,
                            1.5,
                            {s.rows, s.width, 2 * s.width, split, 2, 1}};
      Numbers drawn(static_cast<std::size_t>(s.count()));
      for (std::size_t i = 0; i < drawn.size(); ++i)
        drawn[i] = drawn_at(drawing, static_cast<std::int64_t>(i));
      Array<T> to(s.count(), s.shift);
      rig.device.draw(drawing, s.count(), to.data());
      rig.results.compare(s.line(), to.numbers(), drawn, rounded_to<T>(6e-8));
    }
}

template <typename T>
void check_rows(Rig<T>& rig) {
  rig.begin("add_rows");
  for (const Size& s : sizes(rig.large)) {
    const Numbers x = rig.draw(s.count());
    Numbers sums = rig.template draw<float>(s.width);
    Array<T> from(x, s.shift);
    Array<float> to(sums, s.shift);
    rig.device.add_rows(s.rows, s.width, from.data(), to.data());
    for (std::size_t i = 0; i < x.size(); ++i) sums[i % sums.size()] += x[i];
    rig.results.compare(s.line(), to.numbers(), sums, {1e-5, 1e-6 * static_cast<double>(s.rows)});
  }
}

template <typename T>
void check_residual(Rig<T>& rig) {
  rig.begin("add_residual");
  for (const Size& s : sizes(rig.large))
    for (const bool has_bias : {false, true}) {
      const Numbers x = rig.draw(s.count()), bias = rig.draw(s.width);
      Numbers y = rig.draw(s.count());
      Array<T> x_array(x, s.shift), bias_array(bias, s.shift), y_array(y, s.shift);
      rig.device.add_residual(s.rows, s.width, x_array.data(),
                              has_bias ? bias_array.data() : nullptr, y_array.data());
      for (std::size_t i = 0; i < y.size(); ++i)
        y[i] += x[i] + (has_bias ? bias[i % bias.size()] : 0);
      rig.results.compare(s.line(), y_array.numbers(), y, rounded_to<T>());
    }
}

template <typename T>
void check_swiglu_backward(Rig<T>& rig) {
  rig.begin("swiglu_backward");
  for (const Size& s : sizes(rig.large)) {
    Numbers x = rig.draw(2 * s.count(), 3);
    x[0] = -60;  // where an exponential is as good as infinite
    const Numbers dy = rig.draw(s.count());
    Array<T> x_array(x, s.shift), dy_array(dy, s.shift), dx_array(2 * s.count(), s.shift);
    rig.device.swiglu_backward(s.rows, s.width, x_array.data(), dy_array.data(), dx_array.data());
    Numbers dx(x.size());
    for (std::int64_t i = 0; i < s.count(); ++i) {
      const auto gate = static_cast<std::size_t>(i + i / s.width * s.width);
      const auto up = gate + static_cast<std::size_t>(s.width);
      const double d = dy[static_cast<std::size_t>(i)];
      dx[gate] = d * x[up] * silu_slope(x[gate]);
      dx[up] = d * silu(x[gate]);
    }
    rig.results.compare(s.line(), dx_array.numbers(), dx, rounded_to<T>(1e-5));
  }
}

}  // namespace

template <typename T>
void check_elements(Rig<T>& rig) {
  check_copies(rig);
  check_draw(rig);
  check_widen(rig);
  check_rows(rig);
  check_residual(rig);
  check_swiglu_backward(rig);
}

template void check_elements(Rig<BFloat16>&);
template void check_elements(Rig<Half>&);
template void check_elements(Rig<float>&);

}  // namespace check
