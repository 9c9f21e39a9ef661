// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "probes/comm/communicator.h"
#include "probes/training/shards.h"

namespace pippin::probes::test {

/// Whole tensors by name.
using Tensors = std::map<std::string, std::vector<double>>;

struct Gathered {
  Tensors tensors;
  /// Names what two ranks both hold (data-parallel replicas, whole tensors, a tied embedding) but
  /// not the same.
  std::string complaint;
};

/// The tensors that all ranks of a layout hold together, on rank 0; elsewhere nothing. Every rank
/// calls it with its flat array. `tolerance` is a share of a tensor's largest.
template <typename T>
Gathered gathered(Communicator& world, const Setup& setup, const ShardTable& table, const T* flat,
                  double tolerance);

/// The largest difference of an element over the largest element of the tensor, and whose it is.
/// Rows that only `a` has (a vocabulary's padding) must be zero or are not compared.
struct Difference {
  double relative = 0;
  std::string tensor;
};
Difference difference(const Tensors& a, const Tensors& oracle);

}  // namespace pippin::probes::test
