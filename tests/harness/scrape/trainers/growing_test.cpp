// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>
#include <string>
#include <string_view>

#include "core/base/text.h"
#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

namespace {

std::vector<LogRun> grown(const std::string& log) {
  GrowingLog growing;
  std::string until_now;
  for (const auto line : split(trim(log), '\n')) {
    until_now += std::string(line) + '\n';
    growing.add(std::string(line) + '\n');
    if (growing.must_begin_again()) {
      growing = growing.begun_again();
      growing.add(until_now);
    }
    growing.so_far();
  }
  const auto found = growing.so_far();
  return found ? found->runs : std::vector<LogRun>{};
}

}  // namespace

TEST_CASE("a trainer's log that grows tells the same as one that is whole") {
  for (const auto& name : excerpts()) {
    INFO(name);
    const auto whole = scrape(excerpt(name)), parts = grown(excerpt(name));
    REQUIRE(parts.size() == whole.size());
    for (std::size_t i = 0; i < whole.size(); ++i) {
      CHECK(steps_of(parts[i]) == steps_of(whole[i]));
      CHECK(times_of(parts[i]) == times_of(whole[i]));
      CHECK(parts[i].point.id == whole[i].point.id);
      CHECK(parts[i].end == whole[i].end);
    }
  }
}

TEST_CASE("what one trainer says in its header is nothing in a growing log of another") {
  const std::string others =
      "Total parameters: 5\n"
      "micro_batch_size: 3\n"
      "sequence_length: 77\n"
      "'data_parallel': 5\n"
      "Training time: 5 s\n";
  const LogRun whole = only_run(excerpt("torchtitan.log") + others);
  const auto parts = grown(others + excerpt("torchtitan.log") + others);
  REQUIRE(parts.size() == 1);
  CHECK(parts[0].point.id == whole.point.id);
  CHECK(parts[0].point.model.params == whole.point.model.params);
  CHECK(parts[0].end == whole.end);
}

TEST_CASE("a growing log whose begun line is the first of a trainer is one to be read again") {
  GrowingLog log;
  log.add("\n\ntokens per iteration will be: 8");
  CHECK_FALSE(log.so_far());
  log.add("\n");
  CHECK(log.must_begin_again());
}

TEST_CASE("a trainer's log that ends anywhere tells no other time than the whole one") {
  for (const auto& name : excerpts()) {
    if (name == "huggingface.log") continue;  // its time is of all steps that there are
    const std::string log = excerpt(name);
    std::map<std::int64_t, double> times;
    for (const auto& run : scrape(log)) {
      for (const auto& line : run.iterations) times.emplace(line.number, line.step_time_ms);
    }
    for (std::size_t size = 0; size < log.size(); ++size) {
      for (const auto& run : scrape(std::string_view(log).substr(0, size))) {
        for (const auto& line : run.iterations) {
          INFO(name << ", " << size << " bytes, step " << line.number);
          REQUIRE(times.count(line.number) == 1);
          // Of a block a rate may be known before another that has more digits.
          const bool is_block = name == "composer.log" || name.starts_with("olmo");
          const double most_apart = is_block ? 0.005 * line.step_time_ms : 0;
          REQUIRE(std::abs(line.step_time_ms - times[line.number]) <= most_apart);
        }
      }
    }
  }
}

TEST_CASE("a log without its last line's end has the step of that line") {
  for (const auto& name : excerpts()) {
    if (name == "ezpz.log" || name == "lm_engine.log")
      continue;  // the number at their end may be cut
    INFO(name);
    const std::string log(trim(excerpt(name)));
    const auto whole = scrape(log + '\n'), open = scrape(log);
    REQUIRE(open.size() == whole.size());
    for (std::size_t i = 0; i < whole.size(); ++i) {
      CHECK(steps_of(open[i]) == steps_of(whole[i]));
      CHECK(times_of(open[i]) == times_of(whole[i]));
    }
  }
}
