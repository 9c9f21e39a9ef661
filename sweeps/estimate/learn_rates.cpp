// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/learn_rates.h"

#include <algorithm>
#include <cmath>

namespace pippin {

namespace {

constexpr std::size_t kCount = std::tuple_size_v<RateParameters>;

/// Training reaches what a probe does but for so much, of the logarithm.
constexpr double kLikeProbe = 0.2;
/// A rate is told by points that make its spread at least so much smaller.
constexpr double kTold = 0.7;
/// One that is not told is left where it was, unless it moves by so much of its spread.
constexpr double kMoved = 0.1;

class Learning {
 public:
  Learning(const std::vector<DirectRate>& direct, const std::vector<MeasuredStep>& points,
           const Rates& usual)
      : points_(points), priors_(priors_around(usual)) {
    for (std::size_t i = 0; i < kCount; ++i) begin(direct, i);
  }

  LearnedRates learned(double usual_half_width) {
    fit();
    LearnedRates result;
    result.rates = fit_.rates;
    result.points = points_.size();
    result.spread = fit_.spread;
    result.half_width = half_width(usual_half_width);
    if (!points_.empty()) result.uncertainty = uncertainty_of(fit_, points_, priors_);
    for (std::size_t i = 0; i < kCount; ++i) {
      finish(i);
      result.all.push_back(all_[i]);
    }
    return result;
  }

 private:
  void begin(const std::vector<DirectRate>& direct, std::size_t i) {
    const RateParameter& parameter = rate_parameters()[i];
    LearnedRate& rate = all_[i];
    rate.name = parameter.name;
    rate.is_linear = parameter.is_linear;
    rate.value = rate.usual = priors_[i].value;
    const auto found = std::find_if(direct.begin(), direct.end(), [&](const DirectRate& one) {
      return one.name == parameter.name;
    });
    if (found == direct.end()) return;
    rate.readings = found->readings;
    rate.groups = found->groups;
    if (found->is_at_bound) {
      rate.at_bound = found->value;
      return;
    }
    rate.source = RateSource::kProbe;
    rate.value = found->value;
    rate.sd = found->sd;
    const double spread = std::hypot(found->sd.value_or(kLikeProbe), kLikeProbe);
    priors_[i] = {found->value, std::min(spread, parameter.spread), false};
  }

  /// Until those that are left are within their bounds, and told.
  void fit() {
    do {
      fit_ = calibrate(points_, priors_);
    } while (hold_what_is_at_bounds() || hold_what_is_untold());
  }

  /// At the usual value. False where there is none.
  bool hold_what_is_at_bounds() {
    bool any = false;
    for (std::size_t i = 0; i < kCount; ++i) {
      const RateParameter& one = rate_parameters()[i];
      const auto& names = fit_.at_bounds;
      if (std::find(names.begin(), names.end(), one.name) == names.end()) continue;
      all_[i].at_bound = fit_.rates.*one.member;
      all_[i].source = RateSource::kUsual;
      all_[i].sd.reset();
      priors_[i] = {all_[i].usual, one.spread, true};
      any = true;
    }
    return any;
  }

  /// At what was thought of them. Of several that could each be why runs are slow none is told,
  /// but all of them move: to hold all but one of these would lay all the blame on it. False where
  /// there is none.
  bool hold_what_is_untold() {
    bool any = false;
    for (std::size_t i = 0; i < kCount; ++i) {
      const bool is_told = fit_.sds[i] < kTold * priors_[i].spread;
      if (priors_[i].held || is_told || moved_by(i) >= kMoved * priors_[i].spread) continue;
      priors_[i].held = any = true;
    }
    return any;
  }

  /// From what was thought of it, in the unit of its spread.
  double moved_by(std::size_t i) const {
    const double value = fit_.rates.*rate_parameters()[i].member, before = priors_[i].value;
    return std::abs(rate_parameters()[i].is_linear ? value - before : std::log(value / before));
  }

  void finish(std::size_t i) {
    LearnedRate& rate = all_[i];
    rate.value = fit_.rates.*rate_parameters()[i].member;
    if (points_.empty() || priors_[i].held) return;
    rate.source = rate.source == RateSource::kProbe ? RateSource::kBoth : RateSource::kRuns;
    rate.sd = fit_.sds[i];
    rate.groups = 0;
    rate.readings += static_cast<std::int64_t>(points_.size());
  }

  double half_width(double usual) const {
    constexpr std::size_t kFew = 40;  // of which each can be left out in turn
    constexpr double kLeast = 0.02;   // as measured times themselves vary
    if (points_.empty()) return usual;
    const double width =
        points_.size() < kFew ? half_width_of_others(points_, priors_, usual) : fit_.half_width;
    return std::max(width, kLeast);
  }

  const std::vector<MeasuredStep>& points_;
  RatePriors priors_;
  std::array<LearnedRate, kCount> all_;
  Calibration fit_;
};

}  // namespace

LearnedRates learn_rates(const std::vector<DirectRate>& direct,
                         const std::vector<MeasuredStep>& points, double usual_half_width,
                         const Rates& usual) {
  return Learning(direct, points, usual).learned(usual_half_width);
}

}  // namespace pippin
