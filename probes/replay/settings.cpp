// SPDX-License-Identifier: Apache-2.0
#include "probes/replay/settings.h"

#include "probes/common/environment.h"
#include "probes/common/error.h"
#include "probes/common/text.h"
#include "probes/replay/failure.h"

namespace pippin::probes {

ReplaySettings replay_settings() {
  ReplaySettings settings;
  settings.truth.day_key = environment("PIPPIN_DAY");
  settings.truth.allocation_key = environment("PIPPIN_JOB");
  settings.truth.run_key = environment("PIPPIN_RUN");
  return settings;
}

OptionTable replay_options(ReplaySettings& s) {
  constexpr std::int64_t kMany = 1'000'000'000;
  constexpr double kLong = 1e12;
  Truth& t = s.truth;
  OptionTable table = setup_options(s.setup);
  const OptionTable own = {
      number_option("--step-time-ms", t.step_time_ms, 0.001, kLong, "true mean step time"),
      share_option("--day-sd", t.day_sd, "relative SD between days, 0.05 or 5%"),
      share_option("--allocation-sd", t.allocation_sd, "between the allocations of a day"),
      share_option("--run-sd", t.run_sd, "between the runs of an allocation"),
      share_option("--iteration-sd", t.iteration_sd, "between the iterations of a run"),
      word_option("--day-key", t.day_key, "equal keys share the day's draw; else $PIPPIN_DAY"),
      word_option("--allocation-key", t.allocation_key, "the same; else $PIPPIN_JOB"),
      word_option("--run-key", t.run_key, "the same; else $PIPPIN_RUN"),
      whole_option("--warmup-iterations", t.warmup_iterations, 0, kMany, "slow ones at the start"),
      number_option("--warmup-factor", t.warmup_factor, 0.001, 1e6,
                    "of the first iteration's time; falls to 1 in a line"),
      number_option("--sleep-factor", s.sleep_factor, 0.0, 1e6, "1 is real time, 0 no sleep"),
      whole_option("--save-interval", s.save_interval, 0, kMany,
                   "iterations between checkpoints; 0 is never"),
      number_option("--save-time-ms", s.save_time_ms, 0.0, kLong, "of one checkpoint"),
      whole_option("--eval-interval", s.eval_interval, 0, kMany,
                   "iterations between evaluations; 0 is never"),
      number_option("--eval-time-ms", s.eval_time_ms, 0.0, kLong, "of one evaluation"),
      number_option("--memory-mib", s.memory_mib, 0.0, kLong,
                    "max allocated of every rank; 0 is an estimate"),
      whole_option("--fail-at", s.fail_at, 0, kMany, "iteration to die in; 0 is none"),
      choice_option("--fail-with", s.fail_with, failure_names(), "how to die"),
  };
  table.insert(table.end(), own.begin(), own.end());
  return table;
}

void check(const ReplaySettings& settings) {
  check_setup(settings.setup);
  if (settings.fail_at > settings.setup.iterations)
    bad_input("--fail-at " + std::to_string(settings.fail_at) +
              " is never reached: --iterations is " + std::to_string(settings.setup.iterations));
}

namespace {

/// Any text as a value of the dump.
std::string python_text(const std::string& value) {
  return value.empty() ? "None" : printable(value);
}

}  // namespace

Arguments replay_arguments(const ReplaySettings& s) {
  const Truth& t = s.truth;
  return {
      {"allocation_key", python_text(t.allocation_key)},
      {"allocation_sd", python_number(t.allocation_sd)},
      {"day_key", python_text(t.day_key)},
      {"day_sd", python_number(t.day_sd)},
      {"eval_interval", std::to_string(s.eval_interval)},
      {"iteration_sd", python_number(t.iteration_sd)},
      {"run_key", python_text(t.run_key)},
      {"run_sd", python_number(t.run_sd)},
      {"save_interval", std::to_string(s.save_interval)},
      {"sleep_factor", python_number(s.sleep_factor)},
      {"step_time_ms", python_number(t.step_time_ms)},
      {"warmup_factor", python_number(t.warmup_factor)},
      {"warmup_iterations", std::to_string(t.warmup_iterations)},
  };
}

}  // namespace pippin::probes
