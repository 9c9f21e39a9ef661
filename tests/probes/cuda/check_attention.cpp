// SPDX-License-Identifier: Apache-2.0
// Rotary positions, and attention in a few shapes: cuda_attention_test.cpp has many more.
#include <algorithm>

#include "check.h"
#include "probes/device/arithmetic.h"

namespace check {

namespace {

/// Where vector `v` of a group (its queries, its key, its value) begins in a row of qkv.
std::int64_t vector_at(const AttentionShape& s, std::int64_t row, std::int64_t group,
                       std::int64_t v) {
  return row * s.qkv_width() + (group * (s.heads_of_group() + 2) + v) * s.head_width;
}

Numbers rotated(const AttentionShape& s, int turns, Numbers qkv) {
  const std::int64_t half = s.head_width / 2;
  for (std::int64_t row = 0; row < s.rows(); ++row)
    for (std::int64_t group = 0; group < s.groups; ++group)
      for (std::int64_t v = 0; v <= s.heads_of_group(); ++v)
        for (std::int64_t i = 0; i < half; ++i) {
          const double angle =
              turns * static_cast<double>(row % s.seq) * rotary_frequency(i, s.head_width);
          const auto at = static_cast<std::size_t>(vector_at(s, row, group, v) + i);
          const double a = qkv[at], b = qkv[at + static_cast<std::size_t>(half)];
          qkv[at] = a * std::cos(angle) - b * std::sin(angle);
          qkv[at + static_cast<std::size_t>(half)] = a * std::sin(angle) + b * std::cos(angle);
        }
  return qkv;
}

/// One head of one sequence, plainly: its context, and all gradients added to dqkv.
void attend(const AttentionShape& s, std::int64_t sequence, std::int64_t head, const Numbers& qkv,
            const Numbers& dcontext, Numbers& context, Numbers& dqkv) {
  const std::int64_t group = head / s.heads_of_group(), d = s.head_width;
  const auto at = [&](std::int64_t i, std::int64_t v) {
    return static_cast<std::size_t>(vector_at(s, sequence * s.seq + i, group, v));
  };
  const auto dot = [&](const double* a, const double* b) {
    double sum = 0;
    for (std::int64_t i = 0; i < d; ++i) sum += a[i] * b[i];
    return sum;
  };
  const std::int64_t key = s.heads_of_group(), value = key + 1;
  const double scale = 1 / std::sqrt(static_cast<double>(d));
  for (std::int64_t i = 0; i < s.seq; ++i) {
    const std::size_t q = at(i, head % s.heads_of_group());
    const auto out = static_cast<std::size_t>((sequence * s.seq + i) * s.width() + head * d);
    Numbers p(static_cast<std::size_t>(i + 1)), dp = p;
    double most = -INFINITY, sum = 0, mean = 0;
    for (std::size_t j = 0; j < p.size(); ++j) {
      p[j] = scale * dot(&qkv[q], &qkv[at(static_cast<std::int64_t>(j), key)]);
      most = std::max(most, p[j]);
    }
    for (double& x : p) sum += x = std::exp(x - most);
    for (std::size_t j = 0; j < p.size(); ++j) {
      p[j] /= sum;
      const std::size_t v = at(static_cast<std::int64_t>(j), value);
      for (std::size_t c = 0; c < static_cast<std::size_t>(d); ++c) {
        context[out + c] += p[j] * qkv[v + c];
        dqkv[v + c] += p[j] * dcontext[out + c];
      }
      dp[j] = dot(&dcontext[out], &qkv[v]);
      mean += p[j] * dp[j];
    }
    for (std::size_t j = 0; j < p.size(); ++j) {
      const std::size_t k = at(static_cast<std::int64_t>(j), key);
      const double slope = scale * p[j] * (dp[j] - mean);
      for (std::size_t c = 0; c < static_cast<std::size_t>(d); ++c) {
        dqkv[q + c] += slope * qkv[k + c];
        dqkv[k + c] += slope * qkv[q + c];
      }
    }
  }
}

template <typename T>
void check_rotate(Rig<T>& rig) {
  // The device knows the angles of the one shape that it was prepared for; batches may differ.
  const AttentionShape shape{rig.large ? 2 : 1, rig.large ? 2048 : 70, 8, 2, rig.large ? 128 : 64};
  rig.begin("rotate");
  for (const int shift : {0, 1})
    for (const int turns : {1, -1}) {
      const Numbers qkv = rig.draw(shape.rows() * shape.qkv_width());
      Array<T> array(qkv, shift);
      rig.device.rotate(shape, turns, array.data());
      rig.results.compare(std::to_string(turns), array.numbers(), rotated(shape, turns, qkv),
                          rounded_to<T>(1e-5));
    }
}

template <typename T>
void check_shape(Rig<T>& rig, const AttentionShape& s) {
  const std::string line = std::to_string(s.seq) + " x " + std::to_string(s.head_width);
  const Numbers qkv = rig.draw(s.rows() * s.qkv_width()), dcontext = rig.draw(s.rows() * s.width());
  Numbers context(dcontext.size()), dqkv(qkv.size());
  for (std::int64_t i = 0; i < s.batch * s.heads; ++i)
    attend(s, i / s.heads, i % s.heads, qkv, dcontext, context, dqkv);
  Array<T> qkv_array(qkv, 0), context_array(s.rows() * s.width()), dcontext_array(dcontext, 0);
  Array<T> dqkv_array(s.rows() * s.qkv_width());
  Array<float> kept(rig.device.attention_kept(s));
  rig.device.attention(s, qkv_array.data(), kept.data(), context_array.data());
  rig.device.attention_backward(s, qkv_array.data(), kept.data(), context_array.data(),
                                dcontext_array.data(), dqkv_array.data());
  // Probabilities are rounded, too.
  const double step = sizeof(T) == 4 ? 1e-5 : kStep<T>;
  rig.results.compare(line, context_array.numbers(), context, {2 * step, 2 * step});
  rig.results.compare(line + " dqkv", dqkv_array.numbers(), dqkv, {4 * step, 16 * step});
}

}  // namespace

template <typename T>
void check_attention(Rig<T>& rig) {
  check_rotate(rig);
  rig.begin("attention, both ways");
  if (rig.large)
    check_shape(rig, {1, 1024, 8, 2, 128});
  else
    for (const AttentionShape& s : {AttentionShape{2, 5, 4, 4, 3}, AttentionShape{1, 70, 4, 2, 64}})
      check_shape(rig, s);
}

template void check_attention(Rig<BFloat16>&);
template void check_attention(Rig<Half>&);
template void check_attention(Rig<float>&);

}  // namespace check
