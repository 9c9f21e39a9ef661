// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/mixed.h"

#include "reports/statistics/mixed_pass.h"

namespace pippin {

namespace {

MixedModel::Way usual_way(const Nesting& nesting) {
  constexpr std::size_t kMany = 100;  // from here on a matrix of configurations is the larger one
  return nesting.configurations <= kMany ? MixedModel::Way::kByConfigurations
                                         : MixedModel::Way::kByUnits;
}

}  // namespace

MixedModel::MixedModel(const Nesting& nesting) : MixedModel(nesting, usual_way(nesting)) {}

MixedModel::MixedModel(const Nesting& nesting, Way way) {
  if (way == Way::kByConfigurations) {
    pass_ = pass_by_configurations(nesting);
  } else {
    pass_ = pass_by_units(nesting);
  }
}

MixedModel::~MixedModel() = default;

MixedFit MixedModel::fit(const Variances& variances) { return pass_->fit(variances); }

}  // namespace pippin
