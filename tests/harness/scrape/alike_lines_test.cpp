// SPDX-License-Identifier: Apache-2.0
// Lines that are like one before are read by its shape; what comes out must be what the full way
// makes of them.
#include "harness/scrape/alike_lines.h"

#include <bit>
#include <random>

#include "core/base/files.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/damage.h"
#include "tests/harness/scrape/record_text.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

std::vector<WrittenNumber> numbers_in(const LineShape& shape, std::string_view line) {
  std::vector<WrittenNumber> numbers;
  return shape.read(line, numbers) ? numbers : std::vector<WrittenNumber>();
}

LineShape shape_of(std::string_view line, const std::vector<std::string_view>& values,
                   std::size_t of_times) {
  std::vector<std::string_view> parts;
  std::size_t from = 0;
  for (const auto value : values) {
    const auto at = line.find(value, from);
    parts.push_back(line.substr(at, value.size()));
    from = at + value.size();
  }
  LineShape shape;
  REQUIRE(shape.learn(line, parts, of_times));
  return shape;
}

/// Whether the quick way reads a line; where it does, it says what the full way says.
bool read_alike(AlikeIterations& alike, const std::string& line) {
  CAPTURE(line);
  const IterationRecord* quick = alike.read(line);
  if (!quick) return false;
  const auto full = iterations_in(line);
  REQUIRE(full.size() == 1);
  const Iteration &a = quick->iteration, &b = full[0].iteration;
  REQUIRE(a.number == b.number);
  REQUIRE(quick->last == full[0].last);
  REQUIRE(a.step_time_ms == b.step_time_ms);
  REQUIRE(a.flags == b.flags);
  REQUIRE(a.gbs == b.gbs);
  REQUIRE(a.consumed_samples == b.consumed_samples);
  REQUIRE(a.skipped == b.skipped);
  REQUIRE(a.nan == b.nan);
  REQUIRE(a.lm_loss == b.lm_loss);
  REQUIRE(a.learning_rate == b.learning_rate);
  REQUIRE(a.loss_scale == b.loss_scale);
  REQUIRE(a.grad_norm == b.grad_norm);
  REQUIRE(quick->resolution_ms == full[0].resolution_ms);
  REQUIRE(quick->said == full[0].said);
  REQUIRE(alike.names().size() == b.other.size());
  for (std::size_t i = 0; i < b.other.size(); ++i) {
    REQUIRE(alike.names()[i] == b.other[i].first);
    REQUIRE(alike.others()[i] == b.other[i].second.number);
  }
  return true;
}

const std::vector<std::string> kLines{
    test::row(7, 1234.5),
    " [2024-04-06 03:02:12] iteration        7/     100 | consumed samples:  56 | elapsed time per "
    "iteration (ms): 812.3 | throughput per GPU (TFLOP/s/GPU): 243.6 | learning rate: 1.0E-05 | "
    "global batch size: 8 | lm loss: 9.876543E+00 | number of nan iterations:   0 |",
    " samples/sec: 12.345 | iteration        7/     100 | elapsed time per iteration (ms): 99.0 | "
    "learning rate: 1.5E-04 | lm_loss: 3.0 per token | TFLOPS: 55.5",
    "[default0]:iteration= 7/ 10 | elapsed time per iteration (s): 1.25 | loss scale: 4096.0 |",
};

}  // namespace

