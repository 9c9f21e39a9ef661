// SPDX-License-Identifier: Apache-2.0
#include "check.h"
#include "probes/device/arithmetic.h"

namespace check {

namespace {

/// Layer norm and its gradients, or the RMS norm's, plainly.
struct Norm {
  const Size& size;
  bool is_centred;
  const Numbers &x, &gain, &bias;
  Numbers mean = Numbers(static_cast<std::size_t>(size.rows)), inverse_sd = mean, n = x;

  void normalize() {
    const auto width = static_cast<std::size_t>(size.width);
    for (std::size_t r = 0; r < mean.size(); ++r) {
      double* row = n.data() + r * width;
      double squares = 0;
      if (is_centred)
        for (std::size_t i = 0; i < width; ++i) mean[r] += row[i] / static_cast<double>(width);
      for (std::size_t i = 0; i < width; ++i) {
        row[i] -= mean[r];
        squares += row[i] * row[i];
      }
      inverse_sd[r] = 1 / std::sqrt(squares / static_cast<double>(width) + kNormEpsilon);
      for (std::size_t i = 0; i < width; ++i) row[i] *= inverse_sd[r];
    }
  }
  Numbers result() const {
    Numbers y = n;
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = n[i] * gain[i % gain.size()] + (is_centred ? bias[i % bias.size()] : 0);
    return y;
  }
  void backward(const Numbers& dy, Numbers& dx, Numbers& dgain, Numbers& dbias) const {
    const auto width = static_cast<std::size_t>(size.width);
    for (std::size_t r = 0; r < mean.size(); ++r) {
      double g = 0, gn = 0;
      for (std::size_t i = 0; i < width; ++i) {
        const std::size_t at = r * width + i;
        g += dy[at] * gain[i] / static_cast<double>(width);
        gn += dy[at] * gain[i] * n[at] / static_cast<double>(width);
        dgain[i] += dy[at] * n[at];
        dbias[i] += dy[at];
      }
      for (std::size_t i = 0; i < width; ++i) {
        const std::size_t at = r * width + i;
        dx[at] += (dy[at] * gain[i] - (is_centred ? g : 0) - n[at] * gn) * inverse_sd[r];
      }
    }
  }
};

/// 9000 to 33000: past what a block's registers hold.
std::vector<Size> norm_sizes(bool large) {
  std::vector<Size> all = sizes(large);
  if (large)
    all.insert(all.end(), {{1024, 8192, 0}, {256, 16384, 0}, {128, 32768, 0}});
  else
    all.insert(all.end(),
               {{9, 9000, 0}, {5, 16384, 0}, {9, 33000, 0}, {5, 17001, 1}, {400, 16, 0}});
  return all;
}

template <typename T>
void check_norm(Rig<T>& rig, const Size& s, bool is_centred, bool backward) {
  Numbers x = rig.draw(s.count(), 2);
  for (double& value : x) value += 0.5;
  x = rounded<T>(x);
  const Numbers gain = rig.draw(s.width), bias = rig.draw(s.width);
  Norm norm{s, is_centred, x, gain, bias};
  norm.normalize();
  Array<T> x_array(x, s.shift), gain_array(gain, s.shift), bias_array(bias, s.shift);
  const std::string line = s.line() + (is_centred ? "" : ", RMS");
  if (!backward) {
    Array<float> mean(s.rows), inverse_sd(s.rows);
    Array<T> y(s.count(), s.shift);
    rig.device.norm(s.rows, s.width, x_array.data(), gain_array.data(),
                    is_centred ? bias_array.data() : nullptr,
                    {is_centred ? mean.data() : nullptr, inverse_sd.data()}, y.data());
    rig.results.compare(line, y.numbers(), norm.result(), rounded_to<T>(1e-5));
    if (is_centred) rig.results.compare(line + " mean", mean.numbers(), norm.mean, {1e-5, 1e-6});
    rig.results.compare(line + " sd", inverse_sd.numbers(), norm.inverse_sd, {1e-5, 0});
    return;
  }
  Array<float> mean(norm.mean, 0), inverse_sd(norm.inverse_sd, 0);
  const Numbers dy = rig.draw(s.count());
  Numbers dx = rig.draw(s.count()), dgain = rig.template draw<float>(s.width),
          dbias = rig.template draw<float>(s.width);
  Array<T> dy_array(dy, s.shift), dx_array(dx, s.shift);
  Array<float> dgain_array(dgain, s.shift), dbias_array(dbias, s.shift);
  rig.device.norm_backward(s.rows, s.width, x_array.data(), gain_array.data(),
                           {is_centred ? mean.data() : nullptr, inverse_sd.data()}, dy_array.data(),
                           dx_array.data(), dgain_array.data(),
                           is_centred ? dbias_array.data() : nullptr);
  const Numbers dbias_before = dbias;
  norm.backward(dy, dx, dgain, dbias);
  // Where a row is one number its spread is nothing, and the rest a difference of large numbers.
  const double steep = s.width == 1 ? 1e-3 : 1e-5;
  rig.results.compare(line + " dx", dx_array.numbers(), dx, rounded_to<T>(steep));
  const Allowed sums{1e-5, 2e-6 * static_cast<double>(s.rows)};
  rig.results.compare(line + " dgain", dgain_array.numbers(), dgain, sums);
  rig.results.compare(line + " dbias", dbias_array.numbers(), is_centred ? dbias : dbias_before,
                      sums);
}

}  // namespace

template <typename T>
void check_norms(Rig<T>& rig) {
  for (const bool backward : {false, true}) {
    rig.begin(backward ? "norm_backward" : "norm");
    for (const Size& s : norm_sizes(rig.large))
      for (const bool is_centred : {false, true}) check_norm(rig, s, is_centred, backward);
  }
}

template void check_norms(Rig<BFloat16>&);
template void check_norms(Rig<Half>&);
template void check_norms(Rig<float>&);

}  // namespace check
