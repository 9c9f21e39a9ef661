// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sweeps/estimate/setup.h"

namespace pippin::test {

/// A layout that the training probe trains in, and what it calls it.
struct ProbeLayout {
  std::vector<std::string> options;
  Setup setup;
  std::int64_t bucket = 0;
};

/// Each dimension alone and mixed, both styles, with sequence parallelism, ZeRO-1, recomputation,
/// as in the probe's own tests of its gradients; at most eight ranks.
std::vector<ProbeLayout> probe_layouts();

}  // namespace pippin::test