TEST_CASE("a shape reads the numbers of a line, and of none that differs otherwise") {
  const LineShape shape = shape_of("at 12:30 a: 1.50 | b:  -3e-2|", {"1.50", "-3e-2"}, 8);
  const auto numbers = numbers_in(shape, "at 12:30 a: 7 | b: 1.25E+3 |");
  REQUIRE(numbers.size() == 2);
  CHECK(numbers[0].value == 7);
  CHECK(numbers[0].last_digit == 0);
  CHECK(numbers[1].value == 1250);
  CHECK(numbers[1].last_digit == 1);
  CHECK_FALSE(numbers_in(shape, "at 12:30 a:1| b:1|").empty());
  for (const char* other :
       {"", "at 12:30 a: 1 | b: 1", "at 12:30 a: 1 | b: 1 | c", "at 12:30 a: x | b: 1|",
        "at 12:30 a: 1 | c: 1|", "at 1:30 a: 1 | b: 1|", "at 12:30 a: 1x | b: 1|",
        "at 12:30 a: 1. | b: 1|", "at 12:30 a: .5 | b: 1|", "at 12:30 a: 1e | b: 1|",
        "at 12:30 a: 1e+ | b: 1|", "at 12:30 a: - | b: 1|", "at 12:30 a: nan | b: 1|",
        "at 12:30 a: 12345678901234567 | b: 1|", "at 12:30 a: 1e99 | b: 1|"}) {
    CAPTURE(other);
    CHECK(numbers_in(shape, other).empty());
  }
  CHECK_FALSE(numbers_in(shape, "at 09:59 a: 1 | b: 1|").empty());  // a time before the numbers
}

TEST_CASE("what is no plain number, or stands side by side, makes no shape") {
  LineShape shape;
  const std::string_view line = "a: nan | b: 1 2 |";
  CHECK_FALSE(shape.learn(line, {line.substr(3, 3)}, 0));
  CHECK_FALSE(shape.learn(line, {line.substr(12, 1), line.substr(14, 1)}, 0));
  CHECK_FALSE(shape.learn(line, {line.substr(14, 1), line.substr(12, 1)}, 0));
  CHECK_FALSE(shape.learn(line, {}, 0));
  CHECK_FALSE(shape.learn(line, {"1"}, 0));  // no part of it
  CHECK(numbers_in(shape, line).empty());
}

TEST_CASE("plain numbers are read exactly") {
  std::mt19937_64 random(1);
  const LineShape shape = shape_of("x 1 |", {"1"}, 0);
  for (int i = 0; i < 200000; ++i) {
    const auto digits = static_cast<int>(random() % 9);
    const double size = static_cast<double>(random() % 1'000'000'000) * 1e-4;
    const std::string text =
        i % 2 == 0 ? fmt::format("{:.{}f}", size, digits) : fmt::format("{:.{}E}", size, digits);
    const auto numbers = numbers_in(shape, "x " + text + " |");
    REQUIRE(numbers.size() == 1);
    REQUIRE(numbers[0].value == std::strtod(text.c_str(), nullptr));
  }
}

TEST_CASE("an iteration that is like one before says what it says by itself") {
  for (const auto& line : kLines) {
    CAPTURE(line);
    REQUIRE(iterations_in(line).size() == 1);
    AlikeIterations alike;
    CHECK_FALSE(read_alike(alike, line));
    alike.learn(line);
    CHECK(read_alike(alike, line));
  }
}

TEST_CASE("an iteration whose number is written as no count is not read alike") {
  const std::string line =
      " iteration        8/      20 | elapsed time per iteration (ms): 108.0 |";
  AlikeIterations alike;
  alike.learn(line);
  CHECK(read_alike(alike, line));
  CHECK_FALSE(
      alike.read(" iteration        1e19/      20 | elapsed time per iteration (ms): 108.0 |"));
  CHECK_FALSE(
      alike.read(" iteration        8/      1e19 | elapsed time per iteration (ms): 108.0 |"));
}

TEST_CASE("names that differ in a digit are two names") {
  AlikeTimers timers;
  timers.learn("time (ms) | stage0-forward: 148.03");
  CHECK(timers.read("time (ms) | stage0-forward: 2.5"));
  CHECK_FALSE(timers.read("time (ms) | stage1-forward: 2.5"));
  AlikeIterations alike;
  const std::string behind = ": 12.3 | iteration 7/ 100 | elapsed time per iteration (ms): 99.0 |";
  alike.learn("p50 rate" + behind);
  CHECK(read_alike(alike, "p50 rate" + behind));
  CHECK_FALSE(read_alike(alike, "p99 rate" + behind));
}

TEST_CASE("lines of several shapes in turn are read by their own") {
  AlikeIterations alike;
  for (const auto& line : {kLines[0], kLines[1], kLines[3]}) alike.learn(line);
  for (int i = 0; i < 3; ++i) {
    for (const auto& line : {kLines[0], kLines[1], kLines[3]}) CHECK(read_alike(alike, line));
  }
}

TEST_CASE("a line with a character changed says what it says by itself, or is not read alike") {
  std::mt19937_64 random(2);
  const std::string characters = "0123456789.eE+-|:/= \t[]naf\"'x";
  int alike_lines = 0;
  for (const auto& line : kLines) {
    AlikeIterations alike;
    alike.learn(line);
    for (int i = 0; i < 20000; ++i) {
      std::string other = line;
      for (auto changes = 1 + random() % 3; changes > 0; --changes) {
        const auto at = random() % other.size();
        const char c = characters[random() % characters.size()];
        switch (random() % 3) {
          case 0:
            other[at] = c;
            break;
          case 1:
            other.insert(at, 1, c);
            break;
          default:
            other.erase(at, 1);
        }
      }
      alike_lines += read_alike(alike, other) ? 1 : 0;
    }
  }
  CHECK(alike_lines > 3000);
}

TEST_CASE("timers that are like those before say what they say by themselves") {
  const std::string line = "time (ms) | forward: 148.03 | backward: 2.5e+02 | note: none | x: 1";
  AlikeTimers alike;
  CHECK_FALSE(alike.read(line));
  alike.learn(line);
  std::mt19937_64 random(3);
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string other = line;
    other[random() % other.size()] = "0123456789.e| "[random() % 14];
    if (!alike.read(other)) continue;
    ++read;
    const NamedValues full = timers_in(other);
    REQUIRE(alike.names().size() == full.size());
    for (std::size_t t = 0; t < full.size(); ++t) {
      REQUIRE(alike.names()[t] == full[t].first);
      REQUIRE(alike.numbers()[t].value == full[t].second.number);
    }
  }
  CHECK(read > 1000);
}

