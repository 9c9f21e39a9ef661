// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <sstream>

#include "core/base/process.h"
#include "core/base/text.h"
#include "sweeps/estimate/measured.h"
#include "sweeps/estimate/probe_memory.h"
#include "sweeps/estimate/stage_parameters.h"
#include "sweeps/estimate/traffic.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"
#include "tests/support/temporary.h"
#include "tests/sweeps/estimate/probe_layouts.h"

using namespace pippin;

namespace {

Outcome train(const test::ProbeLayout& layout) {
  const fs::path launch = test::source_directory() / "tests/probes/parallel/launch.sh";
  std::vector<std::string> words{launch.string(), std::to_string(layout.setup.gpus()),
                                 PIPPIN_TRAINING};
  words.insert(words.end(), layout.options.begin(), layout.options.end());
  return run_program(words);
}

std::string line_with(const std::string& text, const std::string& part) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find(part) != std::string::npos) return line;
  return "";
}

/// As the probe writes it: a class's calls of all functions together.
std::string as_printed(const std::vector<Talk>& talk) {
  std::vector<std::string> parts;
  for (const Topic topic : {Topic::kTensor, Topic::kPipeline, Topic::kDataReduce,
                            Topic::kDataGather, Topic::kEmbedding, Topic::kLoss, Topic::kNorm}) {
    double calls = 0, bytes = 0;
    for (const Talk& one : talk) {
      if (one.topic != topic) continue;
      calls += one.calls;
      bytes += one.calls * one.bytes;
    }
    if (calls > 0) parts.push_back(fmt::format("{}: {:.0f}, {:.0f}", text_of(topic), calls, bytes));
  }
  return join(parts, " | ");
}

/// Of each rank that reports, "MB" are MiB.
std::map<std::int64_t, double> allocated_mib(const std::string& log) {
  std::map<std::int64_t, double> ranks;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const std::string title = "memory (MB) | allocated: ";
    const auto at = line.find(title), rank = line.find("[Rank ");
    if (at == std::string::npos || rank == std::string::npos) continue;
    ranks[std::stoll(line.substr(rank + 6))] = std::stod(line.substr(at + title.size()));
  }
  return ranks;
}

/// Of each tensor-parallel and pipeline rank what it says it holds.
std::vector<std::int64_t> parameters_said(const std::string& log) {
  std::vector<std::int64_t> counts;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);)
    if (line.find("number of parameters on (tensor, pipeline)") != std::string::npos)
      counts.push_back(std::stoll(line.substr(line.rfind(' '))));
  return counts;
}

void check_traffic(const test::ProbeLayout& layout, const std::string& log) {
  const std::string title = "communication per iteration over all ranks (calls, bytes) | ";
  const std::string line = line_with(log, title);
  constexpr std::int64_t kShardAlignment = 8;  // probes/training/shards.h
  const auto talk = talk_of_all(layout.setup, {layout.bucket, kShardAlignment});
  REQUIRE(line.empty() == (layout.setup.gpus() == 1));
  if (!line.empty()) CHECK(as_printed(talk) == line.substr(line.find(title) + title.size()));
}

void check_memory(const test::ProbeLayout& layout, const std::string& log) {
  const Setup& setup = layout.setup;
  const auto ranks = allocated_mib(log);
  CHECK(static_cast<std::int64_t>(ranks.size()) == setup.tp * setup.pp);
  for (const auto& [rank, mib] : ranks) {
    const std::int64_t stage = rank / (setup.tp * setup.dp);
    CAPTURE(rank, stage);
    CHECK(probe_memory(setup, stage).all() == std::llround(mib * 1024 * 1024));
  }
}

void check_parameters(const Setup& setup, const std::string& log) {
  std::vector<std::int64_t> expected, said = parameters_said(log);
  for (std::int64_t stage = 0; stage < setup.pp; ++stage)
    expected.insert(expected.end(), static_cast<std::size_t>(setup.tp),
                    stage_parameters(setup, stage).all());
  std::sort(expected.begin(), expected.end());
  std::sort(said.begin(), said.end());
  CHECK(said == expected);
}

/// What the probe counts of itself in each layout is what is said of it before.
void check_layouts(const std::string& style) {
  constexpr int kSkipped = 77;
  for (const auto& layout : test::probe_layouts()) {
    if (layout.options.at(1) != style) continue;
    const Outcome outcome = train(layout);
    CAPTURE(join(layout.options, " "), outcome.output);
    if (outcome.exit_code == kSkipped) return test::skip("no mpirun");
    REQUIRE(outcome.exit_code == 0);
    check_traffic(layout, outcome.output);
    if (layout.setup.type == NumberType::kFp32) check_memory(layout, outcome.output);
    check_parameters(layout.setup, outcome.output);
  }
}

}  // namespace

TEST_CASE("parameters, memory, calls and bytes are what the probe counts in each layout of gpt2") {
  check_layouts("gpt2");
}

TEST_CASE("parameters, memory, calls and bytes are what the probe counts in each layout of llama") {
  check_layouts("llama");
}

TEST_CASE("a message whose size no count can be is no call") {
  Point point;
  point.layout.gpus = 2;
  point.axes = {
      {"op", value_of("all_reduce")}, {"bytes", value_of("4096")}, {"type", value_of("float")}};
  CHECK(call_of(point)->bytes == 4096);
  point.axes[1].second = value_of("1e300");
  CHECK_FALSE(call_of(point));
}
