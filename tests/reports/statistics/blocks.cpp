// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/statistics/blocks.h"

#include <cmath>

#include "core/base/text.h"
#include "tests/reports/statistics/series.h"

namespace pippin::test {

const Blocks& blocks_data() {
  static const Blocks kData = [] {
    const auto number = [](const std::string& text) { return parse_number(text).value(); };
    const auto index = [&](const std::string& name) {  // "B01", "c6"
      return static_cast<std::size_t>(number(name.substr(1))) - 1;
    };
    Blocks data;
    for (const auto& row : csv_rows("blocks.csv")) {
      data.blocks.push_back(index(row.at(0)));
      data.hours.push_back(number(row.at(2)));
      data.positions.push_back(number(row.at(3)));
      data.configurations.push_back(index(row.at(4)));
      data.canaries.push_back(std::log(number(row.at(5))));
      data.times.push_back(std::log(number(row.at(6))));
    }
    return data;
  }();
  return kData;
}

std::vector<RowMeans> rows_of_blocks() {
  const Blocks& data = blocks_data();
  std::vector<RowMeans> rows(6);
  for (std::size_t i = 0; i < data.times.size(); ++i) {
    rows[data.configurations[i]].allocations.push_back(data.blocks[i]);
    rows[data.configurations[i]].values.push_back(data.times[i]);
  }
  return rows;
}

}  // namespace pippin::test
