// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probes/device/cuda/sweep.h"
#include "probes/device/drawing.h"
#include "probes/device/fused_arithmetic.h"

namespace pippin::probes::cuda {

// What is done to each element by itself, for sweep.h. T is what is stored; arithmetic is in float.

/// One pack, of one array.
template <typename T, int kCount>
struct One {
  Pack<T, kCount> x;
};
template <typename T, int kCount>
struct Two {
  Pack<T, kCount> x, y;
};
template <typename T, int kCount>
struct Three {
  Pack<T, kCount> x, y, z;
};

template <typename T>
struct Widen {
  const T* x;
  float* y;

  template <int kCount>
  __device__ One<T, kCount> load(std::int64_t i) const {
    return {load_pack<kCount>(x + i)};
  }
  template <int kCount>
  __device__ void store(std::int64_t i, const One<T, kCount>& loaded) const {
    Pack<float, kCount> wide;
#pragma unroll
    for (int j = 0; j < kCount; ++j) wide.at[j] = loaded.x.at[j];
    store_pack<kCount>(y + i, wide);
  }
};

template <typename T>
struct Draw {
  struct Nothing {};
  Drawing drawing;
  T* x;

  template <int kCount>
  __device__ Nothing load(std::int64_t) const {
    return {};
  }
  template <int kCount>
  __device__ void store(std::int64_t i, const Nothing&) const {
    Pack<T, kCount> drawn;
    for (int j = 0; j < kCount; ++j) drawn.at[j] = T(static_cast<float>(drawn_at(drawing, i + j)));
    store_pack<kCount>(x + i, drawn);
  }
};

template <typename T>
struct Gelu {
  const T* x;
  T* y;

  template <int kCount>
  __device__ One<T, kCount> load(std::int64_t i) const {
    return {load_pack<kCount>(x + i)};
  }
  template <int kCount>
  __device__ void store(std::int64_t i, const One<T, kCount>& loaded) const {
    Pack<T, kCount> made;
#pragma unroll
    for (int j = 0; j < kCount; ++j) made.at[j] = T(gelu(static_cast<float>(loaded.x.at[j])));
    store_pack<kCount>(y + i, made);
  }
};

/// dy becomes the gradient of GELU's input x.
template <typename T>
struct GeluBackward {
  const T* x;
  T* dy;

  template <int kCount>
  __device__ Two<T, kCount> load(std::int64_t i) const {
    return {load_pack<kCount>(x + i), load_pack<kCount>(dy + i)};
  }
  template <int kCount>
  __device__ void store(std::int64_t i, const Two<T, kCount>& loaded) const {
    Pack<T, kCount> made;
#pragma unroll
    for (int j = 0; j < kCount; ++j)
      made.at[j] =
          T(static_cast<float>(loaded.y.at[j]) * gelu_slope(static_cast<float>(loaded.x.at[j])));
    store_pack<kCount>(dy + i, made);
  }
};

/// Where element `i` of rows of `width` has its gate, in rows of (gate, up).
__device__ inline std::int64_t gate_of(std::int64_t i, std::int64_t width) {
  return i + i / width * width;
}

template <typename T>
struct Swiglu {
  std::int64_t width;
  const T* before;
  T* y;

  template <int kCount>
  __device__ Two<T, kCount> load(std::int64_t i) const {
    const T* gate = before + gate_of(i, width);
    return {load_pack<kCount>(gate), load_pack<kCount>(gate + width)};
  }
  template <int kCount>
  __device__ void store(std::int64_t i, const Two<T, kCount>& loaded) const {
    Pack<T, kCount> made;
#pragma unroll
    for (int j = 0; j < kCount; ++j)
      made.at[j] = T(silu(static_cast<float>(loaded.x.at[j])) * static_cast<float>(loaded.y.at[j]));
    store_pack<kCount>(y + i, made);
  }
};

template <typename T>
struct SwigluBackward {
  std::int64_t width;
  const T *x, *dy;
  T* dx;

  template <int kCount>
  __device__ Three<T, kCount> load(std::int64_t i) const {
    const T* gate = x + gate_of(i, width);
    return {load_pack<kCount>(gate), load_pack<kCount>(gate + width), load_pack<kCount>(dy + i)};
  }
  template <int kCount>
  __device__ void store(std::int64_t i, const Three<T, kCount>& loaded) const {
    Pack<T, kCount> dgate, dup;
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
      const float gate = loaded.x.at[j], up = loaded.y.at[j], d = loaded.z.at[j];
      const Silu made = silu_with_slope(gate);
      dgate.at[j] = T(d * up * made.slope);
      dup.at[j] = T(d * made.value);
    }
    T* to = dx + gate_of(i, width);
    store_pack<kCount>(to, dgate);
    store_pack<kCount>(to + width, dup);
  }
};

/// y += x + bias. Without x or without a bias where that is null.
template <typename T>
struct AddRows {
  std::int64_t width;
  const T *x, *bias;
  T* y;

  template <int kCount>
  __device__ Three<T, kCount> load(std::int64_t i) const {
    Three<T, kCount> loaded;
    if (x) loaded.x = load_pack<kCount>(x + i);
    loaded.y = load_pack<kCount>(y + i);
    if (bias) loaded.z = load_pack<kCount>(bias + i % width);
    return loaded;
  }
  template <int kCount>
  __device__ void store(std::int64_t i, const Three<T, kCount>& loaded) const {
    Pack<T, kCount> made;
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
      float sum = loaded.y.at[j];
      if (x) sum += static_cast<float>(loaded.x.at[j]);
      if (bias) sum += static_cast<float>(loaded.z.at[j]);
      made.at[j] = T(sum);
    }
    store_pack<kCount>(y + i, made);
  }
};

}  // namespace pippin::probes::cuda
