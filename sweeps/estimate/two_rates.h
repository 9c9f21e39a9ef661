// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace pippin {

/// A time that is a sum of two parts, each a known amount by an unknown rate: of a message its
/// call and its bytes, of a product its tiles and what their edges cost.
struct TwoParts {
  double first = 0, second = 0;  ///< amounts, not both 0
  double seconds = 0;            ///< measured, above 0
  std::int64_t group = 0;        ///< readings of one group err alike: who took them at once
};

/// One of the two rates.
struct FittedRate {
  double seconds = 0;        ///< of one unit of its amount
  std::optional<double> sd;  ///< of its logarithm, between groups; nothing of a single group
};

/// Both rates. One that the readings do not tell, as none of them has enough of it, is nothing.
struct TwoRates {
  std::optional<FittedRate> first, second;
  double spread = 0;  ///< of the logarithm of measured by fitted, robust
  std::int64_t readings = 0, groups = 0;
};

/// The rates that explain the readings best: the errors' logarithms by Huber, as readings of small
/// and large amounts count alike and some are disturbed; Gauss and Newton's method. The sd is that
/// of the jackknife over groups (Efron and Stein, 1981).
/// Neither is told where both parts grow alike in all readings, unless `second_by_first` is given,
/// which is held.
TwoRates fit_two_rates(const std::vector<TwoParts>& readings,
                       std::optional<double> second_by_first = std::nullopt);

}  // namespace pippin
