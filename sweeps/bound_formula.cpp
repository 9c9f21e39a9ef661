// SPDX-License-Identifier: Apache-2.0
#include "sweeps/bound_formula.h"

#include "core/base/text.h"

namespace pippin {

namespace {

/// "where" or "derive: NAME", for messages.
std::string title_of(const Formula& formula) {
  return formula.name == "where" ? "where" : "derive: " + formula.name;
}

}  // namespace

BoundFormula::BoundFormula(Formula& formula, const Slots& slots)
    : formula_(&formula), slots_(&slots) {
  for (const auto& name : formula.expression.names()) reads_.push_back(slots.at(name));
}

void BoundFormula::bind(const PointValues& values) {
  values_.clear();
  for (const std::size_t slot : reads_) {
    values_.push_back(values.find(slot));
    if (values_.back()) continue;
    fail(formula_->place, "in '{}': {} is not known for every point",
         printable(formula_->expression.text()), in_quotes(slots_->names()[slot]));
  }
}

Value BoundFormula::evaluate(const PointValues& values) {
  bind(values);
  try {
    return formula_->expression.evaluate(values_);
  } catch (const Error& error) {
    fail(formula_->place, "{}: {}", title_of(*formula_), error.what());
  }
}

bool BoundFormula::holds(const PointValues& values) {
  bind(values);
  try {
    return formula_->expression.holds(values_);
  } catch (const Error& error) {
    fail(formula_->place, "{}: {}", title_of(*formula_), error.what());
  }
}

std::vector<BoundFormula> bound(std::vector<Formula>& formulas, const Slots& slots) {
  std::vector<BoundFormula> all;
  all.reserve(formulas.size());
  for (auto& formula : formulas) all.emplace_back(formula, slots);
  return all;
}

}  // namespace pippin
