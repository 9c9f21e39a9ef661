// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "probes/device/cpu.h"
#include "probes/device/matmul.h"

namespace pippin::probes {

namespace {

/// Queries that are done together: keys after the last of them are never looked at, which halves
/// the work of long sequences.
constexpr std::int64_t kQueries = 128;

/// Where one head's matrices begin; rows of q, k, v are qkv_step apart, those of the context
/// context_step.
struct HeadPlace {
  std::int64_t q, k, v, context, probabilities;
};

HeadPlace place_of(const AttentionShape& s, std::int64_t sequence, std::int64_t head) {
  const std::int64_t group = head / s.heads_of_group();
  const std::int64_t start =
      sequence * s.seq * s.qkv_width() + group * (s.heads_of_group() + 2) * s.head_width;
  HeadPlace place{};
  place.q = start + head % s.heads_of_group() * s.head_width;
  place.k = start + s.heads_of_group() * s.head_width;
  place.v = place.k + s.head_width;
  place.context = sequence * s.seq * s.width() + head * s.head_width;
  place.probabilities = (sequence * s.heads + head) * s.seq * s.seq;
  return place;
}

template <typename T>
T score_scale(const AttentionShape& s) {
  return T(1) / std::sqrt(static_cast<T>(s.head_width));
}

/// One head of one sequence, by blocks of queries.
template <typename T>
struct Head {
  const AttentionShape& shape;
  const Kernels<T>& kernels;
  HeadPlace at;

  Factor<T> rows(const T* qkv, std::int64_t place, std::int64_t row, As as = As::kIs) const {
    return {qkv + place + row * shape.qkv_width(), shape.qkv_width(), as};
  }

  void forward(const T* qkv, T* probabilities, T* context) const {
    const std::int64_t d = shape.head_width, seq = shape.seq;
    for (std::int64_t first = 0; first < seq; first += kQueries) {
      const std::int64_t queries = std::min(kQueries, seq - first), keys = first + queries;
      T* p = probabilities + at.probabilities + first * seq;
      matmul<T>(queries, keys, d, score_scale<T>(shape), rows(qkv, at.q, first),
                rows(qkv, at.k, 0, As::kTransposed), 0, p, seq);
      kernels.softmax(queries, first, keys, seq, p);
      matmul<T>(queries, d, keys, 1, {p, seq}, rows(qkv, at.v, 0), 0,
                context + at.context + first * shape.width(), shape.width());
    }
  }

  /// The key's and value's gradients are added to; `scratch` holds kQueries × seq.
  void backward(const T* qkv, const T* probabilities, const T* dcontext, T* dqkv,
                T* scratch) const {
    const std::int64_t step = shape.qkv_width(), d = shape.head_width, seq = shape.seq;
    for (std::int64_t first = 0; first < seq; first += kQueries) {
      const std::int64_t queries = std::min(kQueries, seq - first), keys = first + queries;
      const T* p = probabilities + at.probabilities + first * seq;
      const T* dc = dcontext + at.context + first * shape.width();
      matmul<T>(keys, d, queries, 1, {p, seq, As::kTransposed}, {dc, shape.width()}, 1, dqkv + at.v,
                step);
      matmul<T>(queries, keys, d, 1, {dc, shape.width()}, rows(qkv, at.v, 0, As::kTransposed), 0,
                scratch, keys);
      kernels.softmax_backward(queries, first, keys, seq, score_scale<T>(shape), p, scratch);
      matmul<T>(queries, d, keys, 1, {scratch, keys}, rows(qkv, at.k, 0), 0,
                dqkv + at.q + first * step, step);
      matmul<T>(keys, d, queries, 1, {scratch, keys, As::kTransposed}, rows(qkv, at.q, first), 1,
                dqkv + at.k, step);
    }
  }
};

}  // namespace

template <typename T>
void CpuDevice<T>::learn_turns(const AttentionShape& s) {
  const std::int64_t half = s.head_width / 2;
  turns_ = Buffer<T>(memory_, {s.seq, 2, half});
  for (std::int64_t position = 0; position < s.seq; ++position)
    for (std::int64_t i = 0; i < half; ++i) {
      const double angle = static_cast<double>(position) * rotary_frequency(i, s.head_width);
      turns_[position * 2 * half + i] = static_cast<T>(std::cos(angle));
      turns_[position * 2 * half + half + i] = static_cast<T>(std::sin(angle));
    }
}

template <typename T>
void CpuDevice<T>::prepare(const DeviceNeeds& needs) {
  if (needs.rotates) learn_turns(needs.attention);
  scratch_ = Buffer<T>(
      memory_, {threads_.count(), std::min(kQueries, needs.attention.seq), needs.attention.seq});
}

template <typename T>
void CpuDevice<T>::rotate(const AttentionShape& s, int turns, T* qkv) {
  const std::int64_t half = s.head_width / 2, kinds = s.heads_of_group() + 2;
  const T sign = static_cast<T>(turns);
  threads_.split(s.rows(), 8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const T *cosine = turns_.data() + row % s.seq * 2 * half, *sine = cosine + half;
      for (std::int64_t vector = 0; vector < s.groups * kinds; ++vector) {
        if (vector % kinds == kinds - 1) continue;  // a value
        T *x = qkv + row * s.qkv_width() + vector * s.head_width, *y = x + half;
        for (std::int64_t i = 0; i < half; ++i) {
          const T a = x[i], b = y[i];
          x[i] = a * cosine[i] - sign * b * sine[i];
          y[i] = sign * a * sine[i] + b * cosine[i];
        }
      }
    }
  });
}

template <typename T>
std::int64_t CpuDevice<T>::attention_kept(const AttentionShape& s) const {
  return s.batch * s.heads * s.seq * s.seq;
}

template <typename T>
void CpuDevice<T>::attention(const AttentionShape& s, const T* qkv, W* probabilities, T* context) {
  threads_.split(s.batch * s.heads, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      Head<T>{s, kernels_, place_of(s, i / s.heads, i % s.heads)}.forward(qkv, probabilities,
                                                                          context);
  });
}

template <typename T>
void CpuDevice<T>::attention_backward(const AttentionShape& s, const T* qkv, const W* probabilities,
                                      const T*, const T* dcontext, T* dqkv) {
  clear(s.rows() * s.qkv_width() * std::int64_t{sizeof(T)}, dqkv);
  const std::int64_t groups = s.batch * s.groups;
  threads_.everywhere([&](std::int64_t thread) {
    T* own = scratch_.data() + thread * std::min(kQueries, s.seq) * s.seq;
    // The heads of one group add to the same key and value.
    for (std::int64_t i = thread; i < groups; i += threads_.count())
      for (std::int64_t j = 0; j < s.heads_of_group(); ++j) {
        const std::int64_t head = i % s.groups * s.heads_of_group() + j;
        Head<T>{s, kernels_, place_of(s, i / s.groups, head)}.backward(qkv, probabilities, dcontext,
                                                                       dqkv, own);
      }
  });
}

template class CpuDevice<float>;
template class CpuDevice<double>;

}  // namespace pippin::probes
