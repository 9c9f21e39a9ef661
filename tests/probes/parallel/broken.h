// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "probes/training/groups.h"

namespace pippin::probes::test {

/// A collective that is wrong on purpose, in a layout where it matters.
struct Breakage {
  std::string name;  ///< "dp-reduce drops a rank"
  Setup setup;
  Groups::Wrap wrap;
};

std::vector<Breakage> breakages();

}  // namespace pippin::probes::test
