// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

#include "probes/common/half.h"
#include "probes/device/memory.h"

namespace pippin::probes::cuda {

/// A linear layer's: x rows × in, w out × in, y rows × out, row-major.
struct LinearShape {
  std::int64_t rows, in, out;
};

/// What makes a CudaDevice's matrix products. Sums are taken in float. Where a call returns whether
/// it could, false means that nothing was done: the library has no such product, and what follows
/// the product is to be done apart.
template <typename T>
class Products {
 public:
  using W = Wide<T>;

  virtual ~Products() = default;
  /// Takes its workspace. To be called before anything below, once; `memory` must outlive it.
  virtual void prepare(cudaStream_t stream, Memory& memory) = 0;
  /// Gives it back; prepare() may follow.
  virtual void give_back() = 0;

  /// y = x·wᵀ + bias, which may be null: that can always be.
  virtual bool linear(const LinearShape& shape, const T* x, const T* w, const T* bias, T* y) = 0;
  /// before = x·wᵀ + bias, which may be null; y = gelu(before).
  virtual bool linear_gelu(const LinearShape& shape, const T* x, const T* w, const T* bias,
                           T* before, T* y) = 0;
  /// dx = dy·w.
  virtual void to_input(const LinearShape& shape, const T* dy, const T* w, T* dx) = 0;
  /// dbefore = (dy·w)·gelu'(before).
  virtual bool to_gelu(const LinearShape& shape, const T* dy, const T* w, const T* before,
                       T* dbefore) = 0;
  /// Adds dyᵀ·x to dw.
  virtual void to_weight(const LinearShape& shape, const T* x, const T* dy, W* dw) = 0;
};

}  // namespace pippin::probes::cuda
