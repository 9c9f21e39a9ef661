// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sweeps/draft.h"
#include "sweeps/point_values.h"

namespace pippin {

/// A formula of a sweep whose variables were found once, for the values of every point.
class BoundFormula {
 public:
  /// Requires that all names of the formula have slots; both outlive this.
  BoundFormula(Formula& formula, const Slots& slots);

  const Formula& formula() const { return *formula_; }
  /// Errors: Error (bad input) with the formula's place, where a variable is not known or the
  /// expression has no value.
  Value evaluate(const PointValues& values);
  bool holds(const PointValues& values);

 private:
  void bind(const PointValues& values);

  Formula* formula_;
  const Slots* slots_;
  std::vector<std::size_t> reads_;    ///< slots, in the order of the expression's names
  std::vector<const Value*> values_;  ///< of the point at hand
};

std::vector<BoundFormula> bound(std::vector<Formula>& formulas, const Slots& slots);

}  // namespace pippin
