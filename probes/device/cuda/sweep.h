// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probes/device/cuda/launch.h"
#include "probes/device/cuda/pack.h"

namespace pippin::probes::cuda {

// Loops over elements. What is done with them is a Work, which loads all that it needs for `kCount`
// elements from `i` on, and later stores what it makes of it:
//   template <int kCount> Loaded load(std::int64_t i) const;
//   template <int kCount> void store(std::int64_t i, const Loaded& loaded) const;

/// Which elements are done in packs: `packs` from `first` on; those before, and up to `count`, are
/// done one by one.
struct Range {
  std::int64_t count, first, packs;
};

inline constexpr int kSweepThreads = 256;

/// Packs of a thread. All are loaded before the first is stored, so that enough bytes are under way
/// to hide the memory's latency: 32 of each array, 64 KiB on a multiprocessor.
template <int kCount>
inline constexpr int kTogether = kCount == 1 ? 8 : 2;

template <int kCount, typename Work>
__global__ void __launch_bounds__(kSweepThreads) sweep(Range range, Work work) {
  constexpr int n = kTogether<kCount>;
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t begin = std::int64_t{blockIdx.x} * kSweepThreads * n + thread;
  decltype(work.template load<kCount>(0)) loaded[n];
#pragma unroll
  for (int i = 0; i < n; ++i) {
    const std::int64_t pack = begin + i * kSweepThreads;
    if (pack < range.packs) loaded[i] = work.template load<kCount>(range.first + pack * kCount);
  }
#pragma unroll
  for (int i = 0; i < n; ++i) {
    const std::int64_t pack = begin + i * kSweepThreads;
    if (pack < range.packs) work.template store<kCount>(range.first + pack * kCount, loaded[i]);
  }
  if (kCount == 1 || blockIdx.x > 0) return;
  // The edges are fewer than two packs.
  const std::int64_t edge =
      thread < range.first ? thread : range.packs * kCount + static_cast<std::int64_t>(thread);
  if (edge < range.count) work.template store<1>(edge, work.template load<1>(edge));
}

template <int kCount, typename Work>
void start_sweep(cudaStream_t stream, const char* purpose, const Range& range, const Work& work) {
  const std::int64_t share = kSweepThreads * kTogether<kCount>;
  const std::int64_t blocks = (range.packs + share - 1) / share;
  launch(stream, {blocks > 0 ? blocks : 1, kSweepThreads, 0, purpose}, sweep<kCount, Work>, range,
         work);
}

/// Over `count` elements of arrays that each begin anywhere. kCount: of the widest packs.
template <int kCount, typename Work, typename... T>
void sweep_elements(cudaStream_t stream, const char* purpose, std::int64_t count, const Work& work,
                    const T*... arrays) {
  if (count <= 0) return;
  const std::int64_t first = elements_before_packs<kCount>(arrays...);
  if (first < 0)
    start_sweep<1>(stream, purpose, {count, 0, count}, work);
  else
    start_sweep<kCount>(stream, purpose,
                        {count, first, count > first ? (count - first) / kCount : 0}, work);
}

/// Over rows × width elements, where no pack may hold parts of two rows.
template <int kCount, typename Work, typename... T>
void sweep_rows(cudaStream_t stream, const char* purpose, std::int64_t rows, std::int64_t width,
                const Work& work, const T*... arrays) {
  const std::int64_t count = rows * width;
  if (count <= 0) return;
  if (width % kCount == 0 && are_aligned<kCount>(arrays...))
    start_sweep<kCount>(stream, purpose, {count, 0, count / kCount}, work);
  else
    start_sweep<1>(stream, purpose, {count, 0, count}, work);
}

}  // namespace pippin::probes::cuda
