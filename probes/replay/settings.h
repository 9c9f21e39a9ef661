// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "probes/common/megatron.h"
#include "probes/common/options.h"
#include "probes/common/setup.h"

namespace pippin::probes {

/// The truth about step times that a replayed log is drawn from.
struct Truth {
  double step_time_ms = 1000;  ///< the mean over all days, allocations, runs and iterations
  double day_sd = 0, allocation_sd = 0, run_sd = 0, iteration_sd = 0;  ///< of ln(time)
  std::string day_key, allocation_key, run_key;                        ///< equal keys share a draw
  std::int64_t warmup_iterations = 1;
  double warmup_factor = 2;  ///< of the first iteration; falls to 1 over the warm-up
};

struct ReplaySettings {
  Setup setup;
  Truth truth;
  double sleep_factor = 0.01;                         ///< seconds slept per second printed
  std::int64_t save_interval = 0, eval_interval = 0;  ///< iterations; 0: never
  double save_time_ms = 5000, eval_time_ms = 2000;
  double memory_mib = 0;     ///< 0: estimated from the model and its layout
  std::int64_t fail_at = 0;  ///< dies in this iteration; 0: never
  std::string fail_with = "exit";
};

/// Settings with the keys of PIPPIN_DAY, PIPPIN_JOB and PIPPIN_RUN.
ReplaySettings replay_settings();

/// The rows of `settings`' options. `settings` must outlive them.
OptionTable replay_options(ReplaySettings& settings);

/// Errors: Error (bad input) for what cannot be meant: a failure after the last iteration.
void check(const ReplaySettings& settings);

/// What the dump of arguments says beside the setup.
Arguments replay_arguments(const ReplaySettings& settings);

}  // namespace pippin::probes
