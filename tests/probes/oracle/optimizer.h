// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "probes/common/optimizer.h"
#include "probes/device/memory.h"
#include "tests/probes/oracle/parameters.h"

namespace pippin::probes::oracle {

/// The 2-norm over all gradients.
template <typename T>
double gradient_norm(std::int64_t count, const T* gradients);

/// AdamW and its moments.
template <typename T>
class Optimizer {
 public:
  Optimizer(Memory& memory, const std::vector<Parameter>& table, const OptimizerSettings& settings);

  const OptimizerSettings& settings() const { return settings_; }

  /// One step with `gradients` times `factor`.
  void step(const T* gradients, T factor, T* values);

 private:
  const std::vector<Parameter>& table_;
  OptimizerSettings settings_;
  Buffer<T> moment1_, moment2_;
  std::int64_t steps_ = 0;
};

}  // namespace pippin::probes::oracle
