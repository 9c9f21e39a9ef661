// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/records/summary.h"
#include "reports/row_range.h"

namespace pippin {

/// The variables that runs of a point had, a "NAME=VALUE" a line.
using EnvironmentOf = std::function<std::string(const std::string& point_id)>;

/// Whether the name of a point ends with a piece of its id, as the database puts it behind a name
/// which several points have: others do not look like it.
bool shares_name(const Point& point);

/// By what rows of unlike points that look alike in a table differ, by the points' ids.
std::map<std::string, std::string> differences_in(const RowRange& rows,
                                                  const EnvironmentOf& environment_of);

/// Gives rows of unlike points that look alike in a table by what they differ: words of their
/// command, what the table does not show of the model, variables. `environment_of` is asked only
/// for those that differ in nothing else.
void tell_differences(std::vector<Summary>& rows, const EnvironmentOf& environment_of);

/// Of texts in words by what each differs from the others: "--lr 1" and "--lr 2", or "--bar" and
/// "no --bar".
std::vector<std::string> differing_words(const std::vector<std::string>& texts);

/// The name of a point but for the piece of its id that the database puts behind a name which
/// several points have.
std::string shared_name(const Point& point);

}  // namespace pippin
