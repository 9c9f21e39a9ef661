// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/records/point.h"

namespace pippin {

/// One property of a point that every table may show.
struct PointColumn {
  const char* name;   ///< in CSV and JSON
  const char* title;  ///< on a terminal
};

/// gpus, params_b, layers, hidden, seq, tp, pp, dp, mbs, gas, gbs: in the order of CSV.
const std::vector<PointColumn>& point_columns();

/// What a point has in those columns; empty where unknown.
std::vector<std::string> point_cells(const Point& point);

/// The same for a reader: the size as "52B".
std::vector<std::string> readable_point_cells(const Point& point);

/// CP, which has a column where it says something; empty where unknown.
std::string cp_cell(const Point& point);

/// The text of an own axis; empty where the point has none of that name.
std::string axis_cell(const Point& point, const std::string& axis);

/// A name that no column of `taken` has: "axis_NAME" where it is taken.
std::string axis_title(const std::string& axis, const std::vector<std::string>& taken);

}  // namespace pippin
