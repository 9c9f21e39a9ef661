// SPDX-License-Identifier: Apache-2.0
#include "core/records/iterations.h"

#include <algorithm>
#include <fmt/format.h>
#include <random>

#include "core/records/run.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

void check_same(const Iteration& a, const Iteration& b) {
  REQUIRE(a.number == b.number);
  REQUIRE(a.step_time_ms == b.step_time_ms);
  REQUIRE(a.interval == b.interval);
  REQUIRE(a.flags == b.flags);
  REQUIRE(a.gbs == b.gbs);
  REQUIRE(a.consumed_samples == b.consumed_samples);
  REQUIRE(a.skipped == b.skipped);
  REQUIRE(a.nan == b.nan);
  REQUIRE(a.lm_loss == b.lm_loss);
  REQUIRE(a.learning_rate == b.learning_rate);
  REQUIRE(a.loss_scale == b.loss_scale);
  REQUIRE(a.grad_norm == b.grad_norm);
  REQUIRE(a.other == b.other);
}

/// Lines as a trainer prints them; some lack a field, or say something else.
std::vector<Iteration> lines_of(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto tenths = [&](std::int64_t from, std::uint64_t range) {
    return static_cast<double>(from + static_cast<std::int64_t>(random() % range)) / 10;
  };
  std::vector<Iteration> lines(count);
  for (std::size_t i = 0; i < count; ++i) {
    Iteration& line = lines[i];
    line.number = static_cast<std::int64_t>(i) + 1;
    line.step_time_ms = tenths(30000, 2000);
    line.gbs = 512;
    line.consumed_samples = line.number * 512;
    if (random() % 50 != 0) line.lm_loss = tenths(20, 9000000) / 1e6;
    line.learning_rate = 1.5e-4;
    line.skipped = random() % 100 == 0 ? 1 : 0;
    line.other = {{"TFLOPs", value_of(tenths(1400, 300))}};
    if (random() % 20 == 0) line.other.emplace_back("save-checkpoint", value_of(tenths(9000, 99)));
    if (random() % 10 != 0) line.other.emplace_back("forward", value_of(tenths(9000, 990)));
    if (!line.lm_loss) line.other.emplace_back("lm loss", Value{"nan", {}});
  }
  return lines;
}

}  // namespace

TEST_CASE("lines come back as they went in, whatever their number") {
  for (const std::size_t count : {0, 1, 2, 127, 128, 129, 500, 5000}) {
    const auto lines = lines_of(count, count);
    const Iterations iterations(lines);
    REQUIRE(iterations.size() == count);
    CHECK(iterations.empty() == (count == 0));
    std::size_t i = 0;
    for (const auto& line : iterations) check_same(line, lines[i++]);
    CHECK(i == count);
    for (i = 0; i < count; ++i) REQUIRE(iterations.number_of(i) == lines[i].number);
    if (count > 0) check_same(iterations.back(), lines.back());
    CHECK_THROWS(iterations.at(count));
  }
}

TEST_CASE("blocks fill a page of the database and no more") {
  const Iterations iterations(lines_of(20000, 1));
  std::size_t lines = 0, blocks = 0;
  iterations.each_block([&](const IterationBlock& block) {
    lines += block.lines;
    ++blocks;
    CHECK(digit_bytes(block) <= kBlockBytes);
    CHECK(block.lines <= kMostBlockLines);
    if (lines < iterations.size()) CHECK(digit_bytes(block) > kBlockBytes * 3 / 4);
  });
  CHECK(lines == iterations.size());
  CHECK(blocks > 20);
  // Lines that are all alike take no digits at all.
  std::vector<Iteration> alike(3000);
  for (std::size_t i = 0; i < alike.size(); ++i) alike[i].number = static_cast<std::int64_t>(i);
  Iterations(alike).each_block(
      [](const IterationBlock& block) { CHECK(block.lines <= kMostBlockLines); });
}

TEST_CASE("lines whose figures grow wide are cut into smaller blocks") {
  std::vector<Iteration> lines = lines_of(1000, 3);
  for (std::size_t i = 100; i < lines.size(); ++i) {
    lines[i].grad_norm = 1.0 / static_cast<double>(i);
    lines[i].step_time_ms = 1e5 / static_cast<double>(i);
  }
  const Iterations iterations(lines);
  iterations.each_block(
      [](const IterationBlock& block) { CHECK(digit_bytes(block) <= kBlockBytes); });
  for (std::size_t i = 0; i < lines.size(); ++i) check_same(iterations[i], lines[i]);
}

