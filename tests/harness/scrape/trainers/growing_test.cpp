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
