// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/megatron_headers.h"

#include <string>
#include <utility>

#include "core/base/text.h"
#include "harness/scrape/bridge.h"
#include "harness/scrape/megatron_command.h"
#include "harness/scrape/megatron_kinds.h"
#include "harness/scrape/megatron_lines.h"

namespace pippin {

namespace {

std::string word_after(std::string_view line, std::string_view key) {
  const auto rest = line.substr(line.find(key) + key.size());
  return printable(rest.substr(0, rest.find_first_of(" \t")));
}

/// What of the summary of DeepSpeed's flops profiler is not known yet.
void read_profile(std::string_view line, std::uint64_t found, MegatronHeader& header) {
  const auto read = [&](MegatronLine kind, Count& count) {
    if (has(found, kind) && !count) count = number_after(line, kMegatronTexts[kind]);
  };
  read(kProfiledWorld, header.world);
  read(kProfiledData, header.dp);
  read(kProfiledModel, header.tp);
  read(kProfiledBatch, header.mbs);
  if (!has(found, kProfiledBatch) || header.pp || !header.world || !header.dp) return;
  // Else there are stages, or ranks that share a sequence.
  if (header.tp >= 1 && header.tp <= header.world && *header.world % *header.tp == 0 &&
      *header.world / *header.tp == header.dp)
    header.pp = 1;
}

}  // namespace

void MegatronHeaders::read(std::string_view line, std::uint64_t found, MegatronLaunch& launch) {
  if (has(found, kProbeLine)) {
    announced_ = {};
    announced_.probe = word_after(line, kMegatronTexts[kProbeLine]);
  }
  // GPT-NeoX says it behind the dump, whose GPUs are those that were asked for.
  const bool is_said_late = has(found, kWorldLine) && launch.dumped && launch.rows() == 0 &&
                            line.find("configure_distributed_args()") != std::string_view::npos;
  if (is_said_late) launch.header.world = number_after(line, kMegatronTexts[kWorldLine]);
  const bool announces_world = has(found, kWorldLine) && !is_said_late;
  if (announces_world) read_world(line);
  const bool is_bare = !launch.dumped && launch.rows() == 0;
  MegatronHeader& header = launch.header;
  if (is_bare) read_config(line, found, header);
  if (has(found, kCommand)) read_command(line, launch);
  // These lines come before the dump they belong to; where it is missing, they are all there is.
  if (is_bare && (has(found, kProbeLine) || announces_world)) {
    MegatronHeader before = std::exchange(header, announced_);
    if (before.is_of_command) std::swap(header.arguments, before.arguments);
    header.is_of_command = before.is_of_command;
  }
  if (has(found, kMicroBatches)) header.gas = number_after(line, "constant ");
  if (has(found, kVocabulary)) {
    header.vocab = number_after(line, "(size: ");
    header.padded_vocab = number_after(line, "(new size: ");
  }
  if (has(found, kParameters) && !header.params) header.params = number_after(line, "(0, 0): ");
  read_profile(line, found, header);
  const bool dated = has(found, kDatetime) || has(found, kDeepspeedLog);
  if (dated && !launch.started_at) launch.started_at = time_in(line);
}

MegatronHeader MegatronHeaders::begin_launch() {
  command_.clear();
  return std::exchange(announced_, {});
}

void MegatronHeaders::take_command(MegatronHeader& header) {
  if (command_.empty()) return;
  header.arguments = std::exchange(command_, {});
  header.is_of_command = true;
}

/// Megatron-Bridge prints no dump: the YAML of its configuration, and the job's name has the rest.
void MegatronHeaders::read_config(std::string_view line, std::uint64_t found,
                                  MegatronHeader& header) {
  constexpr std::uint64_t kOfConfig =
      (std::uint64_t{1} << (kConfigLayerPattern + 1)) - (std::uint64_t{1} << kConfigSize);
  const auto say = [&](std::pair<std::string, Value> argument) {
    if (!find_value(header.arguments, argument.first))
      header.arguments.push_back(std::move(argument));
  };
  if ((found & kOfConfig) != 0) {
    if (auto setting = bridge_setting_in(line)) say(*std::move(setting));
    // It has groups only where they are used, and no word for that.
    if (find_value(header.arguments, "num_query_groups"))
      say({"group_query_attention", value_of(std::string("True"))});
  }
  if (has(found, kPrimusEnv) && !header.world) header.world = number_after(line, "world_size=");
  if (has(found, kJobName)) {
    for (auto& argument : bridge_job_in(line)) say(std::move(argument));
  }
}

/// A command is of the launch that comes; where that prints a dump, the dump counts.
void MegatronHeaders::read_command(std::string_view line, MegatronLaunch& launch) {
  NamedValues arguments = arguments_of_command(line);
  if (arguments.empty()) return;
  command_ = std::move(arguments);
  if (!launch.dumped && launch.rows() == 0) take_command(launch.header);
}

void MegatronHeaders::read_world(std::string_view line) {
  std::string probe = std::move(announced_.probe);
  announced_ = {};
  announced_.probe = std::move(probe);
  const auto any = [&](std::string_view key, std::string_view other) {
    const Count number = number_after(line, key);
    return number ? number : number_after(line, other);
  };
  announced_.world = number_after(line, "world size: ");
  announced_.dp = any("data-parallel size: ", "data-parallel-size: ");
  announced_.tp = any("tensor-model-parallel size: ", " model-parallel size: ");
  announced_.pp = any("pipeline-model-parallel size: ", "pipeline-parallel size: ");
  announced_.cp = any(" context-parallel size: ", ",context-parallel size: ");
}

}  // namespace pippin
