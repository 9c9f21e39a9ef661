// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/random.h"
#include "core/base/text.h"
#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

namespace {

/// The line that tells of the first step.
std::size_t first_step_in(const std::vector<std::string_view>& lines) {
  std::string begun;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    begun += std::string(lines[i]) + '\n';
    const auto runs = scrape(begun);
    if (!runs.empty() && !runs.front().iterations.empty()) return i;
  }
  return lines.size();
}

/// A log that each of some ranks prints, as a launcher mixes them: a rank's own lines stay in
/// order, none is far ahead of the others, and no step is made before all have begun. Of
/// Megatron-LM only the first one says what stands before the steps.
std::string mixed(const std::string& name, std::size_t ranks, Random& random) {
  const std::string log = excerpt(name);
  const auto lines = split(trim(log), '\n');
  const std::size_t barrier = first_step_in(lines);
  std::vector<std::size_t> printed(ranks, name.starts_with("megatron") ? barrier : 0);
  printed[0] = 0;
  std::string all;
  while (*std::min_element(printed.begin(), printed.end()) < lines.size()) {
    const std::size_t rank = random.below(ranks);
    constexpr std::size_t kAhead = 3;
    const auto slowest = *std::min_element(printed.begin(), printed.end());
    const bool waits = printed[rank] >= barrier && slowest < barrier;
    if (printed[rank] == lines.size() || printed[rank] > slowest + kAhead || waits) continue;
    all += fmt::format("[rank{}]: {}\n", rank, lines[printed[rank]++]);
  }
  return all;
}

/// What is found where the log comes in parts that are cut anywhere.
std::vector<LogRun> in_parts(const std::string& log, Random& random) {
  return scrape_parts([&](const auto& take) {
           for (std::size_t at = 0; at < log.size();) {
             const std::size_t length = 1 + random.below(200);
             take(std::string_view(log).substr(at, length));
             at += length;
           }
         })
      .runs;
}

}  // namespace

TEST_CASE("what several ranks print, however it is mixed and cut, is said once") {
  Random random(17);
  for (const auto& name : excerpts()) {
    const auto plain = scrape(excerpt(name));
    for (const std::size_t ranks : {2, 3, 8}) {
      INFO(name << " by " << ranks << " ranks");
      const auto runs = in_parts(mixed(name, ranks, random), random);
      REQUIRE(runs.size() == plain.size());
      for (std::size_t i = 0; i < plain.size(); ++i) {
        CHECK(steps_of(runs[i]) == steps_of(plain[i]));
        CHECK(times_of(runs[i]) == times_of(plain[i]));
        CHECK(runs[i].point.layout == plain[i].point.layout);
        CHECK(runs[i].end == plain[i].end);
      }
    }
  }
}
