// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/statistics/difference.h"

namespace pippin {

/// One thing that was tested: that somebody makes something longer.
struct BlameTest {
  enum class Of {
    kStepTime,
    kGivenNetwork,
    kAllReduce,
    kGemm,
    kPairs,
    kLink,
    kSlowestRank,
    kNodeGemm,
    kComputing
  };
  Of of = Of::kStepTime;
  std::vector<std::string> who;
  Difference effect;                  ///< ln
  double threshold = 0;               ///< of no matter
  std::size_t with = 0, without = 0;  ///< allocations, or readings where there are few
  std::size_t collected = 0;          ///< of `with`, tables of no run
  double p = 1, p_adjusted = 1;
};

using BlameTests = std::vector<BlameTest>;

/// What healthy machines differ by, as ln: whoever is surely above zero but below this is not ill.
double of_no_matter(BlameTest::Of of);

/// Works out the p of a test from its effect.
void weigh(BlameTest& test);
void add_test(BlameTests& tests, BlameTest test);

bool is_network(BlameTest::Of of);
bool is_compute(BlameTest::Of of);

/// What an effect is on: "step time", "bandwidth".
const char* effect_on(BlameTest::Of of);
/// "its GEMM takes 12 % longer than the other nodes'".
std::string sentence_of(const BlameTest& test);
/// "12 %" of what takes so much longer, given as ln.
std::string percent_longer(double ln);

}  // namespace pippin
