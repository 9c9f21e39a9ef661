// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pippin {

/// A node's share of a matrix product. In TFLOPS; nothing where none was made.
struct CanaryNode {
  std::string name;
  std::string ranks;                                ///< "0-3,8"; empty: unknown
  std::optional<double> min_tflops, median_tflops;  ///< over its ranks
};

/// One matrix product, measured on every rank. In TFLOPS.
struct CanaryGemm {
  std::int64_t m = 0, n = 0, k = 0;
  double min_tflops = 0, median_tflops = 0, max_tflops = 0;  ///< over the ranks
  std::int64_t slowest_rank = 0;
  std::string slowest_host;
};

/// The all-reduce of one size over all ranks. busbw as nccl-tests define it, in 1e9 bytes a second.
/// Source: github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md.
struct CanaryAllReduce {
  std::int64_t bytes = 0;
  std::optional<double> min_us;
  double median_us = 0;  ///< the mean of who knows no more
  std::optional<double> p99_us;
  double median_busbw_gb_per_s = 0;
};

/// The bandwidth between two nodes, in 1e9 bytes a second.
struct CanaryPair {
  std::string a, b;
  double gb_per_s = 0;
  std::optional<std::int64_t> bytes, repetitions;  ///< of its messages
};

/// What a table says of one operation of one size. Bandwidths in 1e9 bytes a second as nccl-tests
/// define them; nothing where none is printed, or it is 0.
/// Source: github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md.
struct Collective {
  std::string operation;  ///< "all_reduce"
  std::int64_t bytes = 0;
  std::optional<bool> in_place;  ///< nothing where the table does not say
  std::string number_type;       ///< "float"; empty: not said
  double time_us = 0;
  std::optional<double> algbw_gb_per_s, busbw_gb_per_s;
  std::optional<std::int64_t> wrong;  ///< results; nothing where they were not checked
};

/// What a canary measured, once.
struct CanaryFigures {
  double seconds = 0;  ///< that it took
  std::int64_t ranks = 0, nodes = 0;
  std::string library;              ///< by which the ranks talked, with its version; empty: unknown
  CanaryGemm gemm;                  ///< its m is 0 where none was made
  std::vector<CanaryNode> by_node;  ///< empty: unknown
  std::vector<CanaryAllReduce> all_reduce;  ///< empty with one rank
  std::vector<CanaryPair> pairs;            ///< empty with one node
  std::vector<Collective> collectives;      ///< all of a collected table, those above among them
};

/// One reading of a job.
struct CanaryReading {
  std::int64_t number = 0;               ///< 1-based, in the order in which its job took them
  std::int64_t taken_at = 0;             ///< seconds since 1970, UTC: when it began
  std::string problem;                   ///< why there are no figures; empty where there are
  std::optional<CanaryFigures> figures;  ///< nothing where there is a problem
};

}  // namespace pippin
