#include "probes/training/attention.h"

#include <algorithm>
#include <cmath>

#include "probes/training/matmul.h"

namespace pippin::probes {

namespace {

/// Where the blocks of one sequence and head begin; rows of q, k, v are `qkv_step` apart.
struct HeadPlace {
  std::int64_t q, k, v, qkv_step;
  std::int64_t context, context_step;
  std::int64_t probabilities;
};

HeadPlace place_of(const AttentionShape& s, std::int64_t sequence, std::int64_t head) {
  HeadPlace place{};
  place.qkv_step = 3 * s.width();
  place.q = sequence * s.seq * place.qkv_step + head * 3 * s.head_width;
  place.k = place.q + s.head_width;
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
void head_backward(const AttentionShape& s, const HeadPlace& at, const T* qkv,
                   const T* probabilities, const T* dcontext, T* dqkv, T* scratch) {
  const T* p = probabilities + at.probabilities;
  const T* dc = dcontext + at.context;
  matmul<T>(s.seq, s.head_width, s.seq, 1, {p, s.seq, As::kTransposed}, {dc, at.context_step}, 0,
            dqkv + at.v, at.qkv_step);
  matmul<T>(s.seq, s.seq, s.head_width, 1, {dc, at.context_step},
            {qkv + at.v, at.qkv_step, As::kTransposed}, 0, scratch, s.seq);
  causal_softmax_backward(s.seq, p, scratch);
  matmul<T>(s.seq, s.head_width, s.seq, score_scale<T>(s), {scratch, s.seq},
            {qkv + at.k, at.qkv_step}, 0, dqkv + at.q, at.qkv_step);
  matmul<T>(s.seq, s.head_width, s.seq, score_scale<T>(s), {scratch, s.seq, As::kTransposed},
            {qkv + at.q, at.qkv_step}, 0, dqkv + at.k, at.qkv_step);
}

}  // namespace

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
      head_backward(shape, place_of(shape, b, a), qkv, probabilities, dcontext, dqkv, scratch);
}

// NOLINTBEGIN(bugprone-macro-parentheses): T is a type
#define PROBES_ATTENTION(T)                                                 \
  template void attention_forward(const AttentionShape&, const T*, T*, T*); \
  template void attention_backward(const AttentionShape&, const T*, const T*, const T*, T*, T*);
PROBES_ATTENTION(float)
PROBES_ATTENTION(double)
#undef PROBES_ATTENTION
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace pippin::probes
