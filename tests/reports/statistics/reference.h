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

std::vector<double> logs_of(std::vector<double> values);

}  // namespace pippin::test
