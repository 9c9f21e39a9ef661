// SPDX-License-Identifier: Apache-2.0
#include "reports/noise/blame_test.h"

#include <cmath>
#include <fmt/format.h>

#include "core/base/text.h"
#include "reports/statistics/student.h"
#include "reports/values.h"

namespace pippin {

namespace {

constexpr double kNoMatter = 0.05;         // of a canary's figures
constexpr double kNoMatterToSteps = 0.02;  // of step times

/// "23 % longer than", or "2.5 times as long as".
std::string longer_than(double ln) {
  constexpr double kPercent = 100, kTwice = 2;
  const double times = std::exp(ln);
  return times < kTwice ? short_number((times - 1) * kPercent, 2) + " % longer than"
                        : short_number(times, 2) + " times as long as";
}

/// " (4 of these readings were collected)"; empty where none was.
std::string share_collected(const BlameTest& test) {
  if (test.collected == 0) return "";
  if (test.collected >= test.with) return " (by collected tables)";
  return fmt::format(" ({} of {} readings are collected tables)", test.collected, test.with);
}

}  // namespace

double of_no_matter(BlameTest::Of of) {
  const bool of_steps = of == BlameTest::Of::kStepTime || of == BlameTest::Of::kGivenNetwork;
  return of_steps ? kNoMatterToSteps : kNoMatter;
}

void weigh(BlameTest& test) {
  const double beyond = test.effect.estimate - test.threshold;
  if (test.effect.se > 0) {
    test.p = t_above(beyond / test.effect.se, test.effect.df);
  } else {
    test.p = beyond > 0 ? 0 : 1;
  }
}

void add_test(BlameTests& tests, BlameTest test) {
  weigh(test);
  tests.push_back(std::move(test));
}

bool is_network(BlameTest::Of of) {
  return of == BlameTest::Of::kAllReduce || of == BlameTest::Of::kPairs ||
         of == BlameTest::Of::kLink;
}

bool is_compute(BlameTest::Of of) {
  return of == BlameTest::Of::kGivenNetwork || of == BlameTest::Of::kGemm ||
         of == BlameTest::Of::kSlowestRank || of == BlameTest::Of::kNodeGemm ||
         of == BlameTest::Of::kComputing;
}

const char* effect_on(BlameTest::Of of) {
  switch (of) {
    case BlameTest::Of::kStepTime:
    case BlameTest::Of::kGivenNetwork:
      return "step time";
    case BlameTest::Of::kAllReduce:
      return "all-reduce";
    case BlameTest::Of::kGemm:
    case BlameTest::Of::kSlowestRank:
    case BlameTest::Of::kNodeGemm:
      return "GEMM";
    case BlameTest::Of::kComputing:
      return "computing";
    case BlameTest::Of::kPairs:
    case BlameTest::Of::kLink:
      return "bandwidth";
  }
  return "";
}

std::string percent_longer(double ln) {
  constexpr double kPercent = 100;
  return short_number((std::exp(ln) - 1) * kPercent, 2) + " %";
}

std::string sentence_of(const BlameTest& test) {
  const std::string more = percent_longer(test.effect.estimate);
  const std::string longer = longer_than(test.effect.estimate);
  const std::string counts =
      fmt::format("{} allocations with, {} without", test.with, test.without);
  switch (test.of) {
    case BlameTest::Of::kStepTime:
      return fmt::format("step times are {} longer where it is ({})", more, counts);
    case BlameTest::Of::kGivenNetwork:
      return fmt::format("step times are {} longer where it is, given the all-reduce ({})", more,
                         counts);
    case BlameTest::Of::kAllReduce:
      return fmt::format("the canary's all-reduce takes {} longer where it is ({})", more, counts);
    case BlameTest::Of::kGemm:
      return fmt::format("the canary's slowest GEMM takes {} longer where it is ({})", more,
                         counts);
    case BlameTest::Of::kPairs:
      return fmt::format("messages over its links take {} over the others'{}", longer,
                         share_collected(test));
    case BlameTest::Of::kLink:
      return fmt::format("messages over it take {} over its nodes' other links{}", longer,
                         share_collected(test));
    case BlameTest::Of::kSlowestRank:
      return fmt::format("its GEMM is the slowest, by {} on average", more);
    case BlameTest::Of::kNodeGemm:
      return fmt::format("its GEMM takes {} the other nodes'{}", longer, share_collected(test));
    case BlameTest::Of::kComputing:
      return fmt::format("its ranks compute longest, by {} on average", more);
  }
  return "";
}

}  // namespace pippin
