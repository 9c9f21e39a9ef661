// SPDX-License-Identifier: Apache-2.0
#include "probes/device/cpu.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "probes/device/matmul.h"

namespace pippin::probes {

namespace {

// Parts of work below which sharing costs more than it saves: rows, and elements.
constexpr std::int64_t kRowGrain = 8, kGrain = 16384;

}  // namespace

template <typename T>
CpuDevice<T>::CpuDevice(Memory& memory, std::int64_t threads)
    : memory_(memory), threads_(threads), kernels_(kernels<T>()) {
  use_one_matmul_thread();
}

template <typename T>
void CpuDevice<T>::to_device(std::int64_t bytes, const void* host, void* device) {
  std::memcpy(device, host, static_cast<std::size_t>(bytes));
}

template <typename T>
void CpuDevice<T>::to_host(std::int64_t bytes, const void* device, void* host) {
  std::memcpy(host, device, static_cast<std::size_t>(bytes));
}

template <typename T>
void CpuDevice<T>::clear(std::int64_t bytes, void* device) {
  auto* x = static_cast<unsigned char*>(device);
  threads_.split(bytes, kGrain * std::int64_t{sizeof(T)},
                 [&](std::int64_t begin, std::int64_t end) { std::fill(x + begin, x + end, 0); });
}

template <typename T>
void CpuDevice<T>::draw(const Drawing& drawing, std::int64_t count, T* x) {
  threads_.split(count, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) x[i] = static_cast<T>(drawn_at(drawing, i));
  });
}

template <typename T>
void CpuDevice<T>::widen(std::int64_t count, const T* x, W* y) {
  threads_.split(count, kGrain, [&](std::int64_t begin, std::int64_t end) {
    std::copy(x + begin, x + end, y + begin);
  });
}

template <typename T>
void CpuDevice<T>::linear(std::int64_t rows, std::int64_t in, std::int64_t out, const T* x,
                          const T* w, const T* bias, T* y) {
  threads_.split(rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t n = end - begin;
    T* part = y + begin * out;
    matmul<T>(n, out, in, 1, {x + begin * in, in}, {w, in, As::kTransposed}, 0, part, out);
    if (bias) kernels_.add_bias(n, out, bias, part);
  });
}

template <typename T>
void CpuDevice<T>::linear_gelu(std::int64_t rows, std::int64_t in, std::int64_t out, const T* x,
                               const T* w, const T* bias, T* before, T* y) {
  threads_.split(rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t n = end - begin;
    T* part = before + begin * out;
    matmul<T>(n, out, in, 1, {x + begin * in, in}, {w, in, As::kTransposed}, 0, part, out);
    kernels_.bias_gelu(n, out, bias, part, y + begin * out);
  });
}

template <typename T>
void CpuDevice<T>::linear_swiglu(std::int64_t rows, std::int64_t in, std::int64_t width, const T* x,
                                 const T* w, T* before, T* y) {
  const std::int64_t out = 2 * width;
  threads_.split(rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t n = end - begin;
    T* part = before + begin * out;
    matmul<T>(n, out, in, 1, {x + begin * in, in}, {w, in, As::kTransposed}, 0, part, out);
    kernels_.swiglu(n, width, part, y + begin * width);
  });
}

template <typename T>
void CpuDevice<T>::linear_to_input(std::int64_t rows, std::int64_t in, std::int64_t out,
                                   const T* dy, const T* w, T* dx) {
  threads_.split(rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
    matmul<T>(end - begin, in, out, 1, {dy + begin * out, out}, {w, in}, 0, dx + begin * in, in);
  });
}

template <typename T>
void CpuDevice<T>::linear_to_gelu(std::int64_t rows, std::int64_t in, std::int64_t out, const T* dy,
                                  const T* w, const T* before, T* dbefore) {
  threads_.split(rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
    T* part = dbefore + begin * in;
    matmul<T>(end - begin, in, out, 1, {dy + begin * out, out}, {w, in}, 0, part, in);
    kernels_.gelu_backward((end - begin) * in, before + begin * in, part);
  });
}

template <typename T>
void CpuDevice<T>::linear_to_weight(std::int64_t rows, std::int64_t in, std::int64_t out,
                                    const T* x, const T* dy, W* dw, W* dbias) {
  threads_.split(out, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
    matmul<T>(end - begin, in, rows, 1, {dy + begin, out, As::kTransposed}, {x, in}, 1,
              dw + begin * in, in);
  });
  if (dbias) add_rows(rows, out, dy, dbias);
}

template <typename T>
void CpuDevice<T>::add_rows(std::int64_t rows, std::int64_t width, const T* x, W* sums) {
  threads_.split(width, 256, [&](std::int64_t begin, std::int64_t end) {
    kernels_.add_rows(rows, width, begin, end, x, sums);
  });
}

template <typename T>
void CpuDevice<T>::swiglu_backward(std::int64_t rows, std::int64_t width, const T* x, const T* dy,
                                   T* dx) {
  threads_.split(rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
    kernels_.swiglu_backward(end - begin, width, x + 2 * begin * width, dy + begin * width,
                             dx + 2 * begin * width);
  });
}

template <typename T>
void CpuDevice<T>::add_residual(std::int64_t rows, std::int64_t width, const T* x, const T* bias,
                                T* y) {
  threads_.split(rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
    kernels_.add_residual(end - begin, width, x + begin * width, bias, y + begin * width);
  });
}

