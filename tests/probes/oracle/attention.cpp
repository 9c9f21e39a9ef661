// SPDX-License-Identifier: Apache-2.0
#include "tests/probes/oracle/attention.h"

#include <algorithm>
#include <cmath>

#include "probes/device/arithmetic.h"
#include "probes/device/matmul.h"

namespace pippin::probes::oracle {

namespace {

/// Where the blocks of one sequence and head begin; rows of q, k, v are `qkv_step` apart.
struct HeadPlace {
  std::int64_t q, k, v, qkv_step;
  std::int64_t context, context_step;
  std::int64_t probabilities;
};

HeadPlace place_of(const AttentionShape& s, std::int64_t sequence, std::int64_t head) {
  const std::int64_t group = head / s.heads_of_group();
  HeadPlace place{};
  place.qkv_step = s.qkv_width();
  const std::int64_t start =
      sequence * s.seq * place.qkv_step + group * (s.heads_of_group() + 2) * s.head_width;
  place.q = start + head % s.heads_of_group() * s.head_width;
  place.k = start + s.heads_of_group() * s.head_width;
  place.v = place.k + s.head_width;
  place.context_step = s.width();
  place.context = sequence * s.seq * place.context_step + head * s.head_width;
  place.probabilities = (sequence * s.heads + head) * s.seq * s.seq;
  return place;
}

/// Scores become probabilities: row i over the columns 0 … i, zero after.
template <typename T>
void causal_softmax(std::int64_t seq, T* scores) {
  for (std::int64_t i = 0; i < seq; ++i, scores += seq) {
    const T largest = *std::max_element(scores, scores + i + 1);
    T sum = 0;
    for (std::int64_t j = 0; j <= i; ++j) {
      scores[j] = std::exp(scores[j] - largest);
      sum += scores[j];
    }
    for (std::int64_t j = 0; j <= i; ++j) scores[j] /= sum;
    std::fill(scores + i + 1, scores + seq, T(0));
  }
}

/// dprobabilities becomes dscores: p·(dp − Σ p·dp), row by row.
template <typename T>
void causal_softmax_backward(std::int64_t seq, const T* p, T* dp) {
  for (std::int64_t i = 0; i < seq; ++i, p += seq, dp += seq) {
    T dot = 0;
    for (std::int64_t j = 0; j <= i; ++j) dot += p[j] * dp[j];
    for (std::int64_t j = 0; j <= i; ++j) dp[j] = p[j] * (dp[j] - dot);
    std::fill(dp + i + 1, dp + seq, T(0));
  }
}

template <typename T>
T score_scale(const AttentionShape& s) {
  return T(1) / std::sqrt(static_cast<T>(s.head_width));
}

template <typename T>
void head_forward(const AttentionShape& s, const HeadPlace& at, const T* qkv, T* probabilities,
                  T* context) {
  T* p = probabilities + at.probabilities;
  matmul<T>(s.seq, s.seq, s.head_width, score_scale<T>(s), {qkv + at.q, at.qkv_step},
            {qkv + at.k, at.qkv_step, As::kTransposed}, 0, p, s.seq);
  causal_softmax(s.seq, p);
  matmul<T>(s.seq, s.head_width, s.seq, 1, {p, s.seq}, {qkv + at.v, at.qkv_step}, 0,
            context + at.context, at.context_step);
}

template <typename T>
void head_backward(const AttentionShape& s, const HeadPlace& at, bool first_of_group, const T* qkv,
                   const T* probabilities, const T* dcontext, T* dqkv, T* scratch) {
  const T* p = probabilities + at.probabilities;
  const T* dc = dcontext + at.context;
  // A group's key and value serve several heads: the first of these overwrites, the others add.
  const T beta = first_of_group ? T(0) : T(1);
  matmul<T>(s.seq, s.head_width, s.seq, 1, {p, s.seq, As::kTransposed}, {dc, at.context_step}, beta,
            dqkv + at.v, at.qkv_step);
  matmul<T>(s.seq, s.seq, s.head_width, 1, {dc, at.context_step},
            {qkv + at.v, at.qkv_step, As::kTransposed}, 0, scratch, s.seq);
  causal_softmax_backward(s.seq, p, scratch);
  matmul<T>(s.seq, s.head_width, s.seq, score_scale<T>(s), {scratch, s.seq},
            {qkv + at.k, at.qkv_step}, 0, dqkv + at.q, at.qkv_step);
  matmul<T>(s.seq, s.head_width, s.seq, score_scale<T>(s), {scratch, s.seq, As::kTransposed},
            {qkv + at.q, at.qkv_step}, beta, dqkv + at.k, at.qkv_step);
}

}  // namespace

template <typename T>
void rotate(const AttentionShape& s, int turns, T* qkv) {
  const std::int64_t half = s.head_width / 2, kinds = s.heads_of_group() + 2;
  for (std::int64_t row = 0; row < s.batch * s.seq; ++row)
    for (std::int64_t vector = 0; vector < s.groups * kinds; ++vector) {
      if (vector % kinds == kinds - 1) continue;  // a value
      T* x = qkv + row * s.qkv_width() + vector * s.head_width;
      for (std::int64_t i = 0; i < half; ++i) {
        const double angle =
            turns * static_cast<double>(row % s.seq) * rotary_frequency(i, s.head_width);
        const T cosine = static_cast<T>(std::cos(angle)), sine = static_cast<T>(std::sin(angle));
        const T a = x[i], b = x[i + half];
        x[i] = a * cosine - b * sine;
        x[i + half] = a * sine + b * cosine;
      }
    }
}

template <typename T>
void attention_forward(const AttentionShape& shape, const T* qkv, T* probabilities, T* context) {
  for (std::int64_t b = 0; b < shape.batch; ++b)
    for (std::int64_t a = 0; a < shape.heads; ++a)
      head_forward(shape, place_of(shape, b, a), qkv, probabilities, context);
}

template <typename T>
void attention_backward(const AttentionShape& shape, const T* qkv, const T* probabilities,
                        const T* dcontext, T* dqkv, T* scratch) {
  for (std::int64_t b = 0; b < shape.batch; ++b)
    for (std::int64_t a = 0; a < shape.heads; ++a)
      head_backward(shape, place_of(shape, b, a), a % shape.heads_of_group() == 0, qkv,
                    probabilities, dcontext, dqkv, scratch);
}

// NOLINTBEGIN(bugprone-macro-parentheses): T is a type
#define PROBES_ATTENTION(T)                                                 \
  template void rotate(const AttentionShape&, int, T*);                     \
  template void attention_forward(const AttentionShape&, const T*, T*, T*); \
  template void attention_backward(const AttentionShape&, const T*, const T*, const T*, T*, T*);
PROBES_ATTENTION(float)
PROBES_ATTENTION(double)
#undef PROBES_ATTENTION
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace pippin::probes::oracle
