// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace pippin::test {

/// What R answers: tests/data/statistics/reference.json.
const nlohmann::json& reference();

/// Equal up to the rounding of a closed form.
inline Approx near(double value) { return Approx(value).epsilon(1e-9).margin(1e-12); }
inline Approx near(const nlohmann::json& value) { return near(value.get<double>()); }

/// Equal but for a share `relative` of it, however small it is.
inline Approx within(const nlohmann::json& value, double relative = 1e-9) {
  return Approx(value.get<double>()).epsilon(relative).margin(0);
}

/// Equal but for `margin`, however large it is.
inline Approx about(const nlohmann::json& value, double margin) {
  return Approx(value.get<double>()).epsilon(0).margin(margin);
}

/// The numbers of a list, or of a single number; null is NaN.
std::vector<double> numbers_of(const nlohmann::json& list);

std::vector<double> logs_of(std::vector<double> values);

}  // namespace pippin::test