TEST_CASE("marks are set in blocks and behind them alike") {
  auto lines = lines_of(1000, 2);
  Iterations iterations(lines);
  std::int64_t before = 0;
  iterations.mark_each([&](Iterations::Marks& line) {
    CHECK(line.number == before + 1);
    before = line.number;
    line.interval = line.number % 7;
    line.flags |= line.number % 3 == 0 ? kAfterSave : kFirst;
    if (line.number == 999) line.gbs.reset();
  });
  for (auto& line : lines) {
    line.interval = line.number % 7;
    line.flags = line.number % 3 == 0 ? kAfterSave : kFirst;
    if (line.number == 999) line.gbs.reset();
  }
  for (std::size_t i = 0; i < lines.size(); ++i) check_same(iterations[i], lines[i]);
}

TEST_CASE("a name that comes late stands where its line has it") {
  Iteration first, second;
  first.other = {{"a", value_of(1.0)}, {"c", value_of(3.0)}};
  second.other = {{"a", value_of(1.0)}, {"b", value_of(2.0)}, {"c", value_of(3.0)}};
  std::vector<Iteration> lines(300, first);
  lines[200] = second;
  const Iterations iterations(lines);
  CHECK(iterations[200].other == second.other);
  CHECK(iterations[199].other == first.other);
  CHECK(iterations.names().size() == 3);
}

TEST_CASE("lines each of which has a name of its own are packed without those of others") {
  constexpr int kLines = 3000;
  Iterations iterations;
  for (int i = 0; i < kLines; ++i) {
    Iteration line;
    line.number = i;
    line.other = {{fmt::format("step {} loss", i), value_of(0.5 * i)}};
    iterations.push_back(std::move(line));
  }
  std::size_t others = 0, blocks = 0;
  iterations.each_block([&](const IterationBlock& block) {
    others += block.others.size();
    ++blocks;
  });
  CHECK(others == kLines);
  CHECK(blocks < 20);
  for (std::size_t i = 0; i < kLines; i += 7) {
    const Iteration line = iterations[i];
    REQUIRE(line.other.size() == 1);
    REQUIRE(line.other[0].first == fmt::format("step {} loss", i));
    REQUIRE(line.other[0].second.number == 0.5 * static_cast<double>(i));
  }
}

TEST_CASE("of a name that a line says twice the last counts") {
  Iteration line;
  line.other = {{"x", value_of(1.0)}, {"x", Value{"nan", {}}}, {"y", value_of(2.0)}};
  const Iterations iterations(std::vector<Iteration>(200, line));
  CHECK(iterations[0].other == NamedValues{{"x", Value{"nan", {}}}, {"y", value_of(2.0)}});
}

TEST_CASE("lines of which each has a name of its own come back") {
  std::vector<Iteration> lines(3000);
  for (std::size_t i = 0; i < lines.size(); ++i)
    lines[i].other = {{"x", value_of(1.0)},
                      {"name " + std::to_string(i), value_of(static_cast<double>(i))}};
  const Iterations iterations(lines);
  for (std::size_t i = 0; i < lines.size(); ++i) REQUIRE(iterations[i].other == lines[i].other);
}

TEST_CASE("lines with ever new names take no more columns than they have values, and come back") {
  std::vector<Iteration> lines = lines_of(3000, 7);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k)
      lines[i].other.emplace_back(fmt::format("m{}-{}", i, k), value_of(static_cast<double>(i)));
  }
  const Iterations iterations(lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Iteration line = iterations[i];
    std::sort(line.other.begin(), line.other.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    std::sort(lines[i].other.begin(), lines[i].other.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    check_same(line, lines[i]);
  }
  std::size_t cells = 0;
  iterations.each_block(
      [&](const IterationBlock& block) { cells += block.lines * block.others.size(); });
  CHECK(cells < std::size_t{160} * 3 * lines.size());  // of up to 1,024 x 3,072 in each block
  CHECK(iterations.left_out() == 0);
}

TEST_CASE("of names that no trainer has as many the first are kept, and the others counted") {
  Iterations iterations;
  constexpr std::size_t kLines = 200, kEach = 100;
  for (std::size_t i = 0; i < kLines; ++i) {
    Iteration line;
    line.number = static_cast<std::int64_t>(i);
    iterations.push_back(line);
    for (std::size_t k = 0; k < kEach; ++k) iterations.put(fmt::format("m{}-{}", i, k), 1.0);
    iterations.put("m0-0", 2.0);
    iterations.put_first(fmt::format("last{}", i), value_of(1.0));
  }
  CHECK(iterations.names().size() == Iterations::kMostNames);
  CHECK(iterations.left_out() == kLines * (kEach + 1) - Iterations::kMostNames);
  const Iteration last = iterations.back();
  REQUIRE(last.other.size() == 1);
  CHECK(last.other.front().first == "m0-0");
}
