// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/log_places.h"

#include <numeric>
#include <string>

#include "core/base/text.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

ReadParts parts_of(const std::string& log) {
  return [&log](const auto& take) { take(log); };
}

std::vector<std::int64_t> numbers(std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(last - first + 1));
  std::iota(all.begin(), all.end(), first);
  return all;
}

std::string rows(int first, int last) {
  std::string text;
  for (int number = first; number <= last; ++number) text += test::row(number, 100 + number);
  return text;
}

/// The line of a log that holds a text; the `which`th of them.
std::size_t line_of(const std::string& log, const std::string& text, int which = 1) {
  std::size_t number = 0;
  for (const auto line : split(log, '\n')) {
    ++number;
    if (line.find(text) != std::string_view::npos && --which == 0) return number;
  }
  return 0;
}

std::string of_iteration(int number) { return " " + std::to_string(number) + "/"; }

}  // namespace

TEST_CASE("each step of a run is found again in the line of its log") {
  const std::string log = test::dump() + rows(1, 5);
  const LogPlaces places = places_in(parts_of(log), numbers(1, 5), 0, 1);
  REQUIRE(places.steps.size() == 5);
  for (int i = 0; i < 5; ++i)
    CHECK(places.steps[static_cast<std::size_t>(i)] == line_of(log, of_iteration(i + 1)));
  REQUIRE(places.arguments);
  CHECK(places.arguments->first < places.arguments->last);
  CHECK(places.arguments->last < places.steps.front());
}

TEST_CASE("of a log with two launches each run has the lines of its own") {
  const std::string log = test::dump() + rows(1, 4) + test::dump() + rows(1, 4);
  const LogPlaces first = places_in(parts_of(log), numbers(1, 4), 0, 2);
  const LogPlaces second = places_in(parts_of(log), numbers(1, 4), 1, 2);
  CHECK(first.steps.front() == line_of(log, of_iteration(1)));
  CHECK(second.steps.front() == line_of(log, of_iteration(1), 2));
  REQUIRE(second.arguments);
  CHECK(second.arguments->first > first.steps.back());
}

TEST_CASE("steps that a log has no more are said not to be found, and the others are") {
  const std::string log = test::dump() + rows(3, 6);
  const LogPlaces places = places_in(parts_of(log), numbers(1, 8), 0, 1);
  CHECK(places.steps == std::vector<std::size_t>{
                            0, 0, line_of(log, of_iteration(3)), line_of(log, of_iteration(4)),
                            line_of(log, of_iteration(5)), line_of(log, of_iteration(6)), 0, 0});
  const std::string other = "nothing of a trainer\n";
  CHECK(places_in(parts_of(other), numbers(1, 2), 0, 1).steps == std::vector<std::size_t>{0, 0});
}

TEST_CASE("a log that is read by patterns tells the lines of its steps as well") {
  const std::string log = "hello\nstep 1 took 12 ms\nnoise\nstep 2 took 13 ms\n";
  LogHints hints;
  hints.told = {{"scrape.step", value_of(std::string("step ([0-9]+)"))},
                {"scrape.step_time_ms", value_of(std::string("took ([0-9]+) ms"))}};
  CHECK(places_in(parts_of(log), numbers(1, 2), 0, 1, hints).steps ==
        std::vector<std::size_t>{2, 4});
}
