// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "probes/common/options.h"

namespace pippin::probes {

/// How ranks with GPUs talk. Named as Megatron-LM names it.
struct BackendSettings {
  std::string backend = "auto";       ///< "nccl", "host", or the first where it can be
  std::int64_t timeout_minutes = 10;  ///< until a rank or a call of NCCL's is given up
};

/// The rows of `settings`' options. `settings` must outlive them.
OptionTable backend_options(BackendSettings& settings);

}  // namespace pippin::probes