template <typename T>
void CpuDevice<T>::norm(std::int64_t rows, std::int64_t width, const T* x, const T* gain,
                        const T* bias, NormState<T> state, T* y) {
  threads_.split(rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
    kernels_.norm(end - begin, width, x + begin * width, gain, bias,
                  {state.mean + begin, state.inverse_sd + begin}, y + begin * width);
  });
}

template <typename T>
void CpuDevice<T>::norm_backward(std::int64_t rows, std::int64_t width, const T* x, const T* gain,
                                 NormState<T> state, const T* dy, T* dx, W* dgain, W* dbias) {
  threads_.split(rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
    kernels_.norm_to_input(end - begin, width, x + begin * width, gain, dbias != nullptr,
                           {state.mean + begin, state.inverse_sd + begin}, dy + begin * width,
                           dx + begin * width);
  });
  threads_.split(width, 256, [&](std::int64_t begin, std::int64_t end) {
    kernels_.norm_to_weight(rows, width, begin, end, x, state, dy, dgain, dbias);
  });
}

template <typename T>
void CpuDevice<T>::embed(std::int64_t rows, std::int64_t width, const VocabPart& part,
                         const std::int32_t* tokens, const T* table, T* x) {
  threads_.split(rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      const std::int64_t token = tokens[r] - part.first;
      if (token >= 0 && token < part.rows)
        std::copy(table + token * width, table + (token + 1) * width, x + r * width);
      else
        std::fill(x + r * width, x + (r + 1) * width, T(0));
    }
  });
}

template <typename T>
void CpuDevice<T>::embed_backward(std::int64_t rows, std::int64_t width, const VocabPart& part,
                                  const std::int32_t* tokens, const T* dx, W* dtable) {
  // By columns: two threads may meet in one token's row.
  threads_.split(width, 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::int64_t token = tokens[r] - part.first;
      if (token < 0 || token >= part.rows) continue;
      kernels_.add_rows(1, width, begin, end, dx + r * width, dtable + token * width);
    }
  });
}

template <typename T>
void CpuDevice<T>::add_positions(std::int64_t rows, std::int64_t first, std::int64_t seq,
                                 std::int64_t width, const T* positions, T* x) {
  threads_.split(rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r)
      kernels_.add_residual(1, width, positions + (first + r) % seq * width, nullptr,
                            x + r * width);
  });
}

template <typename T>
void CpuDevice<T>::positions_backward(std::int64_t rows, std::int64_t first, std::int64_t seq,
                                      std::int64_t width, const T* dx, W* dpositions) {
  threads_.split(width, 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = 0; r < rows; ++r)
      kernels_.add_rows(1, width, begin, end, dx + r * width,
                        dpositions + (first + r) % seq * width);
  });
}

template <typename T>
void CpuDevice<T>::largest(std::int64_t rows, const VocabPart& part, T* logits, W* largest, W*) {
  threads_.split(rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
    kernels_.largest(end - begin, part, logits + begin * part.rows, largest + begin);
  });
}

/// The logits become exponentials, which cross_entropy() divides.
template <typename T>
void CpuDevice<T>::exponentials(std::int64_t rows, const VocabPart& part,
                                const std::int32_t* targets, const W* largest, T* logits, W* sums,
                                W* targets_logit) {
  threads_.split(rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
    kernels_.exponentials(end - begin, part, targets + begin, largest + begin,
                          logits + begin * part.rows, sums + begin, targets_logit + begin);
  });
}

template <typename T>
void CpuDevice<T>::cross_entropy(std::int64_t rows, const VocabPart& part,
                                 const std::int32_t* targets, const W*, const W* sums,
                                 const W* targets_logit, W scale, const StepState* state, T* logits,
                                 double* loss) {
  const W scaled = scale * static_cast<W>(state->loss_scale);
  threads_.split(rows, kRowGrain, [&](std::int64_t begin, std::int64_t end) {
    kernels_.loss_gradient(end - begin, part, targets + begin, sums + begin, scaled,
                           logits + begin * part.rows);
  });
  for (std::int64_t r = 0; r < rows; ++r)
    *loss += static_cast<double>(std::log(sums[r]) - targets_logit[r]);
}

template <typename T>
void CpuDevice<T>::add_squares(std::int64_t count, const W* x, double* squares) {
  std::vector<double> sums(static_cast<std::size_t>(threads_.count()));
  const std::int64_t share = (count + threads_.count() - 1) / threads_.count();
  threads_.everywhere([&](std::int64_t thread) {
    const std::int64_t begin = std::min(count, thread * share);
    const std::int64_t end = std::min(count, begin + share);
    sums[static_cast<std::size_t>(thread)] = kernels_.squares(end - begin, x + begin);
  });
  for (const double sum : sums) *squares += sum;
}

template <typename T>
void CpuDevice<T>::adam(const OptimizerSettings& s, const StepState* state, std::int64_t count,
                        bool decays, const W* gradients, W* masters, W* moments1, W* moments2, T*) {
  if (!state->is_finite()) return;
  const AdamStep<W> step = adam_step<W>(s, state->steps);
  const W decay = decays ? W(s.weight_decay) : W(0);
  const auto factor = static_cast<W>(gradient_factor(*state, s.clip_grad));
  threads_.split(count, kGrain, [&](std::int64_t begin, std::int64_t end) {
    kernels_.adam(step, decay, factor, end - begin, gradients + begin, masters + begin,
                  moments1 + begin, moments2 + begin);
  });
}

template class CpuDevice<float>;
template class CpuDevice<double>;

}  // namespace pippin::probes
