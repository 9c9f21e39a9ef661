// SPDX-License-Identifier: Apache-2.0
// Arguments of Megatron's: of a launch, as `pippin estimate` and `plan` take them, and of a dump in
// a log, as `report --against-model` does. What they need and take is counted.
//
// Shape: a byte for how many GPUs there are (its low half) and which, a byte that says whether what
// follows is a launch's words or a dump's lines "NAME VALUE"; that.
#include <cmath>
#include <cstdint>
#include <string>

#include "core/base/text.h"
#include "sweeps/estimate/flops.h"
#include "sweeps/estimate/launch_words.h"
#include "sweeps/estimate/megatron_setup.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/estimate/step_time.h"
#include "sweeps/estimate/traffic.h"
#include "sweeps/estimate/trainer_arguments.h"
#include "sweeps/judge_points.h"
#include "tests/fuzz/input.h"

using namespace pippin;

namespace {

constexpr std::int64_t kMostStages = 64;  // of a pipeline that is looked at

const Machine kMachine{312, 312, 2039, 300, 200, 108};

Generation generation_of(std::uint8_t choice) {
  constexpr Generation kAll[] = {Generation::kVolta, Generation::kAmpere, Generation::kHopper,
                                 Generation::kBlackwell, Generation::kOther};
  return kAll[choice / 16 % std::size(kAll)];
}

/// 1 to 16384, or as the words say.
Count gpus_of(std::uint8_t choice) {
  const unsigned power = choice % 16;
  return power == 15 ? std::nullopt : Count(std::int64_t{1} << power);
}

void expect_number(double number, const char* property) {
  fuzz::expect(std::isfinite(number) && number >= 0, property);
}

void look_at(const Setup& setup) {
  if (setup.pp > kMostStages) return;
  for (std::int64_t stage = 0; stage < setup.pp; ++stage) {
    const StageMemory memory = stage_memory(setup, stage);
    expect_number(memory.allocated(), "a stage's memory is a number");
    expect_number(memory.peak, "a stage's peak is a number");
  }
  for (const Talk& talk : talk_of_all(setup)) {
    expect_number(talk.calls, "calls are a number");
    expect_number(wire_bytes(talk), "messages are a number");
  }
  for (const WorkCount& work : work_counts(setup)) expect_number(work.flops, "work is a number");
  expect_number(step_time(setup, kMachine, {}).all(), "a time is a number");
  judge_setup(setup, kMachine, 80);
}

NamedValues dump_in(std::string_view text) {
  NamedValues dump;
  for (const std::string_view line : split(text, '\n')) {
    const auto blank = line.find(' ');
    if (blank == std::string_view::npos) continue;
    dump.emplace_back(line.substr(0, blank), value_of(std::string(line.substr(blank + 1))));
  }
  return dump;
}

void read(std::uint8_t choice, fuzz::Input& input) {
  const Count gpus = gpus_of(choice), gpus_per_node = 8;
  const Generation generation = generation_of(choice);
  const bool is_dump = input.byte() % 2 == 1;
  if (!is_dump) {
    look_at(megatron_setup(arguments_of_words({std::string(input.rest())}), gpus, gpus_per_node,
                           generation)
                .setup);
    return;
  }
  Point point;
  point.layout.gpus = gpus;
  const ArgumentsSetup said =
      setup_of_dump(dump_in(input.rest()), point, "", gpus_per_node, generation);
  fuzz::expect(said.setup || !said.why_not.empty(), "what has no setup says why");
  if (said.setup) look_at(*said.setup);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::read_chosen(data, size, read);
}
