// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <numbers>
#include <vector>

#include "reports/statistics/mixed.h"

namespace pippin {

/// What both ways have in common.
class MixedModel::Pass {
 public:
  virtual ~Pass() = default;
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  MixedFit fit(const Variances& variances) {
    weigh(variances);
    const Parts parts = parts_of(variances);
    const double log_two_pi = std::log(2 * std::numbers::pi);
    const double common = within(variances) + parts.log_determinant + parts.quadratic;
    return {(iterations_ - means_) * log_two_pi + common + parts.log_information,
            iterations_ * log_two_pi + common};
  }

 protected:
  explicit Pass(const Nesting& nesting)
      : iterations_(static_cast<double>(nesting.iterations())),
        means_(static_cast<double>(nesting.configurations)) {
    double sum = 0;
    for (const auto& run : nesting.runs) {
      sum += run.mean;
      squares_ += run.squares;
    }
    // Keeps large means from eating the digits.
    const double origin = sum / static_cast<double>(nesting.runs.size());
    std::map<std::size_t, std::size_t> places;
    for (const auto& run : nesting.runs) {
      const auto [place, is_new] = places.try_emplace(run.n, sizes_.size());
      if (is_new) sizes_.push_back({static_cast<double>(run.n), 0, 0});
      sizes_[place->second].runs += 1;
      size_of_run_.push_back(place->second);
      values_.push_back(run.mean - origin);
    }
  }

  /// What runs share adds.
  struct Parts {
    double log_determinant = 0, log_information = 0, quadratic = 0;
  };
  virtual Parts parts_of(const Variances& variances) = 0;

  std::size_t runs() const { return values_.size(); }
  double value(std::size_t run) const { return values_[run]; }
  /// Runs of one size are equally long.
  std::size_t size_of(std::size_t run) const { return size_of_run_[run]; }
  /// 1 by the variance of a run's mean within its allocation.
  double weight_of_size(std::size_t size) const { return sizes_[size].weight; }
  double weight(std::size_t run) const { return weight_of_size(size_of(run)); }

 private:
  /// Runs of equally many iterations.
  struct Size {
    double n = 0, runs = 0, weight = 0;
  };

  void weigh(const Variances& variances) {
    for (Size& size : sizes_) size.weight = 1 / (variances[kRun] + variances[kIteration] / size.n);
  }

  /// What runs add whatever they share.
  double within(const Variances& variances) const {
    double sum = squares_ / variances[kIteration];
    for (const Size& size : sizes_)
      sum += size.runs *
             ((size.n - 1) * std::log(variances[kIteration]) + std::log(size.n / size.weight));
    return sum;
  }

  double iterations_, means_, squares_ = 0;
  std::vector<Size> sizes_;
  std::vector<std::size_t> size_of_run_;
  std::vector<double> values_;
};

/// The two of MixedModel::Way.
std::unique_ptr<MixedModel::Pass> pass_by_configurations(const Nesting& nesting);
std::unique_ptr<MixedModel::Pass> pass_by_units(const Nesting& nesting);

/// Of the diagonal of a factor, whose product is a determinant.
template <typename Vector>
double log_sum(const Vector& diagonal) {
  return diagonal.array().abs().log().sum();
}

}  // namespace pippin