namespace {

constexpr std::string_view kNoColour = "\x1b[0m";

/// The same log as a terminal would show it: no line of it is taken from its front.
std::string one_by_one(std::string text) {
  for (auto at = text.find('\n'); at != std::string::npos; at = text.find('\n', at)) {
    text.insert(at, kNoColour);
    at += kNoColour.size() + 1;
  }
  return text;
}

std::string dense_log(Random& random) {
  std::string text = test::dump();
  int number = 0;
  for (auto left = 20 + random.below(200); left > 0; --left) {
    number += random.below(30) == 0 ? -static_cast<int>(random.below(9)) : 1;
    text += test::row(std::max(number, 1), 1000 + static_cast<double>(random.below(500)));
    const auto kind = random.below(12);
    if (kind < 5)
      text += fmt::format("time (ms) | forward: {:.2f} | backward: {:.2f}\n",
                          static_cast<double>(random.below(100000)) / 100, 12.5);
    if (kind == 6) text += fmt::format("saving checkpoint at iteration {:7d}\n", number);
    if (kind == 7) text += " validation loss at iteration 3 | lm loss value: 1.0E+01 |\n";
    if (kind == 8) text += "torch.OutOfMemoryError: CUDA out of memory.\n";
    if (kind == 9 && random.below(4) == 0) text += test::dump();
  }
  return text;
}

}  // namespace

TEST_CASE("lines that are taken from the front of a text are read as any others") {
  Random random(11);
  std::vector<std::string> logs;
  const fs::path folder = test::source_directory() / "tests/data/logs";
  for (const auto& name : disk().list(folder)) logs.push_back(read_input(folder / name));
  for (int i = 0; i < 40; ++i) logs.push_back(dense_log(random));
  for (const auto& log : logs) {
    for (int round = 0; round < 20; ++round) {
      std::string text = log;
      for (auto left = random.below(6); left > 0; --left) test::damage(text, random);
      if (text.find('\x1b') != std::string::npos) continue;
      CAPTURE(text);
      REQUIRE(test::text_of(scrape(text)) == test::text_of(scrape(one_by_one(text))));
    }
  }
}
