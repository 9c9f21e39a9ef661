// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/format.h"

namespace pippin {

/// A column for programs: a field of a kind, or an own axis.
struct ExactColumn {
  std::string name;
  const Field* field = nullptr;  ///< null: `axis`
  std::string axis;
};

/// The columns that CSV and JSON have: of those asked for all fields, else everything that is
/// known of a row. An own axis of a taken name has "axis_" before it. Errors: Error (bad input)
/// where nothing but drawings is asked for.
std::vector<ExactColumn> exact_columns(const Report& report);

}  // namespace pippin
