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

bool decides(const Difference& difference, double level, const Judgement& judgement) {
  const double margin = std::log1p(judgement.margin), estimate = std::abs(difference.estimate);
  if (estimate > margin)
    return t_detectable(difference.df, level, judgement.power) * difference.se <= estimate;
  const double points =
      t_quantile(1 - judgement.level, difference.df) + t_quantile(judgement.power, difference.df);
  return points * difference.se <= room_within(margin, estimate);
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

std::optional<std::size_t> more_allocations(const Difference& difference, const Design& design,
                                            double level, const Judgement& judgement,
                                            std::size_t most) {
  const auto enough = [&](std::size_t more) {
    return decides(with_more(difference, design, more), level, judgement);
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
