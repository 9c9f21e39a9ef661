// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "core/base/files.h"
#include "sweeps/estimate/point_rows.h"
#include "tests/support/temporary.h"

namespace pippin::test {

/// Published rows, by their ids.
inline std::map<std::string, PointRow> measured_rows() {
  std::map<std::string, PointRow> all;
  for (const PointRow& row : read_point_rows(
           read_input(source_directory() / "tests/data/estimate/points.tsv"), "points.tsv"))
    all.emplace(row.text("id"), row);
  return all;
}

}  // namespace pippin::test
