// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "reports/statistics/difference.h"

namespace pippin {

/// What can be said of a difference between logarithms of times.
enum class Verdict {
  kFaster,        ///< surely below
  kSlower,        ///< surely above
  kEquivalent,    ///< surely within the margin, be it zero or not
  kUndetermined,  ///< more measurements would tell
};

const char* text_of(Verdict verdict);

/// By which rules a report judges.
struct Judgement {
  double margin = 0.02;  ///< as a ratio: within 1/1.02 to 1.02 two times are as good as equal
  double level = 0.05;   ///< of errors in a report
  double power = 0.8;    ///< with which an effect should be found that is called detectable
};

/// Equivalent where the interval of 90 % lies within the margin (two one-sided tests); else faster
/// or slower where `p_adjusted`, the difference's p among all of a report, is within the level.
/// Source: Schuirmann, "A comparison of the two one-sided tests procedure", 1987.
Verdict verdict_of(const Difference& difference, double p_adjusted, const Judgement& judgement);

/// Finds what is detectable, and remembers it: many rows have the same degrees of freedom.
class Detectable {
 public:
  explicit Detectable(const Judgement& judgement) : judgement_(judgement) {}

  /// The smallest ratio above 1 that a further such comparison finds with the wanted power. `level`
  /// is of one test: of many tests a part of the report's.
  double ratio(const Difference& difference, double level);

 private:
  Judgement judgement_;
  std::map<std::pair<double, double>, double> errors_;  ///< by degrees of freedom and level
};

/// How an undetermined difference was measured: allocations a side, the same ones where paired.
struct Design {
  std::size_t base = 0, other = 0;
  bool paired = false;
};

/// Finds how many more allocations (of each side, or of both at once) would decide a difference
/// with the wanted power, if the estimate and the spread stay as they are: that it is real where it
/// is larger than the margin, else that it is equivalent. Remembers what it has worked out: paired
/// rows of one table mostly have the same degrees of freedom.
class MoreAllocations {
 public:
  explicit MoreAllocations(const Judgement& judgement) : judgement_(judgement) {}

  /// Nothing where `most` would not do. `level` is of one test.
  std::optional<std::size_t> of(const Difference& difference, const Design& design, double level,
                                std::size_t most = 1000);

 private:
  bool decides(const Difference& difference, double level, bool remember);

  Judgement judgement_;
  /// By degrees of freedom and level: how many standard errors are found, and surely within.
  std::map<std::pair<double, double>, double> detectable_, within_;
};

}  // namespace pippin
