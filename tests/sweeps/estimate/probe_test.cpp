#include <algorithm>
#include <fmt/format.h>
#include <sstream>

#include "core/base/process.h"
#include "core/base/text.h"
#include "sweeps/estimate/traffic.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"
#include "tests/support/temporary.h"
#include "tests/sweeps/estimate/probe_layouts.h"

using namespace pippin;

namespace {

Outcome train(const test::ProbeLayout& layout) {
  std::vector<std::string> words;
  const std::int64_t ranks = layout.setup.gpus();
  if (ranks > 1)
    words = {"mpirun", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none",
             "-n",     std::to_string(ranks)};
  words.emplace_back(PIPPIN_TRAINING);
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

}  // namespace

TEST_CASE("calls and bytes are what the training probe counts of itself, in each layout") {
  if (find_program("mpirun").empty()) return test::skip("no mpirun");
  const std::string title = "communication per iteration over all ranks (calls, bytes) | ";
  for (const auto& layout : test::probe_layouts()) {
    if (layout.setup.gpus() == 1) continue;
    const Outcome outcome = train(layout);
    CAPTURE(join(layout.options, " "), outcome.output);
    REQUIRE(outcome.exit_code == 0);
    const std::string line = line_with(outcome.output, title);
    REQUIRE(!line.empty());
    constexpr std::int64_t kShardAlignment = 8;  // probes/training/shards.h
    const auto talk = talk_of_all(layout.setup, {layout.bucket, kShardAlignment});
    CHECK(as_printed(talk) == line.substr(line.find(title) + title.size()));
  }
}
