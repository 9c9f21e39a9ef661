// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pippin {

/// A clause with its numbers in the units that columns have: seconds, GiB, shares of 1.
struct BareClause {
  std::string text;                  ///< "step_time < 0.05"
  std::vector<std::string> amounts;  ///< "50ms": what had a unit
  std::vector<char> dimensions;      ///< of each amount: 't' time, 'm' memory, '%' share
};

/// `step_time < 50ms`, `spread > 1.5%`, `memory < 40 GiB` without units.
/// Shape: a unit stands at its number, but for GiB and MiB, which may stand behind a blank. `8%3`
/// is a remainder: a share has no operand behind it. What is in quotes stays as it is.
BareClause without_units(std::string_view clause);

/// The dimension of a field by its name's unit, as above; 0: none.
char dimension_of(std::string_view field);

}  // namespace pippin
