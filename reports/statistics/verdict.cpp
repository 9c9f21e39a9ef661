// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/verdict.h"

#include <algorithm>
#include <cmath>

#include "reports/statistics/student.h"

namespace pippin {

namespace {

/// The precision that `more` allocations a side would bring.
Difference with_more(const Difference& difference, const Design& design, std::size_t more) {
  const auto n = static_cast<double>(design.base), m = static_cast<double>(design.other);
  const auto x = static_cast<double>(more);
  Difference result = difference;
  if (design.paired) {
    result.se *= std::sqrt(n / (n + x));
    result.df += x;
  } else {
    result.se *= std::sqrt((1 / (n + x) + 1 / (m + x)) / (1 / n + 1 / m));
    result.df += 2 * x;
  }
  return result;
}

/// An estimate at the edge of the margin would never be decided: it may be this much off.
double room_within(double margin, double estimate) {
  constexpr double kLeastShare = 0.25;
  return std::max(margin - estimate, kLeastShare * margin);
}

/// What `find` gives, worked out once for a key that comes again.
template <typename Find>
double known(std::map<std::pair<double, double>, double>& values,
             const std::pair<double, double>& key, bool remember, const Find& find) {
  if (!remember) return find();
  const auto [place, is_new] = values.try_emplace(key, 0);
  if (is_new) place->second = find();
  return place->second;
}

}  // namespace

const char* text_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFaster:
      return "faster";
    case Verdict::kSlower:
      return "slower";
    case Verdict::kEquivalent:
      return "equivalent";
    case Verdict::kUndetermined:
      break;
  }
  return "undetermined";
}

Verdict verdict_of(const Difference& difference, double p_adjusted, const Judgement& judgement) {
  const double margin = std::log1p(judgement.margin), both = 1 - 2 * judgement.level;
  if (difference.low(both) > -margin && difference.high(both) < margin) return Verdict::kEquivalent;
  if (!(p_adjusted <= judgement.level)) return Verdict::kUndetermined;
  return difference.estimate < 0 ? Verdict::kFaster : Verdict::kSlower;
}

double Detectable::ratio(const Difference& difference, double level) {
  constexpr double kSteps = 4;  // a quarter of a degree of freedom makes no visible difference
  if (difference.se == 0) return 1;
  const double df = std::max(1.0, std::round(difference.df * kSteps)) / kSteps;
  const auto [place, is_new] = errors_.try_emplace({df, level}, 0);
  if (is_new) place->second = t_detectable_as_estimated(df, level, judgement_.power);
  return std::exp(place->second * difference.se);
}

bool MoreAllocations::decides(const Difference& difference, double level, bool remember) {
  const double margin = std::log1p(judgement_.margin), estimate = std::abs(difference.estimate);
  const std::pair key{difference.df, level};
  if (estimate > margin) {
    const double detectable = known(detectable_, key, remember, [&] {
      return t_detectable(difference.df, level, judgement_.power);
    });
    return detectable * difference.se <= estimate;
  }
  const double points = known(within_, key, remember, [&] {
    return t_quantile(1 - judgement_.level, difference.df) +
           t_quantile(judgement_.power, difference.df);
  });
  return points * difference.se <= room_within(margin, estimate);
}

std::optional<std::size_t> MoreAllocations::of(const Difference& difference, const Design& design,
                                               double level, std::size_t most) {
  // Only those of pairs come again: others are Welch's, of each difference its own.
  const auto enough = [&](std::size_t more) {
    return decides(with_more(difference, design, more), level, design.paired);
  };
  if (!enough(most)) return std::nullopt;
  std::size_t low = 0, high = most;  // high is enough
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace pippin
