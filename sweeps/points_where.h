// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/records/point.h"

namespace pippin {

/// The ids of the points of which the expression holds; of a point that lacks one of its names it
/// does not. Errors: Error (bad input) for no expression, a name that no point has, a clause
/// without a truth value, and where none is left; `option` names it in messages.
std::set<std::string, std::less<>> points_where(const std::vector<Point>& points,
                                                const std::string& option,
                                                const std::string& expression);

}  // namespace pippin
