// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "probes/common/setup.h"

namespace pippin::probes::test {

struct Case {
  std::string name;  ///< "llama tp 2 pp 2 zero 1"
  Setup setup;
};

/// The smallest model that every layout of up to 8 ranks divides; GBS is 8.
Setup small_setup(const std::string& style);

/// Every way of splitting, alone and mixed, up to 8 ranks, in both styles.
std::vector<Case> all_cases();

}  // namespace pippin::probes::test
