// SPDX-License-Identifier: Apache-2.0
// Logs that a terminal has cut at its width.
#include "harness/scrape/wrapped_lines.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/text.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

/// Cuts lines after so many characters; `trims` the blanks at their ends, as copying does.
std::string wrapped(const std::string& text, std::size_t width, bool trims = false) {
  std::string cut;
  for (const auto line : split(text, '\n')) {
    std::string_view rest = line;
    while (rest.size() > width) {
      const auto part = rest.substr(0, width);
      cut += trims && part.ends_with(' ') ? part.substr(0, width - 1) : part;
      cut += '\n';
      rest.remove_prefix(width);
    }
    cut += rest;
    cut += '\n';
  }
  cut.pop_back();
  return cut;
}

Scraped read(const std::string& log) {
  return scrape_parts([&](const auto& take) { take(log); });
}

std::vector<double> times(const Scraped& found) {
  std::vector<double> times;
  for (const auto& run : found.runs) {
    for (Iteration line : run.iterations) times.push_back(line.step_time_ms);
  }
  return times;
}

std::string megatron() {
  std::string text = test::dump();
  for (int step = 1; step <= 12; ++step) text += test::row(step, 13212.5 + 3.25 * step);
  return text;
}

}  // namespace

TEST_CASE("lines that a terminal has cut are joined, wherever it cut them") {
  const auto whole = times(read(megatron()));
  REQUIRE(whole.size() == 12);
  for (std::size_t width = 60; width <= 200; ++width) {
    for (const bool trims : {false, true}) {
      CAPTURE(width, trims);
      const Scraped found = read(wrapped(megatron(), width, trims));
      CHECK(times(found) == whole);
      REQUIRE(found.runs.size() == 1);
      CHECK(found.runs[0].point.layout.tp == 2);
    }
  }
}

TEST_CASE("what any trainer printed is read rightly or not at all where a terminal has cut it") {
  int same = 0, all = 0;
  for (const auto& name : test::excerpts()) {
    const auto whole = times(read(test::excerpt(name)));
    for (const std::size_t width : {60, 80, 86, 100, 120, 132}) {
      const auto found = times(read(wrapped(test::excerpt(name), width)));
      CAPTURE(name, width, found, whole);
      const bool is_right = std::all_of(found.begin(), found.end(), [&](double time) {
        return std::find(whole.begin(), whole.end(), time) != whole.end();
      });
      CHECK(is_right);
      same += found == whole ? 1 : 0;
      ++all;
    }
  }
  CHECK(10 * same > 9 * all);
}

TEST_CASE("a text that no terminal has cut has no width") {
  const auto width = [](const std::string& text) {
    const auto wrapping = wrapping_of([&](const auto& take) { take(text); });
    return wrapping ? wrapping->width : 0;
  };
  const std::string eighty(80, 'x');
  CHECK(width(eighty + "\n" + eighty + "\nshort\n") == 80);
  CHECK(width(eighty + "\r\n" + eighty + "\r\nshort") == 80);
  CHECK(width(eighty + "\nshort\n") == 0);
  CHECK(width("short\nlines\n") == 0);
  CHECK(width(std::string(500, 'x') + "\n" + std::string(500, 'x')) == 0);
  CHECK(width("") == 0);
}

TEST_CASE("columns are characters") {
  std::string text;
  for (int i = 0; i < 3; ++i) text += std::string(59, 'x') + "é\n. end\n";
  const ReadParts read = [&](const auto& take) {
    for (const char c : text) take(std::string_view(&c, 1));
  };
  const auto wrapping = wrapping_of(read);
  REQUIRE(wrapping);
  CHECK(wrapping->width == 60);
  std::string joined;
  unwrapped(read, *wrapping)([&](std::string_view part) { joined += part; });
  CHECK_THAT(joined, Catch::StartsWith(std::string(59, 'x') + "é. end\n"));
}

TEST_CASE("a log of whole lines of one length is read as it is") {
  std::string log;
  for (int step = 100; step < 110; ++step)
    log += fmt::format("iteration {}/ 200 | elapsed time per iteration (ms): 412.{}\n", step, step);
  const Scraped found = read(log);
  CHECK(times(found).size() == 10);
  CHECK_FALSE(found.wrapping);
}

TEST_CASE("lines that were cut behind their time get back their batch and loss") {
  std::string log = "NCCL version 2.27.3+cuda12.9\n";
  for (int step = 1; step <= 3; ++step)
    log += fmt::format(
        " [2025-09-17 22:26:2{}] iteration        {}/      25 | consumed samples:            8 | "
        "elapsed time per iteration (ms): 69179.{} | learning rate: 1.500000E-07 | global batch "
        "size:     8 | lm loss: 1.196929E+01 | loss scale: 1.0 | grad norm: 19.643 |\n",
        step, step, step);
  const Scraped found = read(wrapped(log, 171));
  REQUIRE(found.runs.size() == 1);
  CHECK(times(found) == std::vector<double>{69179.1, 69179.2, 69179.3});
  for (const auto& line : found.runs[0].iterations) {
    CHECK(line.gbs == 8);
    CHECK(line.lm_loss == 11.96929);
  }
}
