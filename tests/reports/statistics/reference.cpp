// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/statistics/reference.h"

#include <cmath>

#include "core/base/files.h"
#include "tests/support/temporary.h"

namespace pippin::test {

const nlohmann::json& reference() {
  static const nlohmann::json answers = nlohmann::json::parse(
      read_input(source_directory() / "tests/data/statistics/reference.json"));
  return answers;
}

std::vector<double> numbers_of(const nlohmann::json& list) {
  if (list.is_number()) return {list.get<double>()};
  std::vector<double> values;
  for (const auto& item : list)
    values.push_back(item.is_null() ? std::nan("") : item.get<double>());
  return values;
}

std::vector<double> logs_of(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return values;
}

}  // namespace pippin::test
