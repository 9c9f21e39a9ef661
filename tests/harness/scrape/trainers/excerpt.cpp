// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/scrape/trainers/excerpt.h"

#include <algorithm>
#include <filesystem>

#include "core/base/files.h"
#include "harness/scrape/scrape.h"
#include "tests/support/catch.h"

namespace pippin::test {

std::string excerpt(const std::string& name) {
  return read_input(fs::path(PIPPIN_SOURCE_DIR) / "tests/data/trainers" / name);
}

std::vector<std::string> excerpts() {
  std::vector<std::string> names;
  for (const auto& entry :
       fs::directory_iterator(fs::path(PIPPIN_SOURCE_DIR) / "tests/data/trainers"))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

LogRun only_run(const std::string& log) {
  auto runs = scrape(log);
  REQUIRE(runs.size() == 1);
  return std::move(runs[0]);
}

std::vector<std::int64_t> steps_of(const LogRun& run) {
  std::vector<std::int64_t> steps;
  for (const auto& line : run.iterations) steps.push_back(line.number);
  return steps;
}

std::vector<double> times_of(const LogRun& run) {
  std::vector<double> times;
  for (const auto& line : run.iterations) times.push_back(line.step_time_ms);
  return times;
}

std::vector<unsigned> flags_of(const LogRun& run) {
  std::vector<unsigned> flags;
  for (const auto& line : run.iterations) flags.push_back(line.flags);
  return flags;
}

std::vector<std::int64_t> intervals_of(const LogRun& run) {
  std::vector<std::int64_t> intervals;
  for (const auto& line : run.iterations) intervals.push_back(line.interval);
  return intervals;
}

}  // namespace pippin::test
