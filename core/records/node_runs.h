// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/records/contents.h"

namespace pippin {

/// How the runs ended that a node took part in.
struct NodeRuns {
  std::string node;
  RunsByState runs{};
  std::optional<std::int64_t> last_run = {};  ///< when it ended, or began: seconds since 1970, UTC
};

}  // namespace pippin
