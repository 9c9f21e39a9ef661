// SPDX-License-Identifier: Apache-2.0
#include "probes/comm/backend_settings.h"

namespace pippin::probes {

OptionTable backend_options(BackendSettings& s) {
  return {choice_option("--distributed-backend", s.backend, {"auto", "nccl", "host"},
                        "how GPUs talk; auto is nccl where each rank has its own"),
          whole_option("--distributed-timeout-minutes", s.timeout_minutes, 1, 1 << 20,
                       "until a rank that gives no sign of life, or a call of NCCL's that is not "
                       "done, ends the run")};
}

}  // namespace pippin::probes
