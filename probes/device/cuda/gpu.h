// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace pippin::probes {

/// A GPU as its driver describes it. Of power limits the CUDA runtime says nothing.
struct Gpu {
  int index = 0;
  std::string name;
  std::string uuid;          ///< 32 hex digits: no two GPUs have the same
  int major = 0, minor = 0;  ///< compute capability
  int multiprocessors = 0;
  std::uint64_t memory = 0;  ///< bytes
  int memory_bus = 0;        ///< bits; 0: unknown
  double clock = 0;          ///< at most; MHz; 0: unknown
  double memory_clock = 0;   ///< at most; MHz; 0: unknown
  int pci_bus = 0;
  int driver = 0, runtime = 0;  ///< CUDA's versions, 1000·major + 10·minor

  /// All of it for a log's head.
  std::string line() const;
};

/// bf16 products and asynchronous copies came with compute capability 8.0.
inline constexpr int kOldestMajor = 8;

/// 0 where CUDA sees none or does not work here, as without a driver; `trouble`: then why.
int count_gpus(std::string* trouble = nullptr);

/// Makes this thread use the GPU that falls to process `local_rank` of its node, round robin.
/// Errors: Error (no device) where there is none, or only one that is too old.
Gpu choose_gpu(int local_rank);

}  // namespace pippin::probes
