// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sweeps/estimate/launch_words.h"
#include "sweeps/estimate/megatron_setup.h"
#include "sweeps/estimate/step_time.h"
#include "sweeps/estimate/traffic.h"
#include "tests/support/catch.h"

namespace pippin::test {

inline constexpr Machine kH100{989, 989, 3350, 450, 400, 132};

inline MegatronSetup read_launch(const std::string& words, std::int64_t gpus,
                                 Generation generation = Generation::kHopper) {
  return megatron_setup(arguments_of_words({words}), gpus, std::nullopt, generation);
}

/// Of a launch of which all is known, but how fast it is in 8 bits.
inline Setup setup_of_launch(const std::string& words, std::int64_t gpus,
                             Generation generation = Generation::kHopper) {
  const MegatronSetup read = read_launch(words, gpus, generation);
  CAPTURE(words);
  CHECK(read.unknown.empty());
  CHECK(read.untimed.empty() == (read.setup.fp8 == Fp8::kNone));
  return read.setup;
}

inline std::vector<std::int64_t> layers_of_stages(const Setup& setup) {
  std::vector<std::int64_t> layers;
  for (std::int64_t stage = 0; stage < setup.pp; ++stage)
    layers.push_back(setup.layers_of_stage(stage));
  return layers;
}

/// Of one GPU of that stage in an iteration.
inline double calls_of(const Setup& setup, std::int64_t stage, Topic topic,
                       std::string_view function) {
  double all = 0;
  for (const Talk& one : talk_of_stage(setup, stage))
    if (one.topic == topic && one.function == function) all += one.calls;
  return all;
}

/// All of its calls together.
inline double bytes_of(const Setup& setup, std::int64_t stage, Topic topic,
                       std::string_view function) {
  double all = 0;
  for (const Talk& one : talk_of_stage(setup, stage))
    if (one.topic == topic && one.function == function) all += one.calls * one.bytes;
  return all;
}

}  // namespace pippin::test
